# SPDX-License-Identifier: Apache-2.0
"""Tensors made of numbers that are known at run time only."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.guards import checked_number
from dycl.frontend.operators.weak import RANK, Weak, stored


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


def full(size: Any, fill_value: Any, *, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    return _filled(fill_value, dtype, size)


def full_like(x: torch.Tensor, value: Any, *, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    return _filled(value, dtype or x.dtype, x.shape)


def new_full(x: torch.Tensor, size: Any, value: Any, *, dtype: Any = None, **_: Any) -> torch.Tensor:
    return _filled(value, dtype or x.dtype, size)
