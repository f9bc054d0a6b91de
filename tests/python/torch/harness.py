# SPDX-License-Identifier: Apache-2.0
"""check(): a compiled program against eager, on values, structure, exceptions, decisions and edges."""

import contextlib
import copy
from dataclasses import dataclass, field
from typing import Any

import dycl
import torch
from dycl.verification import eager
from dycl.verification.compare import differences
from dycl.verification.eager import Eager, decisions_differ
from python.torch.case import Call, Case, as_call
from torch.utils._pytree import tree_map_only


class Undecided(AssertionError):  # noqa: N818 - neither passed nor failed
    """An input puts a comparison so close to its threshold that nothing follows from its outcome."""


def run_eager(model: Any, call: Call, tolerance: float, draws: Any = ()) -> Eager:
    """`draws` says which lines take the random numbers of the call (Program.draws)."""
    drawn = eager.Drawn(draws, call.draws) if call.draws is not None else None
    return eager.run_eager(model, call.args, call.kwargs, tolerance, drawn)


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
    calls = [Call(call.args, {**(kwargs or {}), **call.kwargs}, call.draws) for call in calls]
    first = calls[0] if example is None else as_call(example)
    program = dycl.compile(model, first.args, first.kwargs or None, **options)
    judge = Judge(model, program, tolerance, may_lack)
    for number, call in enumerate(calls):
        judge.compare(call, f"input {number}")
    if every_path:
        judge.look_for_missed_edges([first, *calls], unreachable)
        missed = judge.missed()
        reason = f"{len(missed)} edges are not taken, {unreachable} cannot be: {missed}"
        assert len(missed) == unreachable, f"{reason} of\n{program.hcfg}"
    return program


@dataclass
class Judge:
    """Runs a model and its program side by side, and remembers the edges that were taken."""

    model: Any
    program: Any
    tolerance: float
    may_lack: bool
    taken: set[Any] = field(default_factory=set)
    random: Any = field(default_factory=lambda: torch.Generator().manual_seed(0))

    def compare(self, call: Call, where: str) -> None:
        if self.program.draws and call.draws is None:
            numbers = self.program.draw(call.args, call.kwargs, generator=self.random)
            call = Call(call.args, call.kwargs, numbers)
        expected = run_eager(self.model, call, self.tolerance, self.program.draws)
        undecided = [decision.shown() for decision in expected.decisions if decision.undecided]
        if undecided:
            raise Undecided(f"{where}: {undecided}")
        trace = _compare_values(self.program, call, expected, self.tolerance, where)
        problem = decisions_differ(
            trace.decisions, expected.decisions, self.tolerance, lambda decision: self.may_lack
        )
        assert problem is None, f"{where}: {problem}"
        self.taken |= set(trace.edges)

    def missed(self) -> list[Any]:
        return sorted(set(self.program.edges) - self.taken)

    def look_for_missed_edges(self, calls: list[Call], unreachable: int) -> None:
        """Unrolled loops have more edges than people think of: random inputs of the same types find them."""
        generator = torch.Generator().manual_seed(0)
        for attempt in range(400):
            if len(self.missed()) <= unreachable:
                return
            given = calls[attempt % len(calls)]  # of other sizes, where these are dynamic
            args, kwargs = tree_map_only(
                torch.Tensor, lambda t: _another(t, generator), (given.args, given.kwargs)
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
    if case.dynamic_shapes is not None:
        options["dynamic_shapes"] = case.dynamic_shapes
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


def _compare_values(program: Any, call: Call, expected: Eager, tolerance: float, where: str) -> Any:
    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    # What it raised is kept in the trace, as is the result.
    trace = program._trace(program._feeds(args, kwargs, call.draws))
    error = trace.error
    if expected.error is not None or error is not None:
        ours, theirs = _shown(error), _shown(expected.error)
        assert ours == theirs, f"{where}: raised {ours}, should have raised {theirs}"
    else:
        found = differences(trace.result, expected.result, tolerance)
        assert not found, f"{where}: " + "; ".join(found)
    written = differences((args, kwargs), expected.arguments, tolerance)
    assert not written, f"{where}: the arguments after the call: " + "; ".join(written)
    return trace


def _shown(error: BaseException | None) -> str:
    if error is None:
        return "nothing"
    attributes = {name: value for name, value in vars(error).items() if name != "__notes__"}
    return f"{type(error).__name__}: {error} ({error.args!r}, {attributes!r})"
