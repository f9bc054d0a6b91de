#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup_debian.sh GROUP…: makes sure that the Debian packages of these groups are there (see
# debian_packages.txt). Installs what is missing when it may, else prints the one line to run.
source "$(dirname "$0")/common.sh"

wanted() {
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group { print $2 }' scripts/debian_packages.txt
  done
}

installed() {
  [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

may_install() { [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; }

if ! command -v dpkg-query >/dev/null; then
  echo "not a Debian machine: assuming that these are there: $(wanted "$@" | tr '\n' ' ')"
  exit 0
fi

missing=()
for package in $(wanted "$@"); do
  installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} == 0 ]] && exit 0

if may_install; then
  say "installing Debian packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  for package in "${missing[@]}"; do
    [[ $package == *:* ]] && dpkg --add-architecture "${package##*:}"
  done
  apt-get update -qq </dev/null
  apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
else
  die "these Debian packages are missing; run
  sudo apt-get install -y --no-install-recommends ${missing[*]}"
fi
