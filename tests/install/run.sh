#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER FIXTURE_PROGRAM: installs BUILD_FOLDER into a temporary prefix, builds outside/
# against it, and runs its C++ and C programs on a package that FIXTURE_PROGRAM writes.
set -eu
build=$1
fixture=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component dycl --prefix "$work/prefix" > "$work/install.log" 2>&1 ||
  { cat "$work/install.log"; exit 1; }
cmake -S "$here/outside" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  > "$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }

"$fixture" "$work/count.dycl"
"$work/build/count_cpp" "$work/count.dycl" "$build/backends"
"$work/build/count_c" "$work/count.dycl" "$build/backends"
