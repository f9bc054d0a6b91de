# SPDX-License-Identifier: Apache-2.0
"""check(): a compiled program against eager, on values, structure, exceptions, decisions and edges."""

import contextlib
import copy
import os
from dataclasses import dataclass, field
from typing import Any

import dycl
import torch
from python.torch.case import Call, Case, as_call
from python.torch.compare import differences
from python.torch.decisions import Decision, Recorder
from torch.utils._pytree import tree_map_only

CONVERSIONS: dict[str, Any] = {"bool": bool, "int": int, "float": float}


class Undecided(AssertionError):  # noqa: N818 - neither passed nor failed
    """An input puts a comparison so close to its threshold that nothing follows from its outcome."""


@dataclass
class Eager:
    """What eager did on one input."""

    result: Any = None
    error: Exception | None = None
    decisions: list[Decision] = field(default_factory=list)


def run_eager(model: Any, call: Call, tolerance: float) -> Eager:
    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    run = Eager()
    with torch.no_grad(), Recorder([args, kwargs], tolerance) as recorder:
        try:
            run.result = model(*args, **kwargs)
        except Exception as error:
            run.error = error
    run.decisions = recorder.decisions
    return run


def check(
    model: Any,
    inputs: list[Any],
    *,
    kwargs: dict[str, Any] | None = None,
    example: Any = None,
    tolerance: float = 1e-5,
    every_path: bool = True,
    may_lack: bool = False,
    unreachable: int = 0,
    **options: Any,
) -> Any:
    """Compiles with the example (default: the first input) and compares on every input. Gives the program."""
    calls = [as_call(value) for value in inputs]
    calls = [Call(call.args, {**(kwargs or {}), **call.kwargs}) for call in calls]
    first = calls[0] if example is None else as_call(example)
    program = dycl.compile(model, first.args, first.kwargs or None, **options)
    judge = Judge(model, program, tolerance, may_lack)
    for number, call in enumerate(calls):
        judge.compare(call, f"input {number}")
    if every_path:
        judge.look_for_missed_edges(first, unreachable)
        assert len(judge.missed()) == unreachable, (
            f"{len(judge.missed())} edges are not taken, {unreachable} cannot be: {judge.missed()} of\n{program.hcfg}"
        )
    return program


@dataclass
class Judge:
    """Runs a model and its program side by side, and remembers the edges that were taken."""

    model: Any
    program: Any
    tolerance: float
    may_lack: bool
    taken: set[Any] = field(default_factory=set)

    def compare(self, call: Call, where: str) -> None:
        eager = run_eager(self.model, call, self.tolerance)
        undecided = [decision.shown() for decision in eager.decisions if decision.undecided]
        if undecided:
            raise Undecided(f"{where}: {undecided}")
        trace = _compare_values(self.program, call, eager, self.tolerance, where)
        problem = decisions_differ(list(trace.decisions), eager.decisions, self.tolerance, self.may_lack)
        assert problem is None, f"{where}: {problem}"
        self.taken |= set(trace.edges)

    def missed(self) -> list[Any]:
        return sorted(set(self.program.edges) - self.taken)

    def look_for_missed_edges(self, example: Call, unreachable: int) -> None:
        """Unrolled loops have more edges than people think of: random inputs of the same types find them."""
        generator = torch.Generator().manual_seed(0)
        for attempt in range(400):
            if len(self.missed()) <= unreachable:
                return
            args, kwargs = tree_map_only(
                torch.Tensor, lambda t: _another(t, generator), (example.args, example.kwargs)
            )
            with contextlib.suppress(Undecided):
                self.compare(Call(args, kwargs), f"random input {attempt}")


POOL = torch.tensor([-9.0, -4.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0])


def _another(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if tensor.dtype == torch.bool:
        return torch.rand(tensor.shape, generator=generator) < 0.5
    if not tensor.is_floating_point():
        return torch.randint(-4, 9, tensor.shape, generator=generator).to(tensor.dtype)
    return POOL[torch.randint(len(POOL), tensor.shape, generator=generator)].to(tensor.dtype)


def check_case(case: Case, **options: Any) -> Any:
    calls: list[Any] = list(case.calls)
    return check(
        case.build(),
        calls,
        example=case.example,
        tolerance=case.tolerance,
        every_path=case.every_path,
        may_lack=case.may_lack,
        unreachable=case.unreachable,
        **options,
    )


def _compare_values(program: Any, call: Call, eager: Eager, tolerance: float, where: str) -> Any:
    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    trace = program.trace(*args, **kwargs)  # what it raised is kept in it, as is the result
    error = trace.error
    if eager.error is not None or error is not None:
        ours, theirs = _shown(error), _shown(eager.error)
        assert ours == theirs, f"{where}: raised {ours}, should have raised {theirs}"
    else:
        found = list(differences(trace.result, eager.result, tolerance))
        assert not found, f"{where}: " + "; ".join(found)
    return trace


def _shown(error: Exception | None) -> str:
    return "nothing" if error is None else f"{type(error).__name__}: {error}"


def flat(kind: str, value: Any) -> list[tuple[str, Any]]:
    """A list that is read counts as its elements, as the program reads them."""
    if isinstance(value, list):
        return [entry for element in value for entry in flat(kind, element)]
    return [(kind, value)]


def decisions_differ(
    ours: list[Any], eager: list[Decision], tolerance: float, may_lack: bool = False
) -> str | None:
    """Ours must be eager's in order; reads of eager's that nothing depends on may be missing."""
    wanted = [(decision, *entry) for decision in eager for entry in flat(decision.kind, decision.value)]
    position = 0
    for file, line, kind, value in ours:
        while position < len(wanted):
            decision, wanted_kind, wanted_value = wanted[position]
            position += 1
            if _same_read((file, line, kind, value), decision, wanted_kind, wanted_value, tolerance):
                break
            if _must_be_taken(decision) and not may_lack:
                return f"{os.path.basename(file)}:{line}: {kind} = {value}, but eager had {decision.shown()}"
        else:
            return f"{os.path.basename(file)}:{line}: {kind} = {value} is no decision of eager's"
    left = [decision.shown() for decision, *_ in wanted[position:] if _must_be_taken(decision)]
    if may_lack:
        return None
    return f"eager went on to decide {left}" if left else None


def _must_be_taken(decision: Decision) -> bool:
    return decision.kind == "bool" and decision.from_input and not decision.by_call


def _same_read(
    ours: tuple[str, int, str, Any], decision: Decision, kind: str, value: Any, tolerance: float
) -> bool:
    file, line, our_kind, our_value = ours
    if our_kind in CONVERSIONS:  # the program reads the element, then converts it
        our_value = CONVERSIONS[our_kind](our_value)
    if os.path.realpath(file) != os.path.realpath(decision.file) or line != decision.line or our_kind != kind:
        return False
    return not list(differences(our_value, value, tolerance))
