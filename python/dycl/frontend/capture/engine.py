# SPDX-License-Identifier: Apache-2.0
"""The leaf calls of one compilation: structurally equal calls share the work, in other processes too."""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from dycl import _search
from dycl._core import DeclaredSize, Runtime, SizeExpr, SizeSymbols
from dycl.frontend.cache import Store
from dycl.frontend.capture import classes, lift
from dycl.frontend.capture.entry import Entry, Out
from dycl.frontend.capture.numpy_numbers import as_python_numbers
from dycl.frontend.capture.views import refuse_overlap, view_begins_at
from dycl.frontend.sizes import sizes
from dycl.frontend.sizes.declared import Declared
from dycl.frontend.sizes.sizes import Size
from dycl.frontend.sizes.sizing import Fresh
from dycl.frontend.sizes.structure import Lifted, Sized, Walk, mapped
from dycl.frontend.sizes.values import (
    Fragment,
    LeafCall,
    LeafRefused,
    OpenShape,
    SizeResult,
    SizeSplit,
    SizesRaised,
    TensorResult,
    TensorSlot,
    TensorSpec,
    TorchRaised,
    known_sizes,
    requirement_at,
    spec_of,
    substituted,
)

if TYPE_CHECKING:
    from dycl.frontend.capture.lowering import Lowering

Made = TypeVar("Made")


def _near(place: str) -> str:
    """The last two parts of a path, with the line: gpt2/modeling_gpt2.py:583."""
    parts = place.rsplit(":", 1)[0].split(os.sep)
    return "/".join(["…", *parts[-2:]] if len(parts) > 2 else parts)


class Capture:
    """One per compilation. `close()` gives back what it changed in torch; it is a context manager too."""

    def __init__(
        self, declared: Declared | None = None, store: Store | None = None, runtime: Runtime | None = None
    ) -> None:
        self._declared = declared
        self.size_symbols = declared.size_symbols if declared is not None else SizeSymbols()
        self._store = store
        self._runtime = runtime  # whose reference tries lowered calls; None: the process's own
        self._entries: dict[Any, Entry | LeafRefused | TorchRaised | SizeSplit | SizesRaised] = {}
        self._fragments: dict[str, Fragment] = {}
        self._lowering: Lowering | None = None
        self._calls = 0
        self.tell: Callable[[int, int, str], None] | None = None  # calls so far, ended paths, the place

    def note_call(self, paths: int, place: str) -> None:
        self._calls += 1
        if self.tell is not None:
            self.tell(self._calls, paths, _near(place))

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._lowering is not None:
            self._lowering.close()
        self._lowering = None

    def _started(self) -> Lowering:
        """Where everything is remembered it is never needed, and not even imported."""
        if self._lowering is None:
            from dycl.frontend.capture.lowering import Lowering

            self._lowering = Lowering(self._runtime or _search.runtime())
        return self._lowering

    def _stored(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        return make() if self._store is None else self._store.recall_or_make(key, make)

    @property
    def fragments(self) -> list[Fragment]:
        return list(self._fragments.values())

    def spec(self, tensor: torch.Tensor) -> TensorSpec:
        return spec_of(tensor)

    def input_spec(self, tensor: torch.Tensor, path: str) -> TensorSpec:
        """With symbols for the sizes that are declared as dynamic."""
        return self._declared.spec(tensor, path) if self._declared is not None else spec_of(tensor)

    def declared(self, size: Size) -> DeclaredSize:
        assert self._declared is not None
        return self._declared.facts(size)

    def classify(self, function: object) -> str:
        return classes.classify(function)

    def layer(self, module: torch.nn.Module) -> str:
        return classes.layer(module)

    def hooks(self, module: torch.nn.Module) -> tuple[Any, Any] | None:
        return classes.hooks(module)

    def attribute(self, spec: TensorSpec, name: str) -> tuple[str, object]:
        known = classes.attribute_of_all(name) or _attribute_of(spec, name)
        if known is not None:
            return known
        if spec.symbols:
            return self._started().attribute(spec, name)
        return self._stored(("attribute", spec, name), lambda: self._started().attribute(spec, name))

    def metadata(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """The static result of a function that looks at types only."""
        function, args = _unbound(function, args)
        walk = Walk()
        walk.visit((args, kwargs))

        def make() -> tuple[Any, list[SizeExpr]]:
            return self._started().metadata(function, args, kwargs, walk), walk.symbols

        result, symbols = self._stored(("metadata", function, *walk.whole_key(), *_ambient()), make)
        renamed = dict(zip(symbols, walk.symbols, strict=True))
        return mapped(result, lambda leaf: _renamed(leaf, renamed)) if renamed else result

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> LeafCall:
        """Raises LeafRefused, or TorchRaised with what eager raises for these types."""
        function, args = _unbound(function, args)
        args, kwargs = as_python_numbers(function, args, kwargs)
        function = lift.written_out(function, args, kwargs)
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
                entry = self._stored(
                    ("call", *key), lambda: self._lowered(function, args, kwargs, plan, walk)
                )
            except (LeafRefused, TorchRaised) as error:
                entry = error
            if isinstance(entry, Entry):
                entry.fragment = self._fragments.setdefault(entry.fragment.key, entry.fragment)
            self._entries[key] = entry
        if isinstance(entry, (SizeSplit, SizesRaised)):
            raise entry.at(walk.symbols)
        if not isinstance(entry, Entry):
            raise entry
        for operand, _ in entry.mutated:  # where operands lie is not part of the key
            refuse_overlap(function, args, walk.operands[operand], walk.operands)
        values = Fresh(zip(entry.symbols, walk.symbols, strict=True), self.size_symbols)
        return _instantiated(entry, walk, view_begins_at(function, args), values)

    def _lowered(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        plan: lift.Plan,
        walk: Walk,
    ) -> Entry | SizeSplit | SizesRaised:
        try:
            return self._started().lower(function, args, kwargs, plan, walk)
        except (SizeSplit, SizesRaised) as error:
            return error.of(walk.symbols)


def _attribute_of(spec: TensorSpec, name: str) -> tuple[str, object] | None:
    """What torch need not be asked for."""
    if name == "shape" and not spec.symbols:
        return "static", torch.Size(known_sizes(spec))
    if name == "shape":
        return "static", OpenShape(size if isinstance(size, int) else SizeResult(size) for size in spec.shape)
    plain: dict[str, object] = {"dtype": spec.dtype, "device": spec.device, "ndim": len(spec.shape)}
    return ("static", plain[name]) if name in plain else None


def _instantiated(entry: Entry, walk: Walk, at: int | None, values: Fresh) -> LeafCall:
    """`at` is where an indexed view begins: numbers that were lifted are not part of the entry."""
    operands = walk.operands
    inputs = [_given(operands[i]) for i in entry.used]
    mutated = [(operands[i], output) for i, output in entry.mutated]
    result = mapped(entry.result, lambda leaf: _filled(leaf, operands, at, values))
    requirements = [requirement_at(requirement, values.of()) for requirement in entry.requirements]
    return LeafCall(entry.fragment, inputs, result, mutated, entry.checks, requirements)


def _renamed(value: Any, names: dict[SizeExpr, SizeExpr]) -> Any:
    return SizeResult(sizes.substituted(value.size, names)) if isinstance(value, SizeResult) else value


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
    if not isinstance(value, Out):
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
    return (
        torch.get_default_dtype(),
        torch.get_default_device(),
        autocast,
        torch.get_autocast_dtype("cpu") if autocast else None,
    )
