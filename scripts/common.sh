# Shared by the scripts of this folder: sourced, with the project's root as the working folder.
# shellcheck shell=bash

jobs_wanted=${TENFOLD_JOBS:-$(nproc)}

say() { printf '%s\n' "$@"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Further settings for build_preset.
cmake_options=()

# Configures and builds one preset; further arguments name the targets.
build_preset() {
  local preset=$1
  shift
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake --preset "$preset" "${launcher[@]}" "${cmake_options[@]}" || return
  if [ $# -gt 0 ]; then
    cmake --build "build/$preset" -j "$jobs_wanted" --target "$@" -- -k 0
  else
    cmake --build "build/$preset" -j "$jobs_wanted" -- -k 0
  fi
}
