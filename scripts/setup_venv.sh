#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup_venv.sh [--before-torch]: makes .venv with the pinned Python packages of requirements*.txt; does nothing
# when it is up to date. --before-torch stops with what the C++ build needs: torch takes as long as the build.
source "$(dirname "$0")/common.sh"

python=${PYTHON:-python3}
stamp=$venv/.requirements

command -v "$python" >/dev/null || die "no $python on the PATH: DyCL needs Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  die "DyCL needs Python 3.11 or newer, but $python is $("$python" -V 2>&1); set PYTHON=/path/to/python3"

# Debian splits these out of its python3 package; other builds of Python have them.
debian_python_package() {
  local package=$1
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt-get update -qq </dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" </dev/null
  else
    die "$python cannot do without the Debian package $package; run
  sudo apt-get install -y $package"
  fi
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || debian_python_package python3-venv
"$python" -c 'import os, sysconfig, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
  debian_python_package python3-dev

wanted=$(cat scripts/requirements*.txt | sha256sum | cut -d' ' -f1)
[[ -x $venv/bin/python && -f $stamp && $(cat "$stamp") == "$wanted" ]] && exit 0

say "setting up $venv with $("$python" -V)"
[[ -d $venv ]] || need_space 7 "$venv (torch and its libraries among others)"
[[ -x $venv/bin/python ]] || "$python" -m venv "$venv"
pip=("$venv/bin/python" -m pip install -q --disable-pip-version-check)
"${pip[@]}" -r scripts/requirements.txt </dev/null
[[ ${1:-} == --before-torch ]] && exit 0
# One by one: at once, pip would keep gigabytes of archives beside what it unpacks from them.
grep -v '^#' scripts/requirements-torch.txt | while read -r package; do
  "${pip[@]}" --no-deps "$package" </dev/null
done
"$venv/bin/python" -c 'import torch' || die "torch does not load with the libraries of scripts/requirements-torch.txt"
echo "$wanted" >"$stamp"
