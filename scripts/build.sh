#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [--tests]: one CMake build in build/release gives the native dycl and the wheel, which is installed
# into .venv; --tests adds the C++ tests and the benchmarks. Nothing happens when no source changed since.
source "$(dirname "$0")/common.sh"

build=build/release
product=(CMakeLists.txt pyproject.toml README.md LICENSE cmake include src backends bindings python
  scripts/requirements.txt scripts/build.sh scripts/generate_operator_versions.py)
beside=(benchmarks/CMakeLists.txt benchmarks/cpp tests/CMakeLists.txt tests/conformance tests/cpp tests/install)
tests=OFF
[[ ${1:-} == --tests ]] && tests=ON

# fresh STAMP SOURCE…: the sources are those that were built when the stamp was made.
fresh() { [[ -x $build/dycl && -f $1 && $(cat "$1") == "$(hash_of "${@:2}")" ]]; }
is_built() {
  fresh "$venv/.built_product" "${product[@]}" && { [[ $tests == OFF ]] || fresh "$venv/.built_tests" "${beside[@]}"; }
}

if [[ $tests == ON ]]; then
  scripts/setup_debian.sh build test
else
  scripts/setup_debian.sh build
fi
# torch is downloaded and unpacked while the compiler runs, which does not need it.
scripts/setup_venv.sh --before-torch
scripts/setup_venv.sh >/dev/null &
torch=$!
trap 'kill "$torch" 2>/dev/null || true' EXIT
if is_built; then
  wait "$torch"
  echo "$build is up to date"
  exit 0
fi

say "building $build (native dycl, wheel$([[ $tests == ON ]] && echo ", C++ tests, benchmarks"))"
rm -f "$venv"/.built_*
# What is edited while the compiler runs may not be in the build: the stamps say what was there before.
hash_of "${product[@]}" >"$venv/.building_product"
hash_of "${beside[@]}" >"$venv/.building_tests"
"$venv/bin/pip" install --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall -v \
  --config-settings=build-dir="$build" \
  --config-settings=cmake.define.DYCL_BUILD_TESTS="$tests" \
  --config-settings=cmake.define.DYCL_BUILD_BENCHMARKS="$tests" \
  --config-settings=cmake.define.DYCL_WARNINGS_AS_ERRORS=ON \
  . </dev/null
wait "$torch"
mv "$venv/.building_product" "$venv/.built_product"
[[ $tests == ON ]] && mv "$venv/.building_tests" "$venv/.built_tests"
echo "built: $build/dycl and the package dycl in $venv"
