# SPDX-License-Identifier: Apache-2.0
# Sourced by the test scripts: run named stages to the end, then say which of them failed.
summary=()
failures=0

stage() {
  local title=$1 start=$SECONDS verdict=ok
  shift
  say "$title"
  if ! "$@"; then
    verdict=FAILED
    failures=$((failures + 1))
  fi
  summary+=("$(printf '%-8s %-34s %5d s' "$verdict" "$title" $((SECONDS - start)))")
}

finish() {
  say "summary of $1"
  printf '%s\n' "${summary[@]}"
  if [[ $failures != 0 ]]; then
    echo "$1: $failures of ${#summary[@]} stages FAILED"
    exit 1
  fi
  echo "$1: all ${#summary[@]} stages passed"
}
