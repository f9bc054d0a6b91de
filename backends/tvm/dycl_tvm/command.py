# SPDX-License-Identifier: Apache-2.0
"""python -m dycl.workers dycl_tvm tune NET.dycl: searches good schedules for a program's operators.
Programs that are compiled for tvm afterwards use what was found."""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import onnx

from dycl_tvm import build, convert, tuning, weights
from dycl_tvm.database import database_folder, open_database

BAR = 20  # characters


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m dycl.workers dycl_tvm", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    tune = commands.add_parser("tune", help="tune the operators of a program")
    tune.add_argument("package", help="a program, compiled for any backend")
    tune.add_argument("--trials", type=int, default=64, help="candidates per operator (default: 64)")
    given = parser.parse_args(arguments)
    if given.trials < 1:
        parser.error("--trials must be at least 1")
    return tune_package(given.package, given.trials)


def tune_package(package: str, trials: int) -> int:
    target = build.host_target()
    database = open_database(target, create=True)
    tasks = tuning.tasks_of(lowered_subnets(package, target), target, database)
    print(f"{len(tasks)} operators to tune, {trials} trials each; results go to {database_folder(target)}")
    tuning.tune(tasks, target, database, trials, _show)
    if tasks and sys.stderr.isatty():
        print(file=sys.stderr)
    return 0


def lowered_subnets(package: str, target: Any) -> Iterator[Any]:
    """Those that TVM takes; the program may be compiled for another backend."""
    with zipfile.ZipFile(package) as entries:
        names = [name for name in entries.namelist() if name.endswith("/graph.onnx")]
        for name in names:
            model = onnx.ModelProto.FromString(entries.read(name))
            outside = [
                t.name for t in model.graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL
            ]
            weights.weights_as_inputs(model, outside)
            try:
                yield build.lower(convert.to_relax(model), target)
            except convert.Refused as refused:
                print(f"{name} is left out: {refused}", file=sys.stderr)


def _show(done: int, total: int, text: str, finished: bool) -> None:
    """A bar on a terminal; elsewhere a line for each operator."""
    told = f"trial {done} of {total}: {text}"
    if sys.stderr.isatty():
        full = BAR * done // max(total, 1)
        print(f"\r\x1b[K[{'#' * full}{'.' * (BAR - full)}] {told}", end="", file=sys.stderr, flush=True)
    elif finished:
        print(told, file=sys.stderr, flush=True)
