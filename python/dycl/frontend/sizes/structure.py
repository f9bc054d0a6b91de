# SPDX-License-Identifier: Apache-2.0
"""Keys of argument structures: what a call looks like once its tensors and lifted numbers are taken out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dycl._core import SizeExpr
from dycl.frontend.sizes.sizes import Size
from dycl.frontend.sizes.values import (
    LeafRefused,
    ScalarSlot,
    TensorSlot,
    TensorSpec,
    contiguous_stride,
    spec_of,
)

# Everything an nn.Module keeps beside its own attributes; hooks make a module no leaf at all.
_BOOKKEEPING = frozenset(
    name
    for name in torch.nn.Module().__dict__
    if name not in ("_parameters", "_buffers", "_modules", "training")
) | {"_flat_weight_refs", "_is_full_backward_hook", "_is_hf_initialized"}
_IMMUTABLE = (
    str,
    bytes,
    type(None),
    type(Ellipsis),
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)


class Lifted:
    """A number known now that enters the fragment as an input, so that its value is not part of the key."""

    __slots__ = ("value",)

    def __init__(self, value: int | float) -> None:
        self.value = value

    @property
    def kind(self) -> str:
        return "int" if isinstance(self.value, int) else "float"


class Sized:
    """An int known at run time where torch takes a size: it enters the fragment as an input."""

    __slots__ = ("size", "slot")

    def __init__(self, slot: ScalarSlot) -> None:
        assert slot.size is not None
        self.slot = slot
        self.size = slot.size


class Walk:
    """Flattens one call. `key` is hashable; operands are numbered in order and told apart by identity."""

    def __init__(self) -> None:
        self.key: list[Any] = []
        self.operands: list[Any] = []
        self.numbers: dict[int, int] = {}  # id -> operand; `operands` keeps the objects alive
        self._storages: dict[int, int] = {}
        self._local: dict[SizeExpr, SizeExpr] = {}

    @property
    def symbols(self) -> list[SizeExpr]:
        """Of the sizes that are not known, in the order of their first use."""
        return list(self._local)

    def whole_key(self) -> tuple[Any, ...]:
        return (*self.key, *(symbol.range for symbol in self._local))

    def _size(self, size: Size) -> Any:
        """Equal for sizes that differ in the names of their symbols only."""
        if isinstance(size, int):
            return size
        for symbol in size.symbols:
            if symbol not in self._local:
                number = len(self._local) + 1
                self._local[symbol] = SizeExpr(f"s{number}", [(number, *symbol.range)])
        return size.substituted(self._local)

    def _spec(self, spec: TensorSpec) -> Any:
        if not spec.symbols:
            return spec
        shape = tuple(self._size(size) for size in spec.shape)
        plain = spec.stride == contiguous_stride(spec.shape)
        return spec.dtype, shape, plain or tuple(self._size(size) for size in spec.stride), spec.device

    def visit(self, value: Any) -> None:
        handler = _HANDLERS.get(type(value))
        if handler is not None:
            handler(self, value)
        else:
            self._other(value)

    def _operand(self, value: Any, *description: Any) -> None:
        number = self.numbers.setdefault(id(value), len(self.operands))
        if number == len(self.operands):
            self.operands.append(value)
            self.key.append(("operand", *description))
        else:
            self.key.append(number)

    def tensor_slot(self, value: TensorSlot) -> None:
        storage = self._storages.setdefault(value.storage, len(self._storages))
        self._operand(value, self._spec(value.spec), storage)

    def number(self, value: ScalarSlot | Lifted) -> None:
        # Of a number that is known, the fragment need not check what it is: as an index it lies inside.
        self._operand(value, type(value), value.kind)

    def sized(self, value: Sized) -> None:
        self._operand(value, Sized, self._size(value.size))

    def tensor(self, value: torch.Tensor) -> None:
        self._operand(value, "static", spec_of(value))

    def literal(self, value: Any) -> None:
        self.key.append((type(value), value))

    def float_literal(self, value: float) -> None:
        self.key.append(value.hex())  # tells 0.0 from -0.0 and finds NaN again

    def sequence(self, value: Any) -> None:
        self.key.append((type(value), len(value)))
        for item in value:
            self.visit(item)

    def mapping(self, value: dict[Any, Any]) -> None:
        self.key.append((type(value), *value))
        for item in value.values():
            self.visit(item)

    def slice(self, value: slice) -> None:
        self.key.append(slice)
        for item in (value.start, value.stop, value.step):
            self.visit(item)

    def module(self, value: torch.nn.Module) -> None:
        attributes = value.__dict__
        self.key.append(type(value))
        for name, item in attributes.items():
            if name not in _BOOKKEEPING:
                self.key.append(name)
                self.visit(item)

    def _other(self, value: Any) -> None:
        if isinstance(value, torch.nn.Module):
            self.module(value)
        elif isinstance(value, torch.Tensor):
            self.tensor(value)
        elif isinstance(value, tuple):
            self.sequence(value)
        elif isinstance(value, dict):
            self.mapping(value)
        elif callable(value):
            self.key.append(value)  # compared by identity; the key keeps it alive
        elif isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            raise LeafRefused("a symbolic size as an argument")
        else:
            raise LeafRefused(f"an argument of type {type(value).__name__}", "pass tensors or numbers")


_HANDLERS: dict[type, Callable[[Walk, Any], None]] = {
    TensorSlot: Walk.tensor_slot,
    ScalarSlot: Walk.number,
    Lifted: Walk.number,
    Sized: Walk.sized,
    torch.Tensor: Walk.tensor,
    torch.nn.Parameter: Walk.tensor,
    int: Walk.literal,
    bool: Walk.literal,
    float: Walk.float_literal,
    tuple: Walk.sequence,
    list: Walk.sequence,
    torch.Size: Walk.sequence,
    dict: Walk.mapping,
    slice: Walk.slice,
    torch.memory_format: Walk.literal,
    **dict.fromkeys(_IMMUTABLE, Walk.literal),
}


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with `change` applied to what its tuples, lists and dicts hold."""
    if isinstance(value, tuple):
        items = [mapped(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {name: mapped(item, change) for name, item in value.items()}
    return change(value)


def replace(value: Any, replacement: dict[int, Any]) -> Any:
    """`value` with the operands exchanged (by identity); modules are rebuilt, never written to."""
    if id(value) in replacement:
        return replacement[id(value)]
    if isinstance(value, torch.nn.Module):
        copy = object.__new__(type(value))
        content = {
            name: item if name in _BOOKKEEPING else replace(item, replacement)
            for name, item in value.__dict__.items()
        }
        if "_flat_weight_refs" in content:  # an RNN compares its weights with these
            content["_flat_weight_refs"] = [None] * len(content["_flat_weight_refs"])
        copy.__dict__.update(content)
        return copy
    if isinstance(value, (tuple, list, dict)):
        return mapped(value, lambda item: replace(item, replacement))
    if isinstance(value, slice):
        return slice(*(replace(item, replacement) for item in (value.start, value.stop, value.step)))
    return value
