#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [--all]: one build, then the quick tests and lint; --all adds the long suites and ends with
# the table of tests/floors.toml, in which a skip counts as a failure.
source "$(dirname "$0")/common.sh"
source scripts/stages.sh

long=${1:-}
reports=build/reports
mkdir -p "$reports"
rm -f "$reports"/*.xml

cpp_tests() {
  ctest --test-dir build/release --output-on-failure --parallel "$jobs" --no-tests=error \
    --output-junit "$PWD/$reports/cpp.xml"
}

# Each worker runs backends with threads of their own: one worker per core is plenty.
python_tests() {
  local only=(-m "not long")
  [[ $long == --all ]] && only=()
  "$venv/bin/python" -m pytest -q --numprocesses "$jobs" --junit-xml "$reports/python.xml" "${only[@]}" tests
}

say "build"
scripts/build.sh --tests
# Packages whose models are compiled as they are; torch and numpy stay what they are.
packages=scripts/requirements-packages-quick.txt
[[ $long == --all ]] && packages=scripts/requirements-packages.txt
if [[ $long == --all ]]; then
  scripts/setup_debian.sh sanitize  # emitted programs are compiled with clang, too
  scripts/cross_aarch64.sh
  command -v go >/dev/null || scripts/setup_debian.sh go
fi
"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r "$packages"
stage "C++ tests" cpp_tests
stage "Python tests" python_tests
stage "lint" scripts/lint.sh
if [[ $long == --all ]]; then
  stage "Go" tests/install/go/run.sh "$PWD/build/release" build/release/dycl_install_fixture
  stage "floors" "$venv/bin/python" scripts/check_floors.py "$reports" tests/floors.toml
  finish "make test-all"
else
  finish "make test"
fi
