# SPDX-License-Identifier: Apache-2.0
"""Tensors whose sizes are known at run time only, of which one is a slice of the other along one dim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from dycl.frontend.sizes.sizes import Size, product_of, range_of
from dycl.frontend.sizes.values import TensorSpec, spec


@dataclass(frozen=True)
class Slice:
    dim: int
    start: int
    end: int | None  # None: the last element
    has_dim: bool = True  # False: the part is one row, without the dimension

    @property
    def arguments(self) -> list[int | bool | None]:
        """Of `cut` and `inserted`, behind the tensors."""
        return [self.dim, self.start, self.end, self.has_dim]


def slice_of(part: TensorSpec, at: int, whole: TensorSpec, whole_at: int) -> Slice | None:
    """Where the part lies in the whole, no element of which is met twice; None where that is not known."""
    if part.dtype != whole.dtype or at < whole_at or not is_dense(whole):
        return None
    for dim, step in enumerate(whole.stride):
        lies = type(step) is int and step > 0 and (at - whole_at) % step == 0
        found = _along(part, whole, dim, (at - whole_at) // step) if lies else None
        if found is not None:
            return found
    return None


def _along(part: TensorSpec, whole: TensorSpec, dim: int, start: int) -> Slice | None:
    if _without(whole, dim) == (part.shape, part.stride):
        return Slice(dim, start, start + 1, False) if start < range_of(whole.shape[dim])[0] else None
    if part.stride != whole.stride or _without(whole, dim) != _without(part, dim):
        return None
    size, all_ = part.shape[dim], whole.shape[dim]
    if start + size == all_:
        return Slice(dim, start, None)
    if type(size) is not int or start + size > range_of(all_)[0]:
        return None
    return Slice(dim, start, start + size)


def _without(given: TensorSpec, dim: int) -> tuple[tuple[Size, ...], tuple[Size, ...]]:
    return given.shape[:dim] + given.shape[dim + 1 :], given.stride[:dim] + given.stride[dim + 1 :]


def row_of(whole: TensorSpec, items: tuple[Any, ...]) -> tuple[TensorSpec, int] | None:
    """Layout and beginning of x[..., 2]; None where the index is more than numbers and whole dimensions."""
    missing = len(whole.shape) - sum(item is not Ellipsis for item in items)
    if missing < 0 or sum(item is Ellipsis for item in items) > 1:
        return None
    place = next((n for n, item in enumerate(items) if item is Ellipsis), len(items))
    full = [*items[:place], *[slice(None)] * missing, *items[place + 1 :]]
    shape: list[Size] = []
    stride: list[Size] = []
    begin: Size = 0
    for size, step, item in zip(whole.shape, whole.stride, full, strict=True):
        if item == slice(None):
            shape.append(size)
            stride.append(step)
        elif type(item) is int:
            begin = begin + (item if item >= 0 else size + item) * step
        else:
            return None
    region = spec(whole.dtype, tuple(shape), tuple(stride), whole.device)
    return (region, begin) if type(begin) is int else None


def are_apart(left: TensorSpec, at: int, right: TensorSpec, right_at: int) -> bool:
    """Rows of elements that end before the other begins. False where that is not known."""
    if left.dtype != right.dtype or len(left.shape) != 1 or len(right.shape) != 1:
        return False
    if at > right_at:
        return are_apart(right, right_at, left, at)
    step = left.stride[0]
    return type(step) is int and step >= 0 and at + (range_of(left.shape[0])[1] - 1) * step < right_at


def is_dense(given: TensorSpec) -> bool:
    """The elements lie side by side, in whatever order of the dimensions: none is met twice."""
    left = sorted(zip(given.shape, given.stride, strict=True), key=lambda dim: dim[0] != 1)
    step: Size = 1
    while left:
        found = next((dim for dim in left if dim[1] == step), None)
        if found is None:
            return False
        left.remove(found)
        step = product_of([step, found[0]])
    return True


def order_of(seen: TensorSpec, at: int, written: TensorSpec, written_at: int) -> list[int] | None:
    """The dimensions of `written` in the order in which `seen` has them, if it has all of its elements."""
    if seen.dtype != written.dtype or at != written_at or not is_dense(written):
        return None
    left = list(zip(written.shape, written.stride, strict=True))
    order: list[int] = []
    for dim in zip(seen.shape, seen.stride, strict=True):
        place = next((n for n, other in enumerate(left) if other == dim and n not in order), None)
        if place is None:
            return None
        order.append(place)
    return order if len(order) == len(left) else None


def turned(seen: torch.Tensor, written: torch.Tensor, *order: int) -> torch.Tensor:
    """`seen` has the dimensions of `written` in this order."""
    return written.permute(order)


def cut(
    seen: torch.Tensor, written: torch.Tensor, dim: int, start: int, end: int | None, has_dim: bool
) -> torch.Tensor:
    """`seen` is that part of `written`."""
    part = written[(slice(None),) * dim + (slice(start, end),)]
    return part if has_dim else part.squeeze(dim)


def inserted(
    seen: torch.Tensor, written: torch.Tensor, dim: int, start: int, end: int | None, has_dim: bool
) -> torch.Tensor:
    """`written` is that part of `seen`."""
    whole = (slice(None),) * dim
    parts = [seen[(*whole, slice(0, start))], written if has_dim else written.unsqueeze(dim)]
    if end is not None:
        parts.append(seen[(*whole, slice(end, None))])
    return torch.cat(parts, dim)
