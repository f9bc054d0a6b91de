# SPDX-License-Identifier: Apache-2.0
"""What DyCL makes of a model on one backend, and how it compares with eager."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dycl
import torch

from zoo import Entry
from zoo.flat import leaves, prediction

# The bounds of the error against eager in f32.
TOLERANCES = {"onnxruntime": 1e-5, "openvino": 1e-5, "tvm": 5e-5, "aot_inductor": 5e-5}
# Which edges of the graph no input can take: checks that hold by the model's own construction.
CANNOT_BE_TAKEN = {
    "moe_top1": "a best expert that is none of the experts",
    "point_prune": "a mask of another size than its points; a mean over no points",
}


def backends() -> list[str]:
    """The installed ones that can be used."""
    command = [sys.executable, "-m", "dycl", "backends", "--json"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [one["name"] for one in listed if one["usable"] and one["name"] in TOLERANCES]


@contextmanager
def quiet() -> Iterator[None]:
    """Eager leaves attributes behind on some models, which compile() says each time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compiled(model: Any, call: tuple[Any, ...], backend: str, **options: Any) -> tuple[Any, dict[str, float]]:
    """The program, and the seconds that it took: by the clock, and of this process's processor time."""
    with quiet():
        start = time.perf_counter(), time.process_time()
        program = dycl.compile(model, call, backend=backend, threads=1, **options)
        taken = time.perf_counter() - start[0], time.process_time() - start[1]
        return program, {"seconds": taken[0], "cpu_seconds": taken[1]}


def eager_results(model: Any, calls: list[tuple[Any, ...]]) -> list[list[torch.Tensor]]:
    with torch.no_grad():
        return [leaves(model(*copy.deepcopy(call))) for call in calls]


def measure(
    entry: Entry,
    model: Any,
    backend: str,
    calls: list[tuple[Any, ...]],
    expected: list[list[torch.Tensor]],
) -> dict[str, Any]:
    """One row of the table; `expected` is what eager gives."""
    row: dict[str, Any] = {"model": entry.name, "backend": backend, "inputs": len(calls)}
    try:
        program, seconds = compiled(model, calls[0], backend)
    except dycl.Error as error:
        return {**row, "compiled": False, "refused": str(error).splitlines()[0]}
    report = dycl.verify(program, model, calls, tolerance=TOLERANCES[backend], search=None)
    paths = set()
    other = 0
    for call, wanted in zip(calls, expected):
        trace = program.trace(*copy.deepcopy(call))
        paths.add(tuple((line, value) for _, line, _, value in trace.decisions if isinstance(value, int)))
        other += prediction(leaves(trace.result)) != prediction(wanted)
    return {
        **row,
        **made_of(program),
        "compiled": True,
        **seconds,
        "ok": report.ok,
        "error": report.required_tolerance,
        "inconsistent": other / len(calls),
        "equal": sum(one.status == "equal" for one in report.inputs),
        "undecided": sum(one.status == "undecided" for one in report.inputs),
        "different": [one.problems for one in report.inputs if one.status == "different"][:3],
        "decisions": sum(one.decisions for one in report.inputs),
        "decisions_differ": sum("decisions:" in text for one in report.inputs for text in one.problems),
        "paths": len(paths),
        "edges": len(report.edges),
        "edges_taken": len(report.edges) - len(report.missed),
        "not_taken": report.not_taken,
    }


def made_of(program: Any) -> dict[str, Any]:
    stats = program.stats()
    return {
        "branches": len({outcome[:3] for outcome in program.outcomes.values()}),
        "places": len({edge[0] for edge in program.outcomes}),
        "subnets": stats["subnets"],
        "distinct": stats["distinct_subnets"],
    }
