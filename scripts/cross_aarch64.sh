#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cross_aarch64.sh: builds the command, libdycl, and the plugin of onnxruntime for aarch64 in build/aarch64, and
# unpacks onnxruntime's wheel for that processor there. tests/python/zoo/test_aarch64.py runs them under qemu.
source "$(dirname "$0")/common.sh"

scripts/setup_debian.sh build cross
build=build/aarch64
if [[ ! -f $build/build.ninja ]]; then
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake \
    -DPython_EXECUTABLE="$PWD/$venv/bin/python" -DDYCL_BACKENDS=onnxruntime >/dev/null
fi
cmake --build "$build" --target dycl dycl_cli dycl-run dycl-launch dycl_backend_onnxruntime

wheel=$(grep -m1 '^onnxruntime==' scripts/requirements.txt)
if [[ ! -d $build/wheel/onnxruntime ]]; then
  say "downloading $wheel for aarch64"
  "$venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
    --python-version "$("$venv/bin/python" -c 'import sys; print("%d%d" % sys.version_info[:2])')" -d "$build" "$wheel"
  "$venv/bin/python" -m zipfile -e "$build"/onnxruntime-*.whl "$build/wheel"
fi
echo "built: $build"
