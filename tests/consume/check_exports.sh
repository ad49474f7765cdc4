#!/usr/bin/env bash
# check_exports.sh LIBRARY_FOLDER VERSION: the installed shared library has its versioned names, and
# exports names of namespace tenfold and nothing else.
set -euo pipefail
folder=$1
version=$2
short=${version%.*}

library=$folder/libtenfold.so.$version
[ -f "$library" ] || { echo "no $library"; exit 1; }
[ "$(readlink "$folder/libtenfold.so")" = "libtenfold.so.$short" ]
[ "$(readlink "$folder/libtenfold.so.$short")" = "libtenfold.so.$version" ]
# Read to the end: objdump would fail on a pipe that closes at the first match.
soname=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
[ "$soname" = "libtenfold.so.$short" ] || { echo "wrong SONAME '$soname'"; exit 1; }

symbols=$(nm -D --defined-only --format=posix "$library" | cut -d ' ' -f 1)
count=$(grep -cE '^_Z(N[KO]*|T[ISV]N)7tenfold' <<<"$symbols")
foreign=$(grep -vE '^_Z(N[KO]*|T[ISV]N)7tenfold' <<<"$symbols" || true)
if [ -n "$foreign" ]; then
  printf 'exported, and not of namespace tenfold:\n'
  c++filt <<<"$foreign"
  exit 1
fi
# The call that everybody makes is among them.
grep -q '^_ZN7tenfold6reduceE' <<<"$symbols" || { echo "tenfold::reduce is not exported"; exit 1; }
echo "$count exported names, all of namespace tenfold"
