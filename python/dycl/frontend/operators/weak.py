# SPDX-License-Identifier: Apache-2.0
"""Python numbers beside tensors: they take the tensors' dtype, as far as it holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from dycl.frontend.operators.guards import LeafRefused, checked_number
from dycl.frontend.operators.integers import held_bound

EXAMPLES: dict[str, Any] = {"bool": True, "int": 0, "float": 0.0}
RANK = ["bool", "int", "float"]


@dataclass(eq=False, slots=True)
class Weak:
    """A number inside a trace: a 0-d tensor of its widest type."""

    tensor: torch.Tensor
    kind: str
    known: bool  # lifted: its value was valid when the call was planned


def resolved(value: Any, dtype: torch.dtype) -> Any:
    return value.tensor.to(dtype) if isinstance(value, Weak) else value


_HALF = (torch.float16, torch.bfloat16)


def fitted(value: Any, dtype: torch.dtype) -> Any:
    """As `resolved`, where eager raises for a number that the dtype does not hold."""
    if isinstance(value, Weak) and not value.known:
        return checked_number(value.tensor, dtype)
    return resolved(value, dtype)


def fitted_wide(value: Any, dtype: torch.dtype) -> Any:
    """Likewise, where eager holds numbers for 16 bits in f32."""
    return resolved(value, dtype) if dtype in _HALF else fitted(value, dtype)


def stored(value: Any, dtype: torch.dtype, places: Any) -> Any:
    """Likewise, where eager writes a number to so many places: a single one of 16 bits takes any number."""
    if not isinstance(value, Weak) or dtype not in _HALF:
        return fitted(value, dtype)
    if not isinstance(places, int):
        raise LeafRefused(
            "a number computed from tensors fills as many elements of 16 bits as the input says",
            "fill a float32 tensor and convert it",
        )
    return resolved(value, dtype) if places == 1 else fitted(value, dtype)


def common_dtype(args: list[Any]) -> torch.dtype:
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    kinds = [
        a.kind if isinstance(a, Weak) else type(a).__name__ for a in args if not isinstance(a, torch.Tensor)
    ]
    number = EXAMPLES[max((k for k in kinds if k in RANK), key=RANK.index, default="bool")]
    if not tensors:
        return torch.result_type(number, number)
    base = tensors[0]
    for other in tensors[1:]:
        ndim = max(base.dim(), other.dim())
        base = torch.empty((1,) * ndim, dtype=torch.result_type(base, other))
    return torch.result_type(base, number)


def as_bound(bound: Any, dtype: torch.dtype, is_low: bool) -> torch.Tensor:
    """As a tensor: both are, or none."""
    if isinstance(bound, Weak):
        return resolved(bound, dtype) if bound.known else held_bound(bound.tensor, dtype, is_low)
    if type(bound) is int and not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        bound = min(max(bound, info.min), info.max)
    return torch.full((), bound, dtype=dtype)
