#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tidy.sh [BASE]: clang-tidy on the C++ files that differ from BASE (default HEAD~1).
source "$(dirname "$0")/common.sh"

base=${1:-HEAD~1}
scripts/setup_debian.sh build test tidy
scripts/setup_venv.sh
cmake --preset dev >/dev/null
cmake --build build/dev --target onnx_schema >/dev/null
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'backends/*.cpp' 'tests/*.cpp')
[[ ${#changed[@]} == 0 ]] && { echo "no C++ file differs from $base"; exit 0; }
printf '%s\n' "${changed[@]}" | xargs -P "$jobs" -n 1 clang-tidy-19 -p build/dev --quiet --warnings-as-errors='*'
