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

from dycl.capture import classes, lift
from dycl.capture.confirm import confirm, tensors_of
from dycl.capture.structure import Lifted, Walk, mapped, replace
from dycl.capture.values import (
    SCALAR_DTYPES,
    Check,
    Fragment,
    LeafCall,
    LeafRefused,
    ScalarSlot,
    TensorResult,
    TensorSlot,
    TensorSpec,
    TorchRaised,
    spec_of,
)
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


@dataclass(eq=False, slots=True)
class _Entry:
    fragment: Fragment
    used: list[int]
    result: Any
    mutated: list[tuple[int, int, TensorSpec]]
    checks: list[Check]


class Capture:
    """One per compilation. `close()` gives back what it changed in torch; it is a context manager too."""

    def __init__(self) -> None:
        self._entries: dict[Any, _Entry | LeafRefused | TorchRaised] = {}
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

    def classify(self, function: object) -> str:
        return classes.classify(function)

    def layer(self, module: torch.nn.Module) -> str:
        return classes.layer(module)

    def hooks(self, module: torch.nn.Module) -> tuple[Any, Any] | None:
        return classes.hooks(module)

    def attribute(self, spec: TensorSpec, name: str) -> tuple[str, object]:
        with torch_adapter.typing(self._mode):
            return classes.attribute(_fake(spec), name)

    def metadata(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """The static result of a function that looks at types only."""
        function, args = _unbound(function, args)
        walk = Walk()
        walk.visit((args, kwargs))
        with torch_adapter.typing(self._mode):
            fakes = {id(o): _example(o) for o in walk.operands}
            try:
                result = function(*replace(args, fakes), **replace(kwargs, fakes))
            except Exception as error:
                raise _judged(error, _name(function)) from error
        if isinstance(result, torch.Tensor):
            raise LeafRefused(f"{_name(function)} gives a tensor where only its type was asked for")
        return result

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
        key = (*walk.key, *_ambient())
        entry = self._entries.get(key)
        if entry is None:
            try:
                entry = self._lower(function, args, kwargs, plan, walk)
            except (LeafRefused, TorchRaised) as error:
                entry = error
            self._entries[key] = entry
        if not isinstance(entry, _Entry):
            raise entry
        return _instantiated(entry, walk.operands)

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
        with torch_adapter.typing(self._mode):
            typed = _Typed(function, plan.typed or args, kwargs, walk)
        traced, guards, inputs = self._trace(name, plan, walk, typed)
        lowered = lower(self._mode, name, traced, inputs, guards)
        confirm(function, plan.typed or args, kwargs, walk.operands, typed.specs, bool(lowered.checks))
        fragment = self._fragments.setdefault(lowered.fragment.key, lowered.fragment)
        return _Entry(fragment, lowered.used, typed.result, typed.mutated, lowered.checks)

    def _trace(
        self, name: str, plan: lift.Plan, walk: Walk, typed: _Typed
    ) -> tuple[torch.fx.GraphModule, list[Guard], list[torch.Tensor]]:
        with torch_adapter.typing(self._mode):
            inputs = [_operand_fake(operand) for operand in walk.operands]
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
            return torch_adapter.trace(self._mode, run, inputs), guards, inputs
        except LeafRefused:
            raise
        except Exception as error:
            raise LeafRefused(f"torch cannot trace {name}: {_first_line(error)}") from error


class _Typed:
    """One run on fake tensors: structure, identity and aliasing of results, writes to operands."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], walk: Walk
    ) -> None:
        self._walk = walk
        self._fakes = [_example(operand) for operand in walk.operands]
        versions = [_version(fake) for fake in self._fakes]
        given = {
            id(o): f for o, f in zip(walk.operands, self._fakes, strict=True) if not isinstance(o, Lifted)
        }
        try:
            result = replace(function, given)(*replace(args, given), **replace(kwargs, given))
        except Exception as error:
            raise _judged(error, _name(function)) from error
        self._identities = {
            id(fake): i for i, fake in enumerate(self._fakes) if isinstance(fake, torch.Tensor)
        }
        self._storages: dict[int, list[int]] = {}
        for i, fake in enumerate(self._fakes):
            if isinstance(fake, torch.Tensor):
                self._storages.setdefault(torch_adapter.storage_id(fake), []).append(i)
        self.outputs: list[int] = []  # positions among the result's tensors
        self._indices: dict[int, int] = {}
        self._position = -1
        self.specs: list[TensorSpec] = []  # of all tensors in the result
        self.result = mapped(result, self._described)
        written = [i for i, fake in enumerate(self._fakes) if _version(fake) != versions[i]]
        first = len(self.outputs)
        self.mutated = [(i, first + n, self._written(i)) for n, i in enumerate(written)]

    def _written(self, operand: int) -> TensorSpec:
        slot = self._walk.operands[operand]
        if not isinstance(slot, TensorSlot):
            raise LeafRefused("a write to a parameter, buffer or constant", "write to a copy of it")
        others = (o for o in self._walk.operands if isinstance(o, TensorSlot) and o is not slot)
        if any(other.storage == slot.storage for other in others):
            raise LeafRefused(
                "a write to a tensor that shares memory with another operand", "clone one first"
            )
        spec = spec_of(self._fakes[operand])
        if spec is not slot.spec:
            raise LeafRefused("a change of a tensor's shape in place", "use the form without underscore")
        if any(stride == 0 and size > 1 for size, stride in zip(spec.shape, spec.stride, strict=True)):
            raise LeafRefused("a write to an expanded tensor", "clone it first")
        return spec

    def _described(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device)):
            return value
        raise LeafRefused(f"a result of type {type(value).__name__}")

    def _tensor(self, value: torch.Tensor) -> _Out:
        self._position += 1
        spec = spec_of(value)
        self.specs.append(spec)
        same = self._identities.get(id(value))
        if same is not None:
            return _Out(-1, spec, same, [])
        index = self._indices.setdefault(id(value), len(self.outputs))
        if index == len(self.outputs):
            self.outputs.append(self._position)
        return _Out(index, spec, None, self._storages.get(torch_adapter.storage_id(value), []))


def _instantiated(entry: _Entry, operands: list[Any]) -> LeafCall:
    inputs = [o.value if isinstance(o, Lifted) else o for o in (operands[i] for i in entry.used)]
    mutated = [(operands[i], output, spec) for i, output, spec in entry.mutated]
    result = mapped(entry.result, lambda leaf: _filled(leaf, operands))
    return LeafCall(entry.fragment, inputs, result, mutated, entry.checks)


def _filled(value: Any, operands: list[Any]) -> Any:
    if not isinstance(value, _Out):
        return value
    same = operands[value.same] if value.same is not None else None
    views = [operands[i] for i in value.views]
    slots = [v for v in views if isinstance(v, TensorSlot)]
    is_slot = isinstance(same, TensorSlot)
    static = None if is_slot else same
    return TensorResult(value.index, value.spec, same if is_slot else None, slots, slots != views, static)


def _fake(spec: TensorSpec) -> torch.Tensor:
    return torch.empty_strided(spec.shape, spec.stride, dtype=spec.dtype, device=spec.device)


def _example(operand: Any) -> Any:
    if isinstance(operand, TensorSlot):
        return _fake(operand.spec)
    if isinstance(operand, torch.Tensor):
        return _fake(spec_of(operand))
    return operand.value if isinstance(operand, Lifted) else lift.EXAMPLES[operand.kind]


def _operand_fake(operand: Any) -> torch.Tensor:
    if isinstance(operand, (ScalarSlot, Lifted)):
        return torch.empty((), dtype=SCALAR_DTYPES[operand.kind])
    fake: torch.Tensor = _example(operand)
    return fake


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


def _judged(error: Exception, name: str) -> LeafRefused | TorchRaised:
    if isinstance(error, (LeafRefused, TorchRaised)):
        return error
    if isinstance(error, torch_adapter.READS_DATA):
        return LeafRefused(f"{name} reads the value of a tensor", "keep the value in a tensor")
    if isinstance(error, torch_adapter.UNKNOWN_SIZE):
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
