#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER FIXTURE_PROGRAM PYTHON: installs BUILD_FOLDER into a temporary prefix, builds outside/
# against it, and runs its C++ and C programs on a package that FIXTURE_PROGRAM writes, and on one that the
# installed command compiles.
set -eu
build=$1
fixture=$2
python=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component dycl --prefix "$work/prefix" > "$work/install.log" 2>&1 ||
  { cat "$work/install.log"; exit 1; }
cmake -S "$here/outside" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  > "$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }

"$fixture" "$work/count.dycl" "$work/count.onnx" "$work/choose.dycl"
# Once a package written by hand, once one that the installed command makes.
env -i DYCL_BACKEND_PATH="$build/backends" "$work/prefix/bin/dycl" compile "$work/count.onnx" \
  -o "$work/made.dycl" --backend skeleton -q
for package in "$work/count.dycl" "$work/made.dycl"; do
  "$work/build/count_cpp" "$package" "$build/backends"
  "$work/build/count_c" "$package" "$build/backends"
done
"$python" -I "$here/outside/count.py" "$work/prefix/lib/libdycl.so.0" "$work/count.dycl" "$build/backends"
"$work/build/loading" "$work/prefix/lib/libdycl.so.0" "$work/count.dycl" "$build/backends"
"$work/build/choose_c" "$work/choose.dycl"
shown=$("$work/prefix/bin/dycl" run "$work/choose.dycl" --input x=1xi64=3 --input flag=bool=true)
test "$shown" = "x: i64[1] = [3]
deep.0: 5
deep.1: True" || { echo "dycl run showed: $shown"; exit 1; }

# What `dycl emit` writes is built against the installed package, as its README says.
cp "$build/backends/libdycl_backend_skeleton.so" "$work/prefix/lib/dycl/"
"$work/prefix/bin/dycl" emit "$work/count.dycl" -o "$work/emitted" -q --input x=1xi64=1 --input step=1xi64=2 \
  --input limit=1xi64=9
cmake -S "$work/emitted" -B "$work/emitted/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DBUILD_SHARED_LIBS=ON \
  > "$work/emitted.log" 2>&1 && cmake --build "$work/emitted/build" >> "$work/emitted.log" 2>&1 ||
  { cat "$work/emitted.log"; exit 1; }
shown=$(cd "$work/emitted" && build/count_example)
test "$shown" = "y: 8 bytes
history: 0 bytes" || { echo "the emitted example showed: $shown"; exit 1; }
# Once more, with the package in the program.
"$work/prefix/bin/dycl" emit "$work/count.dycl" -o "$work/whole" -q --embed
cmake -S "$work/whole" -B "$work/whole/build" -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/whole.log" 2>&1 &&
  cmake --build "$work/whole/build" >> "$work/whole.log" 2>&1 || { cat "$work/whole.log"; exit 1; }
rm "$work/whole/count.dycl"
test "$("$work/whole/build/count_example")" = "$shown" || { echo "the embedded package does not run"; exit 1; }
ctest --test-dir "$work/emitted/build" --output-on-failure > "$work/emitted.log" 2>&1 ||
  { cat "$work/emitted.log"; exit 1; }
