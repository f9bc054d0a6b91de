#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SECONDS: builds the libFuzzer targets (*_fuzzer) and runs each for so long from its seed corpus
# tests/fuzz/corpus/<name without _fuzzer>. FUZZ_SEED makes a run repeatable (0: another one each time).
# New inputs stay in build/fuzz/corpus, a crash in build/fuzz.
source "$(dirname "$0")/common.sh"

seconds=${1:-20}
build=build/asan  # which the sanitizer's tests share
found=build/fuzz
scripts/setup_debian.sh build test sanitize
scripts/setup_venv.sh

cmake --preset asan >/dev/null
mapfile -t targets < <(cd tests/fuzz && ls -- *_fuzzer.cpp | sed 's/\.cpp$//')
[[ ${#targets[@]} != 0 ]] || die "no fuzz target was found"
cmake --build "$build" --target "${targets[@]}"

# 0: nothing was found.
fuzz() {
  local target=$1 name=${1%_fuzzer}
  mkdir -p "$found/corpus/$name"
  "$build/$target" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$found/$target-" "$found/corpus/$name" "tests/fuzz/corpus/$name" \
    >"$found/$target.log" 2>&1
}

# A clock that jumps or a machine that stands still looks like an input that takes ten seconds, yet passes alone;
# and the sanitizer itself may give up, which blames no input. Any other finding is one, even if it passes alone.
blames_the_machine() {
  local input
  input=$(sed -n 's/.*Test unit written to //p' "$found/$1.log" | tail -n 1)
  [[ -z $input ]] || { [[ $input == *-timeout-* ]] && "$build/$1" -timeout=10 "$input" >/dev/null 2>&1; }
}

failures=()
for target in "${targets[@]}"; do
  [[ -d tests/fuzz/corpus/${target%_fuzzer} ]] || die "$target has no seed corpus"
  say "$target for $seconds s"
  if ! fuzz "$target"; then
    { blames_the_machine "$target" && say "no input is to blame: once more" && fuzz "$target"; } || failures+=("$target")
  fi
  tail -n 6 "$found/$target.log"
done

# Last, so that whoever reads the end of a long log sees what was found, and with which input.
for target in "${failures[@]}"; do
  say "$target FAILED; its whole log is $found/$target.log"
  grep -m 1 -A 30 -E '^==[0-9]+==|runtime error|^ALARM' "$found/$target.log" || tail -n 40 "$found/$target.log"
  grep -E 'Test unit written|^Base64' "$found/$target.log" || true
done
[[ ${#failures[@]} == 0 ]] || die "${#failures[@]} of ${#targets[@]} fuzzers FAILED: ${failures[*]}"
