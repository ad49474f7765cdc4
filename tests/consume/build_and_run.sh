#!/bin/sh
# build_and_run.sh SOURCE FOLDER PROGRAM OPTION...
# Configures a project in a folder and builds it; its program must print what expected.txt holds.
# CMAKE and EXPECT are set by CMakeLists.txt. (ctest --build-and-test configures in its own process
# and leaves the compiler a changed environment, with which a compiler cache knows nothing.)
set -eu
here=$(dirname "$0") source=$1 folder=$2 program=$3
shift 3
"$CMAKE" -S "$source" -B "$folder" -G Ninja "$@"
"$CMAKE" --build "$folder"
"$CMAKE" -DEXPECTED="$here/expected.txt" -P "$EXPECT" -- "$folder/$program"
