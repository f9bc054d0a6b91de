# SPDX-License-Identifier: Apache-2.0
"""Types, functionalises and lowers one kind of leaf call. Slow to import: torch's exporter comes with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from dycl._core import Runtime
from dycl.frontend.capture import classes, lift
from dycl.frontend.capture.entry import Entry, Out
from dycl.frontend.capture.views import moves_with_values
from dycl.frontend.lower import torch_adapter
from dycl.frontend.lower.composites import composites_kept
from dycl.frontend.lower.fragment import lower
from dycl.frontend.operators.guards import Guard, collected_guards
from dycl.frontend.operators.weak import Weak
from dycl.frontend.sizes.confirm import confirm_raised, tensors_of
from dycl.frontend.sizes.sizing import Sizing, UnknownSize
from dycl.frontend.sizes.structure import Lifted, Walk, mapped, replace
from dycl.frontend.sizes.torch_sizes import UNDECIDED, storage_id
from dycl.frontend.sizes.trial import Tried, raised_for_all, tried
from dycl.frontend.sizes.values import (
    LeafRefused,
    OpenShape,
    ScalarSlot,
    SizeResult,
    SizeSplit,
    TensorSlot,
    TensorSpec,
    TorchRaised,
    spec_of,
)

Function = Callable[..., Any]


class Lowering:
    """One per compilation. `close()` gives back what it changed in torch."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._mode = torch_adapter.new_mode()
        self._stack = contextlib.ExitStack()
        self._started = False

    def close(self) -> None:
        self._stack.close()

    def attribute(self, spec: TensorSpec, name: str) -> tuple[str, object]:
        sizing = Sizing(self._mode, list(spec.symbols), exact=True)
        with torch_adapter.typing(sizing.mode):
            kind, value = classes.attribute(sizing.fake(spec), name)
        if not spec.symbols or kind != "static":
            return kind, value
        return kind, mapped(_plain(value), sizing.outer)

    def metadata(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], walk: Walk) -> Any:
        """The static result of a function that looks at types only."""
        if (name := _name(function)) not in _ASK_FOR_KINDS:
            _refuse_scalars(name, walk.operands)
        sizing = Sizing(self._mode, walk.symbols, exact=True)
        with torch_adapter.typing(sizing.mode):
            fakes = {id(o): sizing.example(o) for o in walk.operands}
            try:
                result = function(*replace(args, fakes), **replace(kwargs, fakes))
            except Exception as error:
                raise _judged(error, name) from error
        if isinstance(result, torch.Tensor):
            raise LeafRefused(f"{name} gives a tensor where only its type was asked for")
        return mapped(_plain(result), sizing.outer) if walk.symbols else result

    def lower(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        plan: lift.Plan,
        walk: Walk,
    ) -> Entry:
        if not self._started:
            self._stack.enter_context(composites_kept())
            self._started = True
        name = _name(function)
        if plan.trace is function:
            _refuse_scalars(name, walk.operands)
        given = plan.typed if plan.typed is not None else args
        kwargs = plan.typed_kwargs if plan.typed_kwargs is not None else kwargs
        sizing = Sizing(self._mode, walk.symbols)
        try:
            try:
                typed = _Typed(function, given, kwargs, walk, sizing)
            except UnknownSize:
                sizing = Sizing(self._mode, walk.symbols, unknown=True)
                typed = _Typed(function, given, kwargs, walk, sizing)
            traced, guards, inputs = self._trace(name, plan, walk, typed, sizing)
        except TorchRaised as error:
            if walk.symbols:
                raised_for_all(Tried(function, given, kwargs, walk.operands, [], [], sizing), error)
            else:
                raise confirm_raised(function, given, kwargs, walk.operands, error) from error
            raise
        lowered = lower(sizing.mode, name, traced, inputs, guards)
        call = Tried(function, given, kwargs, walk.operands, typed.specs, typed.outputs, sizing, lowered)
        requirements, aliases = tried(call, self._runtime)
        typed.may_share(aliases)
        return Entry(
            lowered.fragment,
            lowered.used,
            typed.result,
            typed.mutated,
            lowered.checks,
            requirements,
            walk.symbols,
        )

    def _trace(
        self, name: str, plan: lift.Plan, walk: Walk, typed: _Typed, sizing: Sizing
    ) -> tuple[torch.fx.GraphModule, list[Guard], list[torch.Tensor]]:
        with torch_adapter.typing(sizing.mode):
            inputs = [sizing.traced(operand) for operand in walk.operands]
        guards: list[Guard] = []

        def run(values: list[torch.Tensor]) -> list[torch.Tensor]:
            given: dict[int, Any] = {}
            for operand, value in zip(walk.operands, values, strict=True):
                weak = isinstance(operand, (ScalarSlot, Lifted))
                known = isinstance(operand, Lifted)
                given[id(operand)] = Weak(value, operand.kind, known) if weak else value
            with collected_guards() as found:
                trace = replace(plan.trace, given)
                result = trace(*replace(plan.args, given), **replace(plan.kwargs, given))
            guards[:] = found
            tensors = tensors_of(result)
            outputs = [tensors[position] for position in typed.outputs]
            outputs += [values[operand] for operand, _ in typed.mutated]
            return outputs + [g.raised for g in found]

        try:
            return torch_adapter.trace(sizing.mode, run, inputs), guards, inputs
        except LeafRefused:
            raise
        except UNDECIDED as error:
            raise sizing.undecided(error, name) from error
        except ZeroDivisionError as error:  # by a size of 0: eager has other words for it
            raise TorchRaised(error) from error
        except Exception as error:
            raise LeafRefused(f"torch cannot trace {name}: {_first_line(error)}") from error


class _Typed:
    """One run on fake tensors: structure, identity and aliasing of results, writes to operands."""

    def __init__(
        self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], walk: Walk, sizing: Sizing
    ) -> None:
        self._walk = walk
        self._sizing = sizing
        with torch_adapter.typing(sizing.mode), sizing.quiet():
            self._run(function, args, kwargs)

    def _run(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        walk, sizing = self._walk, self._sizing
        self._fakes = [sizing.example(operand) for operand in walk.operands]
        versions = [_version(fake) for fake in self._fakes]
        self._layouts = [_layout(fake) for fake in self._fakes] if walk.symbols else []
        given = {
            id(o): f for o, f in zip(walk.operands, self._fakes, strict=True) if not isinstance(o, Lifted)
        }
        try:
            result = replace(function, given)(*replace(args, given), **replace(kwargs, given))
        except Exception as error:
            raise _judged(error, _name(function), sizing) from error
        self._identities = {
            id(fake): i for i, fake in enumerate(self._fakes) if isinstance(fake, torch.Tensor)
        }
        self._storages: dict[int, list[int]] = {}
        for i, fake in enumerate(self._fakes):
            if isinstance(fake, torch.Tensor):
                self._storages.setdefault(storage_id(fake), []).append(i)
        self.outputs: list[int] = []  # positions among the result's tensors
        self._indices: dict[int, int] = {}
        self._position = -1
        self.specs: list[TensorSpec] = []  # of all tensors in the result
        self._outs: list[Out] = []
        self.result = mapped(result, self._described)
        written = [i for i, fake in enumerate(self._fakes) if _version(fake) != versions[i]]
        first = len(self.outputs)
        for operand in written:
            self._refuse_write(operand)
        self.mutated = [(operand, first + number) for number, operand in enumerate(written)]

    def may_share(self, aliases: list[set[int]]) -> None:
        """Where sizes decide whether memory is shared, it may be; where in it is then not known."""
        for out, operands in zip(self._outs, aliases, strict=False):
            if out.same is None and set(out.views) != operands:
                out.views = sorted({*out.views, *operands})
                out.at = None

    def _refuse_write(self, operand: int) -> None:
        """Where no value of the tensor could stand for what is written."""
        slot = self._walk.operands[operand]
        if not isinstance(slot, TensorSlot):
            raise LeafRefused("a write to a parameter, buffer or constant", "write to a copy of it")
        fake = self._fakes[operand]
        spec = slot.spec
        changed = _layout(fake) != self._layouts[operand] if spec.symbols else spec_of(fake) is not spec
        if changed:
            raise LeafRefused("a change of a tensor's shape in place", "use the form without underscore")
        if any(stride == 0 and size != 1 for size, stride in zip(spec.shape, spec.stride, strict=True)):
            raise LeafRefused("a write to an expanded tensor", "clone it first")

    def _described(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device)):
            return value
        if isinstance(value, torch.SymInt):
            return SizeResult(self._sizing.size(value))
        raise LeafRefused(f"a result of type {type(value).__name__}")

    def _tensor(self, value: torch.Tensor) -> Out:
        self._position += 1
        spec = self._sizing.template(value)
        self.specs.append(spec)
        out = self._out(value, spec)
        self._outs.append(out)
        return out

    def _out(self, value: torch.Tensor, spec: TensorSpec) -> Out:
        same = self._identities.get(id(value))
        if same is not None:
            return Out(-1, spec, same, [], 0)
        index = self._indices.setdefault(id(value), len(self.outputs))
        if index == len(self.outputs):
            self.outputs.append(self._position)
        shared = self._storages.get(storage_id(value), [])
        offset = value.storage_offset()
        at = None
        if isinstance(offset, int) and not moves_with_values(self._walk.operands):
            at = offset
        return Out(index, spec, None, shared, at)


def _plain(value: Any) -> Any:
    """torch.Size takes numbers only."""
    return OpenShape(value) if isinstance(value, torch.Size) else value


def _version(value: Any) -> int:
    return torch_adapter.version(value) if isinstance(value, torch.Tensor) else 0


def _layout(value: Any) -> tuple[str, ...]:
    """Sizes and strides as they are written: a comparison of open ones would decide something."""
    return tuple(map(str, (*value.shape, *value.stride()))) if isinstance(value, torch.Tensor) else ()


_ASK_FOR_KINDS = {"result_type", "is_tensor"}  # of numbers, too, and not for their values


def _refuse_scalars(name: str, operands: list[Any]) -> None:
    if any(isinstance(operand, ScalarSlot) for operand in operands):
        raise LeafRefused(
            f"a number computed from tensors as an argument of {name}",
            "use a number that is known when the program is compiled, or do arithmetic on tensors with it",
        )


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return str(name).strip("_").lower()


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _judged(error: Exception, name: str, sizing: Sizing | None = None) -> Exception:
    if isinstance(error, (LeafRefused, TorchRaised, SizeSplit, UnknownSize)):
        return error
    if isinstance(error, UNDECIDED):
        return sizing.undecided(error, name) if sizing is not None else LeafRefused(str(error))
    if isinstance(error, torch_adapter.READS_DATA):
        return LeafRefused(f"{name} reads the value of a tensor", "keep the value in a tensor", reads=True)
    if isinstance(error, torch_adapter.UNKNOWN_SIZE):
        if sizing is not None and sizing.env is None:
            return UnknownSize()
        hint = "keep a fixed size: use torch.where with three arguments, or a mask"
        return LeafRefused(f"the size of what {name} returns depends on values", hint)
    said = torch_adapter.said(error)
    if said is torch_adapter.Said.FLOAT_ALPHA:
        return TorchRaised(
            RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        )
    if said is torch_adapter.Said.EMPTY_DIMENSION:
        return LeafRefused(f"{name} over an empty dimension", "test the size first")
    if isinstance(error, torch_adapter.NO_FAKE_KERNEL) or said is torch_adapter.Said.NAMES_A_FAKE:
        return LeafRefused(f"torch cannot type {name} without running it: {_first_line(error)}")
    return TorchRaised(error)
