# SPDX-License-Identifier: Apache-2.0
"""Holds a compiled program against the model that it was compiled from."""

from __future__ import annotations

import copy
import linecache
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dycl.errors import PathMismatch

if TYPE_CHECKING:
    from dycl.api import Program, Trace

    from dycl_tools.eager import Decision, Eager

_MARKS = {"equal": "✓", "different": "x", "undecided": "?"}


@dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass
class InputReport:
    """What was seen on one input."""

    problems: list[str]
    undecided: list[str]  # decisions closer to their threshold than the tolerance
    error: float  # largest max|a-b| / max(1, max|b|)
    decisions: int

    @property
    def status(self) -> str:
        return "undecided" if self.undecided else "different" if self.problems else "equal"


@dataclass
class Report:
    """`ok`: every input was decided, and equal. `edges` counts how often each edge of the HCFG was taken."""

    name: str
    tolerance: float
    inputs: list[InputReport]
    edges: dict[tuple[int, int], int]
    not_taken: list[str]  # outcomes of decisions behind the edges that no input took, by source line
    left_out: list[str]  # decisions of eager's that the program does not take, since nothing depends on them

    @property
    def ok(self) -> bool:
        return bool(self.inputs) and all(report.status == "equal" for report in self.inputs)

    @property
    def missed(self) -> list[tuple[int, int]]:
        """The edges that no input took."""
        return [edge for edge, count in self.edges.items() if not count]

    @property
    def required_tolerance(self) -> float:
        return max((report.error for report in self.inputs), default=0.0)

    def check(self) -> None:
        """Raises PathMismatch unless `ok`."""
        if not self.ok:
            raise PathMismatch(str(self), code="verify.different")

    def to_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "tolerance": self.tolerance,
            "required_tolerance": self.required_tolerance,
            "inputs": [{"status": report.status, **vars(report)} for report in self.inputs],
            "edges": [{"from": edge[0], "to": edge[1], "taken": n} for edge, n in self.edges.items()],
            "not_taken": self.not_taken,
            "left_out": self.left_out,
        }

    def __str__(self) -> str:
        lines = [f"{self.name} on {len(self.inputs)} inputs, against eager:"]
        for number, report in enumerate(self.inputs):
            lines.append(f"  -[{_MARKS[report.status]}] input {number}: {report.status}, {_detail(report)}")
            lines += [f"        {text}" for text in (*report.undecided, *report.problems)]
        needed, allowed = self.required_tolerance, self.tolerance
        mark = "✓" if needed <= allowed else "x"
        lines.append(f"  -[{mark}] required tolerance {needed:.1e}, allowed {allowed:.1e}")
        taken = len(self.edges) - len(self.missed)
        lines.append(f"  -[{'✓' if not self.missed else ' '}] {taken} of {len(self.edges)} edges taken")
        lines += [f"        {text}" for text in self.not_taken]
        lines += [
            f"        left out, since nothing depends on it: {text}" for text in self.left_out if self.ok
        ]
        return "\n".join(lines)

    __repr__ = __str__


def _detail(report: InputReport) -> str:
    return f"max diff {report.error:.1e}, {report.decisions} decisions"


def verify(program: Program, model: Any, inputs: Any, *, tolerance: float = 1e-5) -> Report:
    """Runs both on every input: results within `tolerance` (max|a-b| / max(1, max|b|)), structure, exceptions
    and the order and outcome of decisions must be equal.

    `inputs` is a list; an element is one argument, a tuple of arguments, or `dycl.Call(args, kwargs)`.
    Nothing is raised for what differs: `report.ok` says it, and `report.check()` raises.
    """
    from dycl_tools import eager

    if isinstance(inputs, Call) or not isinstance(inputs, Iterable) or hasattr(inputs, "dtype"):
        inputs = [inputs]
    calls = [_as_call(value) for value in inputs]
    runs = [
        (eager.run_eager(model, call.args, call.kwargs, tolerance), _trace(program, call)) for call in calls
    ]
    places = {_place(read[0], read[1]) for _, trace in runs for read in trace.decisions}
    left_out: dict[str, None] = {}

    def is_left_out(decision: Decision) -> bool:
        """Taken nowhere by the program; what hangs on it would differ in the results."""
        lacks = _place(decision.file, decision.line) not in places
        if lacks:
            left_out[f"{os.path.basename(decision.file)}:{decision.line}"] = None
        return lacks

    reports = [_compare(run, trace, tolerance, is_left_out) for run, trace in runs]
    taken = Counter(dict.fromkeys(program.edges, 0))
    for _, trace in runs:
        taken.update(trace.edges)
    name = getattr(model, "__qualname__", type(model).__qualname__)
    return Report(name, tolerance, reports, dict(taken), _not_taken(program, taken), list(left_out))


def _as_call(value: Any) -> Call:
    if hasattr(value, "args") and hasattr(value, "kwargs"):
        return Call(tuple(value.args), dict(value.kwargs))
    return Call(value if type(value) is tuple else (value,))


def _trace(program: Program, call: Call) -> Trace:
    from dycl.api import Trace

    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    try:
        return program.trace(*args, **kwargs)
    except Exception as error:  # refused before it ran: the inputs do not fit
        return Trace(None, error, [], {})


def _compare(run: Eager, trace: Trace, tolerance: float, may_lack: Any) -> InputReport:
    from dycl_tools.compare import Comparison
    from dycl_tools.eager import decisions_differ

    comparison = Comparison(tolerance)
    problems = comparison.problems
    if run.error is not None or trace.error is not None:
        ours, theirs = _shown(trace.error), _shown(run.error)
        if ours != theirs:
            problems.append(f"raised {ours}, should have raised {theirs}")
    else:
        comparison.compare(trace.result, run.result)
    found = decisions_differ(trace.decisions, run.decisions, tolerance, may_lack)
    if found is not None:
        problems.append(f"decisions: {found}")
    undecided = [
        f"{decision.shown()} is closer to its threshold than {tolerance:.0e}"
        for decision in run.decisions
        if decision.undecided
    ]
    return InputReport(problems, undecided, comparison.error, len(trace.decisions))


def _not_taken(program: Program, taken: Mapping[tuple[int, int], int]) -> list[str]:
    """One text per outcome of a line: a line in a loop has many edges. What only follows is left out."""
    edges: dict[tuple[str, int, int, str], list[int]] = {}
    for edge, outcome in program.outcomes.items():
        edges.setdefault(outcome, []).append(taken.get(edge, 0))
    texts = []
    for (file, line, _, decided), counts in edges.items():
        missed = counts.count(0)
        if missed:
            source = linecache.getline(file, line).strip().removesuffix(":")
            shown = f"{os.path.basename(file)}:{line}" + (f" `{source}`" if source else "")
            often = (
                "never taken" if missed == len(counts) else f"not taken in {missed} of {len(counts)} places"
            )
            texts.append(f"{shown}: {decided} {often}")
    return texts


def _place(file: str, line: int) -> tuple[str, int]:
    return os.path.realpath(file), line


def _shown(error: Exception | None) -> str:
    return "nothing" if error is None else f"{type(error).__name__}: {error}"
