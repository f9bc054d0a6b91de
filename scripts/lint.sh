#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting, types and the rules of tests/lint. lint.sh --fix formats instead of complaining.
source "$(dirname "$0")/common.sh"

scripts/setup_debian.sh lint
scripts/setup_venv.sh

mapfile -t cpp < <(find include src backends bindings tests benchmarks examples \
  \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.c' \) -not -path '*/build/*' | LC_ALL=C sort)
python=(python backends src/partial_eval/prelude tests benchmarks examples scripts zoo)

if [[ ${1:-} == --fix ]]; then
  clang-format-19 -i "${cpp[@]}"
  "$venv/bin/ruff" check --quiet --fix "${python[@]}"
  "$venv/bin/ruff" format --quiet "${python[@]}"
  exit 0
fi

failed=0
step() {
  local title=$1
  shift
  say "$title"
  "$@" || failed=1
}
step "clang-format" clang-format-19 --dry-run --Werror "${cpp[@]}"
step "ruff check" "$venv/bin/ruff" check "${python[@]}"
step "ruff format" "$venv/bin/ruff" format --check "${python[@]}"
step "mypy" "$venv/bin/mypy"
step "tests/lint" "$venv/bin/python" -m pytest -q tests/lint
exit $failed
