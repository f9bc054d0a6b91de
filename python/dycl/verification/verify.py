# SPDX-License-Identifier: Apache-2.0
"""Compares a compiled program with the model that it was compiled from."""

from __future__ import annotations

import copy
import linecache
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dycl.errors import Error, ModelError, UsageError
from dycl.verification.report import InputReport, Report
from dycl.verification.sequence import Call, Position

if TYPE_CHECKING:
    from dycl.api import Program, Trace
    from dycl.verification.eager import Decision, Eager
    from dycl.verification.subnets import Edge, Reference


def verify(
    program: Program,
    model: Any,
    inputs: Any,
    *,
    tolerance: float = 1e-5,
    search: float | None = 10.0,
    seed: int = 0,
) -> Report:
    """Runs the program and the model on every input. Results must agree within `tolerance`
    (max|a-b| / max(1, max|b|)); structure, exceptions and the order and outcome of decisions must be equal.

    `inputs` is a list; an element is one argument, a tuple of arguments, or `dycl.Call(args, kwargs)`.
    If they do not take every edge of the program's graph, `verify` searches up to `search` seconds for inputs
    that do, and forces the edges that remain. It compares each sub-DNN with its operations, run one by one.
    `search=None` does none of this. A difference raises nothing: `report.ok` says it, and `report.check()`
    raises.

    For a program with state, `inputs` are one sequence of calls. The program is reset before and afterwards,
    and a copy of `model` is called beside it; `model` must be as it was when it was compiled.
    """
    from dycl.calls.needs import require_torch

    require_torch()
    if isinstance(inputs, Call) or not isinstance(inputs, Iterable) or hasattr(inputs, "dtype"):
        inputs = [inputs]
    verification = _Verification(program, model, tolerance, seed)
    for value in inputs:
        verification.add(_as_call(value))
    if search is not None:
        verification.search(search, seed)
    report = verification.report(look_inside=search is not None)
    verification.end()
    return report


@dataclass
class _Run:
    call: Call
    before: tuple[Call, ...]  # the calls since the state was reset; empty for a program without state
    eager: Eager
    trace: Trace
    arguments: Any  # the arguments after the call, which may have written to them
    found: bool = False

    @property
    def ran(self) -> bool:
        """Whether the program ran, rather than refused inputs that do not fit."""
        return bool(self.trace.edges) or self.trace.error is None


class _Verification:
    def __init__(self, program: Program, model: Any, tolerance: float, seed: int) -> None:
        import torch

        self._program = program
        self._random = torch.Generator().manual_seed(seed)
        self._given_model = self._model = model
        self._tolerance = tolerance
        self._runs: list[_Run] = []
        self._left_out: dict[str, None] = {}
        self._keeps = bool(program.states)
        self._ours = Position(program.reset, partial(_trace, program))
        self._theirs = Position(self._reset_model, self._eager)

    def add(self, call: Call) -> None:
        call = self._with_draws(call)
        before = tuple(run.call for run in self._runs) if self._keeps else ()
        trace, arguments = self._traced(before, call)
        self._runs.append(_Run(call, before, self._eager_behind(before, call), trace, arguments))

    def search(self, seconds: float, seed: int) -> None:
        """Searches for inputs that take missing edges. An input that is undecided does not count."""
        from dycl.verification.eager import Eager
        from dycl.verification.search import Search

        search = Search(self._program, seed)
        for run in self._runs:
            if run.ran:
                search.add(run)

        def attempt(before: tuple[Call, ...], call: Call) -> _Run | None:
            call = self._with_draws(call)
            trace, arguments = self._traced(before, call)
            return _Run(call, before, Eager(), trace, arguments, found=True) if trace.edges else None

        for run in search.run(seconds, attempt):
            run.eager = self._eager_behind(run.before, run.call)
            if not any(decision.undecided for decision in run.eager.decisions):
                self._runs.append(run)
                search.add(run)

    def end(self) -> None:
        if self._keeps:
            self._program.reset()

    def _reset_model(self) -> None:
        if self._keeps:
            self._model = _copied(self._given_model)

    def _traced(self, before: tuple[Call, ...], call: Call) -> tuple[Trace, Any]:
        self._ours.go_behind(before)
        result = _trace(self._program, call)
        if self._keeps:
            self._ours.has_made(call)
        return result

    def _eager_behind(self, before: tuple[Call, ...], call: Call) -> Eager:
        self._theirs.go_behind(before)
        result = self._eager(call)
        if self._keeps:
            self._theirs.has_made(call)
        return result

    def _eager(self, call: Call) -> Eager:
        from dycl.verification.eager import Drawn, run_eager

        drawn = Drawn(self._program.draws, call.draws) if call.draws is not None else None
        return run_eager(self._model, call.args, call.kwargs, self._tolerance, drawn)

    def _with_draws(self, call: Call) -> Call:
        """The program and eager are given the same random numbers."""
        if not self._program.draws or call.draws is not None:
            return call
        try:
            drawn = self._program.draw(call.args, call.kwargs, generator=self._random)
        except Error:  # the arguments do not fit, as the run will say
            return call
        return replace(call, draws=drawn)

    def report(self, look_inside: bool) -> Report:
        places = {_place(read[0], read[1]) for run in self._runs for read in run.trace.decisions}
        reports = [self._compare_run(run, places) for run in self._runs]
        taken = Counter(dict.fromkeys(self._program.edges, 0))
        ways: dict[Edge, str] = {}
        for run in self._runs:
            taken.update(run.trace.edges)
            for edge in run.trace.edges:
                ways.setdefault(edge, "found" if run.found else "given")
        missed = [edge for edge, count in taken.items() if not count]
        reference = self._reference(missed, reports) if look_inside else None
        for edge in missed:
            ways[edge] = "forced" if reference is not None and edge in reference.forced else "never"
        name = getattr(self._model, "__qualname__", type(self._model).__qualname__)
        report = Report(name, self._tolerance, reports, dict(taken), _not_taken(self._program, taken),
                        list(self._left_out), {edge: ways[edge] for edge in taken})  # fmt: skip
        if reference is not None:
            report.subnets, report.problems = reference.subnets, reference.problems
        return report

    def _reference(self, missed: list[Edge], reports: list[InputReport]) -> Reference:
        from dycl.verification.subnets import Reference

        reference = Reference(self._program, self._tolerance)
        decided = [run for run, report in zip(self._runs, reports) if run.ran and not report.undecided]
        reference.follow(decided)
        reference.force(missed, decided)
        return reference

    def _compare_run(self, run: _Run, places: set[tuple[str, int]]) -> InputReport:
        """Compares one input. `places` says where the program decides, on any of the inputs."""

        def is_left_out(decision: Decision) -> bool:
            """Whether the program never takes this decision. If it mattered, the results would differ."""
            lacks = _place(decision.file, decision.line) not in places
            if lacks:
                self._left_out[f"{os.path.basename(decision.file)}:{decision.line}"] = None
            return lacks

        compared = _compare(run, self._tolerance, is_left_out)
        return replace(compared, found=run.found, follows=len(run.before))


def _as_call(value: Any) -> Call:
    if hasattr(value, "args") and hasattr(value, "kwargs"):
        return Call(tuple(value.args), dict(value.kwargs), getattr(value, "draws", None))
    return Call(value if type(value) is tuple else (value,))


def _trace(program: Program, call: Call) -> tuple[Trace, Any]:
    """Runs one call of the program, and keeps the arguments as the program left them."""
    import torch

    from dycl.api import Trace

    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    try:
        with torch.no_grad():  # which eager is compared under
            return program._trace(program._feeds(args, kwargs, call.draws)), (args, kwargs)
    except Exception as error:  # refused before it ran: the inputs do not fit
        return Trace(None, error, [], {}), (args, kwargs)


def _copied(model: Any) -> Any:
    try:
        return copy.deepcopy(model)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"a model with state is verified on a copy, but it cannot be copied: {why}",
            code="verify.not_copied",
            hint="call it under torch.no_grad(), so that it keeps plain tensors",
        ) from None


def _compare(run: _Run, tolerance: float, may_lack: Any) -> InputReport:
    from dycl.verification.compare import Comparison
    from dycl.verification.eager import decisions_differ

    eager, trace = run.eager, run.trace
    comparison = Comparison(tolerance)
    problems = comparison.problems
    if eager.error is not None or trace.error is not None:
        ours, theirs = _describe(trace.error), _describe(eager.error)
        if ours != theirs:
            problems.append(f"raised {ours}, should have raised {theirs}")
    else:
        comparison.compare(trace.result, eager.result)
        comparison.compare_arguments(run.arguments, eager.arguments)
    found = decisions_differ(trace.decisions, eager.decisions, tolerance, may_lack)
    if found is not None:
        problems.append(f"decisions: {found}")
    undecided = [
        f"{decision.shown()} is closer to its threshold than {tolerance:.0e}"
        for decision in eager.decisions
        if decision.undecided
    ]
    return InputReport(problems, undecided, comparison.error, len(trace.decisions))


def _not_taken(program: Program, taken: Mapping[Edge, int]) -> list[str]:
    """Returns one text per outcome of a line, since a line in a loop has many edges. Leaves out outcomes
    that only follow from others."""
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


def _describe(error: BaseException | None) -> str:
    if isinstance(error, Error) and not isinstance(error, ModelError):  # the other lines are hints
        shown = error.message if error.code == "run.draws_used_up" else str(error).splitlines()[0]
        return f"{type(error).__name__}: {shown}"
    return "nothing" if error is None else f"{type(error).__name__}: {error}"
