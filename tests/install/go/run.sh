#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_FOLDER FIXTURE_PROGRAM: builds count.go against the libdycl of a build folder, and runs it on a
# package that FIXTURE_PROGRAM writes.
set -eu
build=$1
fixture=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$fixture" "$work/count.dycl" "$work/count.onnx" "$work/choose.dycl"
export CGO_ENABLED=1 GO111MODULE=off GOCACHE="$work/cache" GOFLAGS=
export CGO_CFLAGS="-I$here/../../../include" CGO_LDFLAGS="-L$build -ldycl -Wl,-rpath,$build"
go build -o "$work/count" "$here/count.go"
shown=$("$work/count" "$work/count.dycl" "$build/backends")
test "$shown" = "[21 28 35 42 49 56 63 70]" || { echo "the program in Go showed: $shown"; exit 1; }
