#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SECONDS: builds the libFuzzer targets (*_fuzzer) and runs each for so long from its seed corpus
# tests/fuzz/corpus/<name without _fuzzer>. FUZZ_SEED makes a run repeatable (0: another one each time).
# New inputs stay in build/fuzz/corpus, a crash in build/fuzz.
source "$(dirname "$0")/common.sh"

seconds=${1:-20}
build=build/fuzz
scripts/setup_debian.sh build fuzz
scripts/setup_venv.sh

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DDYCL_BUILD_FUZZERS=ON -DDYCL_SANITIZE=address,undefined \
  -DPython_EXECUTABLE="$PWD/$venv/bin/python" >/dev/null
mapfile -t targets < <(cd tests/fuzz && ls -- *_fuzzer.cpp | sed 's/\.cpp$//')
[[ ${#targets[@]} != 0 ]] || die "no fuzz target was found"
cmake --build "$build" --target "${targets[@]}"

failed=0
for target in "${targets[@]}"; do
  say "$target for $seconds s"
  found=$build/corpus/${target%_fuzzer}
  seeds=tests/fuzz/corpus/${target%_fuzzer}
  mkdir -p "$found"
  [[ -d $seeds ]] || die "$target has no seed corpus $seeds"
  "$build/$target" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/$target-" "$found" "$seeds" 2>&1 | tail -n 12 || failed=1
done
exit $failed
