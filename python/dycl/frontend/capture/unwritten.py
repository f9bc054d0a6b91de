# SPDX-License-Identifier: Apache-2.0
"""Which elements of a tensor's memory nobody has written yet.

torch.empty gives memory with any numbers in it. A mask, flat over the storage, says which elements are still
so; where sizes are known at run time only, a span. None in its place: some may be, and which is not known.
False: none is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from dycl.frontend.capture.slices import is_dense
from dycl.frontend.capture.views import is_known
from dycl.frontend.sizes.sizes import Size, product_of
from dycl.frontend.sizes.values import TensorSpec


@dataclass(frozen=True)
class Span:
    """Elements of the storage, from the first to the one before the last."""

    first: Size
    last: Size

    def without(self, first: Size, last: Size) -> Span | bool:
        """What is left when some elements at one of its ends are written; all of it where nobody can tell."""
        rest = self
        if first == self.first:
            rest = Span(last, self.last)
        elif last == self.last:
            rest = Span(self.first, first)
        return rest.first != rest.last and rest


Mask = torch.Tensor | Span | bool | None
_MOST_ELEMENTS = 1 << 26  # beyond it which elements are written is not followed


def fresh(spec: TensorSpec) -> Mask:
    """Of a whole new tensor."""
    if not is_known(spec):
        return Span(0, product_of(spec.shape)) if is_dense(spec) else None
    elements = math.prod(spec.shape)
    if elements == 0:
        return False
    return torch.ones(elements, dtype=torch.bool) if elements <= _MOST_ELEMENTS else None


def seen(mask: Mask, spec: TensorSpec, at: int | None) -> Mask:
    """What of it a tensor sees that lies there."""
    if isinstance(mask, Span) and at is not None and is_dense(spec):
        is_beside = at == mask.last or at + product_of(spec.shape) == mask.first
        return mask if not is_beside else False
    if not isinstance(mask, torch.Tensor):
        return mask
    if at is None or not is_known(spec):
        return None
    return mask if bool(_place(mask, spec, at).any()) else False


def after_write(mask: Mask, written: TensorSpec, at: int | None, index: Any) -> Mask:
    """After a write to `tensor[index]` of the tensor that lies there."""
    if isinstance(mask, Span) and at is not None and is_dense(written) and is_whole(index):
        return mask.without(at, at + product_of(written.shape))
    if not isinstance(mask, torch.Tensor) or at is None or not is_known(written):
        return mask
    rest = mask.clone()
    _place(rest, written, at)[index] = False
    return rest


def is_whole(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is Ellipsis or (isinstance(part, slice) and part == slice(None)) for part in parts)


def same(left: Mask, right: Mask) -> bool:
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        return torch.equal(left, right)
    return left is right or (isinstance(left, Span) and left == right)


def united(left: Mask, right: Mask) -> Mask:
    """Unwritten on one of two paths. Both masks are of tensors at one place of their storage."""
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor) and left.shape == right.shape:
        return left | right
    if isinstance(left, Span) and left == right:
        return left
    if left is False or right is False:
        return right if left is False else left
    return None


def _place(mask: torch.Tensor, spec: TensorSpec, at: int) -> torch.Tensor:
    return mask.as_strided(spec.shape, spec.stride, at)
