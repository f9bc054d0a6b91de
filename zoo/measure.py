# SPDX-License-Identifier: Apache-2.0
"""What DyCL makes of a model on one backend, and how it compares with eager."""

from __future__ import annotations

import copy
import json
import linecache
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dycl
import torch

from zoo import Entry, resources
from zoo.flat import leaves, prediction

# The bounds of the error against eager in f32.
TOLERANCES = {"onnxruntime": 1e-5, "openvino": 1e-5, "tvm": 5e-5, "aot_inductor": 5e-5}
# Outcomes that no input can take, by construction of the model: their line, what it decides, and why.
CANNOT_BE_TAKEN = {
    "moe_top1": {
        ("return x + scores[0, best] * self.experts[best](y), best", "no case"): "each score has its expert",
    },
    "point_prune": {
        ("kept = kept[keep]", "False"): "the mask is as long as what is kept: both shrink by it",
        ("return self.classifier(x.mean(dim=0, keepdim=True)), kept", "True"): "some points are always kept",
    },
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
    """The program, and the seconds that it took: by the clock, and of the processor (see resources)."""
    with quiet(), resources.empty_cache():
        clock = resources.Clock()
        program = dycl.compile(model, call, backend=backend, threads=1, **options)
        return program, clock.taken()


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
        if error.code == "backend.not_installed":
            raise
        return {**row, "compiled": False, "refused": str(error).splitlines()[0]}
    recorded = _Recorded(program)
    report = dycl.verify(recorded, model, calls, tolerance=TOLERANCES[backend], search=None)
    given = [prediction(leaves(trace.result)) for trace in recorded.traces]
    other = sum(one != prediction(wanted) for one, wanted in zip(given, expected, strict=True))
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
        "paths": len({_path(trace) for trace in recorded.traces}),
        "edges": len(report.edges),
        "edges_taken": len(report.edges) - len(report.missed),
        "edges_impossible": _impossible(entry, program, report.missed),
        "not_taken": report.not_taken,
    }


class _Recorded:
    """A program that keeps what each of its calls gave: verification runs every input, and once is enough."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self.traces: list[Any] = []

    def _trace(self, feeds: Any) -> Any:
        self.traces.append(self._program._trace(feeds))
        return self.traces[-1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)


def _path(trace: Any) -> tuple[Any, ...]:
    """What was decided, and where that led: of floats only the latter counts."""
    decided = tuple((line, value) for _, line, _, value in trace.decisions if isinstance(value, int))
    return decided, frozenset(trace.edges.items())


def _impossible(entry: Entry, program: Any, missed: list[tuple[int, ...]]) -> int:
    """How many of the edges lie behind an outcome that cannot be: theirs, and all that only they lead to."""
    known = CANNOT_BE_TAKEN.get(entry.name, {})
    found: set[tuple[int, ...]] = set()

    def cannot_be(edge: tuple[int, ...]) -> bool:
        if edge in program.outcomes:
            file, line, _, what = program.outcomes[edge]
            if (linecache.getline(file, line).strip(), what) in known:
                return True
        ways = [other for other in program.edges if other[1] == edge[0]]
        return bool(ways) and found.issuperset(ways)

    while more := {edge for edge in missed if edge not in found and cannot_be(edge)}:
        found |= more
    return len(found)


def made_of(program: Any) -> dict[str, Any]:
    stats = program.stats()
    return {
        "branches": len({outcome[:3] for outcome in program.outcomes.values()}),
        "places": len({edge[0] for edge in program.outcomes}),
        "subnets": stats["subnets"],
        "distinct": stats["distinct_subnets"],
    }
