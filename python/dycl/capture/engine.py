# SPDX-License-Identifier: Apache-2.0
"""Types, functionalises and lowers one leaf call; structurally equal calls share the work."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from dycl_operators.guards import Guard, collected_guards
from dycl_sizes import sizes
from dycl_sizes.confirm import confirm_raised, tensors_of
from dycl_sizes.declared import Declared
from dycl_sizes.sizes import Size
from dycl_sizes.sizing import Fresh, Sizing, UnknownSize
from dycl_sizes.structure import Lifted, Sized, Walk, mapped, replace
from dycl_sizes.torch_sizes import UNDECIDED, storage_id
from dycl_sizes.trial import Tried, raised_for_all, tried
from dycl_sizes.values import (
    Check,
    Fragment,
    LeafCall,
    LeafRefused,
    OpenShape,
    Requirement,
    ScalarSlot,
    SizeResult,
    SizeSplit,
    SizesRaised,
    TensorResult,
    TensorSlot,
    TensorSpec,
    TorchRaised,
    spec_of,
    substituted,
)

from dycl.capture import classes, lift
from dycl.capture.views import moves_with_values, refuse_overlap, view_begins_at
from dycl.lower import torch_adapter
from dycl.lower.fragment import lower

Function = Callable[..., Any]


@dataclass(eq=False, slots=True)
class _Out:
    """A TensorResult before it is told which slots its operands are."""

    index: int
    spec: TensorSpec
    same: int | None
    views: list[int]
    at: int | None  # from the first element of what it views; None: depends on a value


@dataclass(eq=False, slots=True)
class _Entry:
    fragment: Fragment
    used: list[int]
    result: Any
    mutated: list[tuple[int, int, TensorSpec]]
    checks: list[Check]
    requires: list[Requirement]
    symbols: list[Any]  # of the call that was lowered, which `requires` is written in
    inner: list[Any]  # torch's for them, which the specs of results are written in


class Capture:
    """One per compilation. `close()` gives back what it changed in torch; it is a context manager too."""

    def __init__(self, declared: Declared | None = None) -> None:
        self._declared = declared
        self._entries: dict[Any, _Entry | LeafRefused | TorchRaised | SizeSplit | SizesRaised] = {}
        self._fragments: dict[str, Fragment] = {}
        self._mode = torch_adapter.new_mode()
        self._stack = contextlib.ExitStack()
        self._started = False

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stack.close()
        self._started = False

    @property
    def fragments(self) -> list[Fragment]:
        return list(self._fragments.values())

    def spec(self, tensor: torch.Tensor) -> TensorSpec:
        return spec_of(tensor)

    def input_spec(self, tensor: torch.Tensor, path: str) -> TensorSpec:
        """With symbols for the sizes that are declared as dynamic."""
        return self._declared.spec(tensor, path) if self._declared is not None else spec_of(tensor)

    def declared(self, size: Size) -> tuple[str, int, int, int, int]:
        assert self._declared is not None
        return self._declared.facts(size)

    def classify(self, function: object) -> str:
        return classes.classify(function)

    def layer(self, module: torch.nn.Module) -> str:
        return classes.layer(module)

    def hooks(self, module: torch.nn.Module) -> tuple[Any, Any] | None:
        return classes.hooks(module)

    def attribute(self, spec: TensorSpec, name: str) -> tuple[str, object]:
        sizing = Sizing(self._mode, list(spec.symbols), exact=True)
        with torch_adapter.typing(sizing.mode):
            kind, value = classes.attribute(sizing.fake(spec), name)
        if not spec.symbols or kind != "static":
            return kind, value
        return kind, mapped(_plain(value), sizing.outer)

    def metadata(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """The static result of a function that looks at types only."""
        function, args = _unbound(function, args)
        walk = Walk()
        walk.visit((args, kwargs))
        sizing = Sizing(self._mode, walk.symbols, exact=True)
        with torch_adapter.typing(sizing.mode):
            fakes = {id(o): sizing.example(o) for o in walk.operands}
            try:
                result = function(*replace(args, fakes), **replace(kwargs, fakes))
            except Exception as error:
                raise _judged(error, _name(function)) from error
        if isinstance(result, torch.Tensor):
            raise LeafRefused(f"{_name(function)} gives a tensor where only its type was asked for")
        return mapped(_plain(result), sizing.outer) if walk.symbols else result

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> LeafCall:
        """Raises LeafRefused, or TorchRaised with what eager raises for these types."""
        function, args = _unbound(function, args)
        plan = lift.plan(function, args, kwargs)
        walk = Walk()
        walk.visit(function)
        if plan.trace is not function:
            walk.visit(plan.trace)
        walk.visit(plan.args)
        walk.visit(plan.kwargs)
        key = (*walk.whole_key(), *_ambient())
        entry = self._entries.get(key)
        if entry is None:
            try:
                entry = self._lower(function, args, kwargs, plan, walk)
            except (LeafRefused, TorchRaised, SizeSplit, SizesRaised) as error:
                entry = error.of(walk.symbols) if isinstance(error, (SizeSplit, SizesRaised)) else error
            self._entries[key] = entry
        if isinstance(entry, (SizeSplit, SizesRaised)):
            raise entry.at(walk.symbols)
        if not isinstance(entry, _Entry):
            raise entry
        for operand, _, _ in entry.mutated:  # where operands lie is not part of the key
            refuse_overlap(function, args, walk.operands[operand], walk.operands)
        return _instantiated(entry, walk, view_begins_at(function, args))

    def _lower(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        plan: lift.Plan,
        walk: Walk,
    ) -> _Entry:
        if not self._started:
            self._stack.enter_context(torch_adapter.composites_kept())
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
        except TorchRaised as error:
            if walk.symbols:
                raised_for_all(Tried(function, given, kwargs, walk.operands, [], [], sizing, None), error)
            else:
                confirm_raised(function, given, kwargs, walk.operands)
            raise
        traced, guards, inputs = self._trace(name, plan, walk, typed, sizing)
        lowered = lower(sizing.mode, name, traced, inputs, guards)
        call = Tried(function, given, kwargs, walk.operands, typed.specs, typed.outputs, sizing, lowered)
        requires, aliases = tried(call)
        typed.may_share(aliases)
        fragment = self._fragments.setdefault(lowered.fragment.key, lowered.fragment)
        return _Entry(
            fragment,
            lowered.used,
            typed.result,
            typed.mutated,
            lowered.checks,
            requires,
            walk.symbols,
            sizing.inner,
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
                given[id(operand)] = lift.Weak(value, operand.kind, known) if weak else value
            with collected_guards() as found:
                trace = replace(plan.trace, given)
                result = trace(*replace(plan.args, given), **replace(plan.kwargs, given))
            guards[:] = found
            tensors = tensors_of(result)
            outputs = [tensors[position] for position in typed.outputs]
            outputs += [values[operand] for operand, _, _ in typed.mutated]
            return outputs + [g.raised for g in found]

        try:
            return torch_adapter.trace(sizing.mode, run, inputs), guards, inputs
        except LeafRefused:
            raise
        except UNDECIDED as error:
            raise sizing.undecided(error, name) from error
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
        self._outs: list[_Out] = []
        self.result = mapped(result, self._described)
        written = [i for i, fake in enumerate(self._fakes) if _version(fake) != versions[i]]
        first = len(self.outputs)
        self.mutated = [(i, first + n, self._written(i)) for n, i in enumerate(written)]

    def may_share(self, aliases: list[set[int]]) -> None:
        """Where sizes decide whether memory is shared, it may be; where in it is then not known."""
        for out, operands in zip(self._outs, aliases, strict=False):
            if out.same is None and set(out.views) != operands:
                out.views = sorted({*out.views, *operands})
                out.at = None

    def _written(self, operand: int) -> TensorSpec:
        slot = self._walk.operands[operand]
        if not isinstance(slot, TensorSlot):
            raise LeafRefused("a write to a parameter, buffer or constant", "write to a copy of it")
        fake = self._fakes[operand]
        spec = slot.spec
        changed = fake.dim() != len(spec.shape) if spec.symbols else spec_of(fake) is not spec
        if changed:
            raise LeafRefused("a change of a tensor's shape in place", "use the form without underscore")
        if any(stride == 0 and size != 1 for size, stride in zip(spec.shape, spec.stride, strict=True)):
            raise LeafRefused("a write to an expanded tensor", "clone it first")
        return spec

    def _described(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device)):
            return value
        if isinstance(value, torch.SymInt):
            return SizeResult(self._sizing.size(value))
        raise LeafRefused(f"a result of type {type(value).__name__}")

    def _tensor(self, value: torch.Tensor) -> _Out:
        self._position += 1
        spec = self._sizing.template(value)
        self.specs.append(spec)
        out = self._out(value, spec)
        self._outs.append(out)
        return out

    def _out(self, value: torch.Tensor, spec: TensorSpec) -> _Out:
        same = self._identities.get(id(value))
        if same is not None:
            return _Out(-1, spec, same, [], 0)
        index = self._indices.setdefault(id(value), len(self.outputs))
        if index == len(self.outputs):
            self.outputs.append(self._position)
        shared = self._storages.get(storage_id(value), [])
        offset = value.storage_offset()
        at = None
        if isinstance(offset, int) and not moves_with_values(self._walk.operands):
            at = offset
        return _Out(index, spec, None, shared, at)


def _instantiated(entry: _Entry, walk: Walk, at: int | None) -> LeafCall:
    """`at` is where an indexed view begins: numbers that were lifted are not part of the entry."""
    operands = walk.operands
    inputs = [_given(operands[i]) for i in entry.used]
    mutated = [(operands[i], output, operands[i].spec) for i, output, _ in entry.mutated]
    values = Fresh(zip(entry.inner, walk.symbols, strict=True))
    result = mapped(entry.result, lambda leaf: _filled(leaf, operands, at, values))
    renamed = dict(zip(entry.symbols, walk.symbols, strict=True))
    requires = [requirement.at(renamed) for requirement in entry.requires]
    return LeafCall(entry.fragment, inputs, result, mutated, entry.checks, requires)


def _given(operand: Any) -> Any:
    return (
        operand.value
        if isinstance(operand, Lifted)
        else operand.slot
        if isinstance(operand, Sized)
        else operand
    )


def _filled(value: Any, operands: list[Any], at: int | None, values: Fresh) -> Any:
    if isinstance(value, SizeResult):
        return SizeResult(sizes.substituted(value.size, values.of(value.size)))
    if not isinstance(value, _Out):
        return value
    same = operands[value.same] if value.same is not None else None
    views = [operands[i] for i in value.views]
    slots = [v for v in views if isinstance(v, TensorSlot)]
    is_slot = isinstance(same, TensorSlot)
    static = None if is_slot else same
    slot = same if is_slot else None
    begins = at if at is not None and value.at is not None else value.at
    spec = same.spec if isinstance(same, TensorSlot) else value.spec
    if spec is value.spec and spec.symbols:
        spec = substituted(spec, values.of(*spec.symbols))
    base = next((v for v in views if not isinstance(v, TensorSlot)), None)
    return TensorResult(value.index, spec, slot, slots, slots != views, static, begins, base)


def _plain(value: Any) -> Any:
    """torch.Size takes numbers only."""
    return OpenShape(value) if isinstance(value, torch.Size) else value


def _version(value: Any) -> int:
    return torch_adapter.version(value) if isinstance(value, torch.Tensor) else 0


def _unbound(
    function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A method bound to a tensor that is known now takes it as its first argument."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.Tensor):
        return getattr(torch.Tensor, function.__name__), (owner, *args)
    if isinstance(function, types.MethodType) and isinstance(owner, torch.nn.Module):
        return function.__func__, (owner, *args)
    return function, args


def _ambient() -> tuple[Any, ...]:
    autocast = torch.is_autocast_enabled("cpu")
    return (torch.get_default_dtype(), autocast, torch.get_autocast_dtype("cpu") if autocast else None)


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
        return LeafRefused(f"{name} reads the value of a tensor", "keep the value in a tensor")
    if isinstance(error, torch_adapter.UNKNOWN_SIZE):
        if sizing is not None and sizing.env is None:
            return UnknownSize()
        hint = "keep a fixed size: use torch.where with three arguments, or a mask"
        return LeafRefused(f"the size of what {name} returns depends on values", hint)
    if "alpha argument of type" in str(error):  # likewise
        return TorchRaised(
            RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        )
    if "zero-size dimension" in str(error):  # fake and real kernels differ in the exception
        return LeafRefused(f"{name} over an empty dimension", "test the size first")
    if isinstance(error, (*torch_adapter.NO_FAKE_KERNEL, NotImplementedError)) or "FakeTensor" in str(error):
        return LeafRefused(f"torch cannot type {name} without running it: {_first_line(error)}")
    return TorchRaised(error)
