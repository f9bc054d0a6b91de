#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One CMake build in build/release gives the native dycl, the C++ tests and the wheel, which is
# installed into .venv. Nothing happens when no source changed since.
source "$(dirname "$0")/common.sh"

build=build/release
stamp=$venv/.dycl_sources

scripts/setup_debian.sh build test
scripts/setup_venv.sh

sources=(CMakeLists.txt pyproject.toml README.md LICENSE cmake include src backends bindings python
  benchmarks/CMakeLists.txt benchmarks/cpp tests/CMakeLists.txt tests/conformance
  tests/cpp tests/install scripts/requirements.txt scripts/build.sh
  scripts/generate_operator_versions.py)
wanted=$(hash_of "${sources[@]}")
if [[ -x $build/dycl && -f $stamp && $(cat "$stamp") == "$wanted" ]]; then
  echo "$build is up to date"
  exit 0
fi

say "building $build (native dycl, C++ tests, wheel)"
rm -f "$stamp"
"$venv/bin/pip" install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall -v \
  --config-settings=build-dir="$build" \
  --config-settings=cmake.define.DYCL_BUILD_TESTS=ON \
  --config-settings=cmake.define.DYCL_BUILD_BENCHMARKS=ON \
  --config-settings=cmake.define.DYCL_WARNINGS_AS_ERRORS=ON \
  . </dev/null
echo "$wanted" >"$stamp"
echo "built: $build/dycl and the package dycl in $venv"
