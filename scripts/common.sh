# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: strict mode, the repository as current folder, a few words to say.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
jobs=${JOBS:-$(nproc)}
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# need_space GIB WHAT: stops before a long download or build would, halfway and less clearly.
need_space() {
  local free
  free=$(df --output=avail --block-size=1M . | tail -1)
  ((free >= $1 * 1024)) || die "$2 needs $1 GiB of disk in $PWD, and $((free / 1024)) GiB are free; make room there"
}

# One hash over the contents and names of the files below the given paths.
hash_of() {
  { find "$@" -type f -not -path '*/__pycache__/*' -print0 2>/dev/null || true; } | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}
