# SPDX-License-Identifier: Apache-2.0
"""Records what an eager run reads from its tensors: where, what, and how close to the threshold it was.

If a decision compares numbers that are closer than the error bound and were computed inexactly, another
backend may decide it the other way. Such a decision is `undecided`, and does not count as passed.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import io
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch.overrides import TorchFunctionMode

from dycl.verification.compare import differences
from dycl.verification.replay import FILES_OF_REPLAY, Replay

if TYPE_CHECKING:
    from dycl.calls.draws import Draw

READS = {
    "__bool__": "bool",
    "__int__": "int",
    "__index__": "int",
    "__float__": "float",
    "item": "item",
    "tolist": "tolist",
}
COMPARISONS = {
    f"{under}{name}{under}" for name in ("lt", "le", "gt", "ge", "eq", "ne") for under in ("", "__")
}
COMPARISONS |= {"greater", "greater_equal", "less", "less_equal", "not_equal", "isclose"}
# With small dyadic operands these operations are exact in every order of evaluation.
_EXACT = """
div __truediv__ true_divide
abs add all amax amin any argmax argmin bitwise_and bitwise_not bitwise_or bitwise_xor cat chunk
clamp clone concat contiguous copy_ count_nonzero cumsum detach dim diff expand fill_ flatten flip float
full_like gather index_select int long logical_and logical_not logical_or logical_xor masked_fill
matmul max maximum min minimum mm mul narrow neg nonzero numel ones_like permute prod relu repeat
reshape roll round rsub select sign size sort split squeeze stack sub sum take to topk transpose
tril triu trunc type unbind unsqueeze view where zeros_like floor ceil T mT __getitem__ __get__
__neg__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __and__ __or__ __xor__ __invert__ __abs__
__matmul__ __iadd__ __isub__ __imul__ add_ sub_ mul_ bool square floor_divide remainder __floordiv__
__mod__ isnan isinf isfinite
"""
EXACT = frozenset(_EXACT.split())
# These operations turn the answers of comparisons into numbers that stay distinct.
COUNTING = frozenset(("__getitem__", "double", "flatten", "float", "half", "sum", "to", "type", "view"))
NOT_THE_USERS = (*FILES_OF_REPLAY, os.path.abspath(__file__), "<")


@dataclass(frozen=True)
class Decision:
    file: str
    line: int
    column: int
    kind: str
    value: Any
    undecided: bool = False  # whether it is closer to its threshold than the error bound
    from_input: bool = True  # False if it is known at compile time
    by_call: bool = False  # True for bool(t), whose value may go unused, False for `if t`

    def shown(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}: {self.kind} = {self.value}"


def _user_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(NOT_THE_USERS):
            return frame
        frame = frame.f_back
    return None


def _position(frame: FrameType) -> tuple[int, int]:
    positions = list(frame.f_code.co_positions())
    line, _, column, _ = positions[frame.f_lasti // 2]
    return line or frame.f_lineno, column or 0


def _is_call(frame: FrameType) -> bool:
    return "CALL" in dis.opname[frame.f_code.co_code[frame.f_lasti]]


def _tensors(values: Any) -> list[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in _tensors(value)]
    if isinstance(values, dict):
        return _tensors(list(values.values()))
    if is_dataclass(values) and not isinstance(values, type):
        return _tensors(list(vars(values).values()))
    return []


def _dyadic(tensor: torch.Tensor) -> bool:
    if not tensor.is_floating_point():
        return True
    finite = tensor[~(tensor.isnan() | tensor.isinf())].double()
    scaled = finite * 256
    return bool((scaled == scaled.round()).all()) and bool((finite.abs() < 4096).all())


def _closest(a: Any, b: Any) -> tuple[float, float]:
    """Returns the smallest distance of two compared values, and their size; NaN and infinity are far away."""
    left, right = (torch.as_tensor(value).double() for value in (a, b))
    distance = (left - right).abs()
    finite = distance[distance.isfinite()]
    if finite.numel() == 0:
        return math.inf, 1.0
    sizes = [float(side[side.isfinite()].abs().max()) for side in (left, right) if side.isfinite().any()]
    return float(finite.min()), max([1.0, *sizes])


class RanAway(Exception):  # noqa: N818 - another run, not a failure
    """A run with nudged numbers makes far more calls than the plain run."""


class Recorder(TorchFunctionMode):
    """Records an eager run inside a `with` block; `decisions` has the result. `tolerance` is the relative
    error bound. `nudge` moves every inexact number that is read up (1) or down (-1) by that bound."""

    def __init__(self, inputs: Any, tolerance: float, nudge: int = 0, most_calls: int | None = None) -> None:
        super().__init__()
        self._most_calls = most_calls
        self.decisions: list[Decision] = []
        self.calls: list[str] = []  # the functions of torch that were called, in order
        self.inexact: dict[int, int] = {}  # decisions on inexact numbers: how many calls came before each
        self._tolerance = tolerance
        self._nudge = nudge
        self._kept: list[Any] = []  # ids stay valid while the objects live
        self._exact: dict[int, bool] = {}
        self._shaky: dict[int, bool] = {}
        self._from_input: set[int] = set()
        for tensor in _tensors(inputs):
            self._mark(tensor, _dyadic(tensor), False)
            self._from_input.add(id(tensor))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        result = func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            self.calls.append(name)
            if self._most_calls is not None and len(self.calls) > self._most_calls:
                raise RanAway
            if name == "numpy" and not self._is_exact(args[0]):
                self.inexact[len(self.decisions)] = len(self.calls)
                self._read_array()
                return _moved_array(result, self._nudge * self._tolerance) if self._nudge else result
            if name in READS:
                self._read(name, args[0], result)
                if isinstance(result, (float, list)) and not self._is_exact(args[0]):
                    self.inexact[len(self.decisions) - 1] = len(self.calls)
                    return _move(result, self._nudge * self._tolerance)
            else:
                self._follow(name, args, kwargs, result)
        return result

    def _mark(self, tensor: torch.Tensor, exact: bool, shaky: bool) -> None:
        self._kept.append(tensor)
        self._exact[id(tensor)], self._shaky[id(tensor)] = exact, shaky

    def _is_exact(self, tensor: Any) -> bool:
        if not isinstance(tensor, torch.Tensor):
            return True
        return self._exact.get(id(tensor), False) or (id(tensor) not in self._exact and _dyadic(tensor))

    def _follow(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        operands = _tensors([args[1:] if name == "copy_" else args, kwargs])
        outputs = _tensors(result)
        exact_operands = all(self._is_exact(tensor) for tensor in operands)
        shaky = any(self._shaky.get(id(tensor), False) for tensor in operands)
        if name in COMPARISONS and len(args) > 1 and not exact_operands:
            distance, size = _closest(args[0], args[1])
            shaky = shaky or distance <= self._tolerance * size
        depends = any(id(tensor) in self._from_input for tensor in operands)
        if depends and (name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))):
            outputs.append(args[0])
        for output in outputs:
            if depends:
                self._from_input.add(id(output))
            known = not operands or name in EXACT or name in COMPARISONS
            clear = exact_operands or (name in COMPARISONS and not shaky)
            exact = clear and known and _dyadic(output)
            self._mark(output, exact, shaky and (not output.is_floating_point() or name in COUNTING))

    def _read_array(self) -> None:
        """What the program does with the array's elements is not recorded, only where it got them."""
        frame = _user_frame(sys._getframe(2))
        if frame is not None:
            line, column = _position(frame)
            self.decisions.append(Decision(frame.f_code.co_filename, line, column, "numpy", None))

    def _read(self, name: str, tensor: torch.Tensor, result: Any) -> None:
        frame = _user_frame(sys._getframe(2))
        if frame is None:
            return
        line, column = _position(frame)
        undecided = self._shaky.get(id(tensor), False)
        if READS[name] == "int" and tensor.is_floating_point() and not self._is_exact(tensor):
            value = float(tensor)
            undecided = abs(value - round(value)) <= self._tolerance * max(1.0, abs(value))
        where = (frame.f_code.co_filename, line, column)
        depends = id(tensor) in self._from_input
        self.decisions.append(Decision(*where, READS[name], result, undecided, depends, _is_call(frame)))


@dataclass(frozen=True)
class Drawn:
    """The random numbers of a call: the inputs of the program that hold them, and their contents by name."""

    draws: Sequence[Draw]
    numbers: dict[str, Any]


@dataclass
class Eager:
    """What eager did on one input."""

    result: Any = None
    error: BaseException | None = None
    decisions: list[Decision] = field(default_factory=list)
    arguments: Any = None  # the arguments after the call, which may have written to them


def run_eager(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tolerance: float, drawn: Drawn | None = None
) -> Eager:
    """Runs the model on copies of the arguments, as inference does, with the random numbers of `drawn`.

    The recorder cannot see what Python compares. So if inexact numbers were read, the model runs again with
    all of them a little larger, and a little smaller. If it then takes another path, the last decision before
    that is undecided."""
    spare = _copy_of(model)
    run, recorder = _run(model, args, kwargs, tolerance, 0, drawn=drawn)
    for nudge in (1, -1) if recorder.inexact else ():
        with contextlib.redirect_stdout(io.StringIO()):
            most = 1000 + 4 * len(recorder.calls)
            other, moved = _run(_copy_of(spare), args, kwargs, tolerance, nudge, most, drawn)
        same = [a == b for a, b in zip(recorder.calls, moved.calls)]
        if len(recorder.calls) == len(moved.calls) and all(same) and _alike(run, other, 1000 * tolerance):
            continue
        turn = same.index(False) if False in same else len(same)
        number = max((n for n, before in recorder.inexact.items() if before <= turn), default=None)
        if number is not None:
            run.decisions[number] = replace(run.decisions[number], undecided=True)
    return run


def _run(
    model: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tolerance: float,
    nudge: int,
    most_calls: int | None = None,
    drawn: Drawn | None = None,
) -> tuple[Eager, Recorder]:
    args, kwargs = copy.deepcopy((args, kwargs))
    run = Eager()
    numbers = drawn.numbers if drawn is not None else {}
    replay = Replay(drawn.draws, numbers) if drawn is not None else contextlib.nullcontext()
    with torch.no_grad(), Recorder([args, kwargs, numbers], tolerance, nudge, most_calls) as recorder, replay:
        try:
            run.result = model(*args, **kwargs)
        except (Exception, SystemExit) as error:
            run.error = error
    run.decisions = recorder.decisions
    run.arguments = (args, kwargs)
    return run, recorder


def _copy_of(model: Any) -> Any:
    """Copies the model, except for its weights, so that a further run does not change the model."""
    if not isinstance(model, torch.nn.Module):
        return model
    try:
        return copy.deepcopy(model, {id(tensor): tensor for tensor in model.parameters()})
    except Exception:  # some attribute cannot be copied
        return model


def _alike(one: Eager, other: Eager, tolerance: float) -> bool:
    return type(one.error) is type(other.error) and not differences(one.result, other.result, tolerance)


def _move(value: Any, by: float) -> Any:
    if isinstance(value, list):
        return [_move(element, by) for element in value]
    return value + by * max(1.0, abs(value)) if isinstance(value, float) and math.isfinite(value) else value


def _moved_array(array: Any, by: float) -> Any:
    finite = numpy.isfinite(array)
    return numpy.where(finite, array + by * numpy.maximum(1.0, numpy.abs(array)), array).astype(array.dtype)


def decisions_differ(
    ours: list[tuple[str, int, str, Any]],
    eager: list[Decision],
    tolerance: float,
    may_lack: Callable[[Decision], bool] = lambda decision: False,
) -> str | None:
    """Compares the decisions of the program with those of eager, in order. Reads of eager on which nothing
    depends may be missing.

    What is read between two branches, also by calls of bool(), may be read in another order, because nothing
    depends on that order.
    """
    seen = [decision for decision in eager if decision.kind != "numpy"]
    wanted = [(decision, value) for decision in seen for value in _elements(decision.value)]
    position = 0
    passed: list[tuple[Decision, Any]] = []  # by eager since its last branch, and not yet by us
    for read in ours:
        if read[2] == "inner":  # what numpy reads from an array, or torch inside of a function, nobody sees
            continue
        shown = f"{os.path.basename(read[0])}:{read[1]}: {read[2]} = {read[3]}"
        earlier = next((entry for entry in passed if _same_read(read, *entry, tolerance)), None)
        if earlier is not None:
            passed.remove(earlier)
            continue
        while position < len(wanted):
            decision, value = wanted[position]
            position += 1
            if _same_read(read, decision, value, tolerance):
                break
            if _must_be_taken(decision) and not may_lack(decision):
                return f"{shown}, but eager had {decision.shown()}"
            passed.append((decision, value))
        else:
            return f"{shown} is not a decision of eager"
        if read[2] == "bool":
            passed.clear()
    left = [d.shown() for d, _ in wanted[position:] if _must_be_taken(d) and not may_lack(d)]
    return f"eager went on to decide {left}" if left else None


def _elements(value: Any) -> list[Any]:
    """Returns the elements of a list that is read, because the program reads them one by one."""
    return (
        [entry for element in value for entry in _elements(element)] if isinstance(value, list) else [value]
    )


def _must_be_taken(decision: Decision) -> bool:
    return decision.kind == "bool" and decision.from_input and not decision.by_call


def _same_read(ours: tuple[str, int, str, Any], decision: Decision, value: Any, tolerance: float) -> bool:
    file, line, kind, our_value = ours
    if kind == "bool":  # the value is a number that counts as true or false
        our_value = bool(our_value)
    if os.path.realpath(file) != os.path.realpath(decision.file) or (line, kind) != (
        decision.line,
        decision.kind,
    ):
        return False
    return not differences(our_value, value, tolerance)
