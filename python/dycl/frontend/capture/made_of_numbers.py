# SPDX-License-Identifier: Apache-2.0
"""Tensors made of numbers that are known at run time only."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.guards import checked_number, guard
from dycl.frontend.operators.weak import RANK, Weak, stored
from dycl.frontend.sizes.values import ScalarSlot


def tensor_of(data: Any, *, dtype: torch.dtype | None = None, device: Any = None, **_: Any) -> torch.Tensor:
    """torch.tensor over numbers known at run time."""

    def kind(item: Any) -> str:
        if isinstance(item, (list, tuple)):
            return max((kind(i) for i in item), key=RANK.index)
        return item.kind if isinstance(item, Weak) else type(item).__name__

    def build(item: Any, dtype: torch.dtype) -> torch.Tensor:
        if isinstance(item, (list, tuple)):
            return torch.stack([build(i, dtype) for i in item])
        if not isinstance(item, Weak):
            return torch.full((), item, dtype=dtype)
        if dtype.is_floating_point:
            return item.tensor.to(dtype)
        return checked_number(item.tensor, dtype, str(dtype).removeprefix("torch."))

    return build(data, dtype or _inferred(kind(data)))


def scalar_tensor(s: Any, *, dtype: torch.dtype | None = None, **options: Any) -> torch.Tensor:
    """Of the default dtype, whatever kind of number it is given."""
    return tensor_of(s, dtype=dtype or torch.get_default_dtype(), **options)


def _inferred(kind: str) -> torch.dtype:
    return {"bool": torch.bool, "int": torch.int64, "float": torch.get_default_dtype()}[kind]


def _filled(value: Any, dtype: torch.dtype | None, size: Any) -> torch.Tensor:
    """Unlike torch.tensor, these raise for a number that the dtype does not hold."""
    if not isinstance(value, Weak):
        return tensor_of(value, dtype=dtype).expand(size)
    sizes = size if isinstance(size, (tuple, list)) else (size,)
    number: torch.Tensor = stored(value, dtype or _inferred(value.kind), math.prod(sizes))
    return number.expand(size)


def full(
    size: Any, fill_value: Any, *, out: Any = None, dtype: torch.dtype | None = None, **_: Any
) -> torch.Tensor:
    return _filled(fill_value, dtype if out is None else out.dtype, size)


def full_like(x: torch.Tensor, value: Any, *, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    return _filled(value, dtype or x.dtype, x.shape)


def new_full(x: torch.Tensor, size: Any, value: Any, *, dtype: Any = None, **_: Any) -> torch.Tensor:
    return _filled(value, dtype or x.dtype, size)


def is_counted_apart(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A range of ints, some of them known at run time only, in a dtype that need not hold its bounds."""
    bounds = [*args, *(kwargs[name] for name in ("start", "end", "step") if name in kwargs)]
    slots = [bound for bound in bounds if isinstance(bound, ScalarSlot)]
    is_plain = all(type(bound) is int or isinstance(bound, ScalarSlot) for bound in bounds)
    is_int = all(slot.kind == "int" for slot in slots)
    return bool(slots) and is_plain and is_int and kwargs.get("dtype") not in (None, torch.int64)


def arange(*args: Any, dtype: torch.dtype, **named: Any) -> torch.Tensor:
    """Counted in i64, as the dtype may not hold the bounds. Eager counts the elements in f64."""
    bounds = [*args, *(named[name] for name in ("start", "end") if name in named)]
    for bound in bounds if len(bounds) > 1 else []:  # no memory holds so many elements from 0 on
        number = torch.full((), bound, dtype=torch.int64)
        far = (number > 2**53) | (number < -(2**53))
        guard(far, "RuntimeError", "a compiled program cannot count beyond 2**53 in this dtype of arange")
    if len(bounds) == 2 and "step" not in named:  # backends, too, count the elements in f64
        first, end = bounds
        counted: torch.Tensor = torch.arange(end - first) + first
        return counted.to(dtype)
    return torch.arange(*args, **{**named, "dtype": torch.int64}).to(dtype)
