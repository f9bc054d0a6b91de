# SPDX-License-Identifier: Apache-2.0
"""Tensors whose sizes are known at run time only, of which one is a slice of the other along one dimension."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from dycl.frontend.sizes.sizes import product_of, range_of
from dycl.frontend.sizes.values import TensorSpec


@dataclass(frozen=True)
class Slice:
    dim: int
    start: int
    end: int | None  # None: the last element


def slice_of(part: TensorSpec, at: int, whole: TensorSpec, whole_at: int) -> Slice | None:
    """Where the part lies in the whole, no element of which is met twice; None where that is not known."""
    if part.dtype != whole.dtype or part.stride != whole.stride or not is_contiguous(whole):
        return None
    sizes = list(zip(part.shape, whole.shape, strict=True))
    other = [dim for dim, (one, all_) in enumerate(sizes) if one != all_]
    step = whole.stride[other[0]] if len(other) == 1 else None
    if type(step) is not int or step < 1 or at < whole_at or (at - whole_at) % step:
        return None
    start = (at - whole_at) // step
    one, all_ = sizes[other[0]]
    if start + one == all_:
        return Slice(other[0], start, None)
    if type(one) is not int or start + one > range_of(all_)[0]:
        return None
    return Slice(other[0], start, start + one)


def are_apart(left: TensorSpec, at: int, right: TensorSpec, right_at: int) -> bool:
    """Rows of elements that end before the other begins. False where that is not known."""
    if left.dtype != right.dtype or len(left.shape) != 1 or len(right.shape) != 1:
        return False
    if at > right_at:
        return are_apart(right, right_at, left, at)
    step = left.stride[0]
    return type(step) is int and step >= 0 and at + (range_of(left.shape[0])[1] - 1) * step < right_at


def is_contiguous(spec: TensorSpec) -> bool:
    return all(
        stride == product_of(spec.shape[dim + 1 :]) for dim, stride in enumerate(spec.stride)
    )


def cut(
    seen: torch.Tensor, written: torch.Tensor, dim: int, start: int, end: int | None
) -> torch.Tensor:
    """`seen` is that part of `written`."""
    return written[(slice(None),) * dim + (slice(start, end),)]


def inserted(
    seen: torch.Tensor, written: torch.Tensor, dim: int, start: int, end: int | None
) -> torch.Tensor:
    """`written` is that part of `seen`."""
    whole = (slice(None),) * dim
    before = seen[(*whole, slice(0, start))]
    return torch.cat([before, written] if end is None else [before, written, seen[(*whole, slice(end, None))]], dim)
