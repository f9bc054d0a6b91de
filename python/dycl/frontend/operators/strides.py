# SPDX-License-Identifier: Apache-2.0
"""The rule for as_strided(), which reads a tensor by places in memory: they are places among its elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from dycl.frontend.operators.rules import Tensor, refuse_if, rule

_NAME = "as_strided"


@rule("as_strided")
def _as_strided(x: Tensor, size: Sequence[Any], stride: Sequence[Any], storage_offset: Any = None) -> Tensor:
    refuse_if(storage_offset is not None, _NAME, "it is given a place in the storage, not in the tensor")
    numbers = [*size, *stride, *x.shape, *x.stride()]
    refuse_if(not all(isinstance(number, int) for number in numbers), _NAME, "a size depends on the input")
    flat = _in_order_of_memory(x)
    if 0 in size:
        return flat[:0].reshape(size)
    last = sum((n - 1) * step for n, step in zip(size, stride))
    refuse_if(last >= flat.numel(), _NAME, "it reads memory beyond the tensor")
    return _gathered(flat, list(size), list(stride))


def _in_order_of_memory(x: Tensor) -> Tensor:
    order = sorted(range(x.dim()), key=lambda dim: (x.stride()[dim], x.shape[dim]), reverse=True)
    ordered = x.permute(order)
    refuse_if(not ordered.is_contiguous(), _NAME, "the elements of the tensor do not lie side by side")
    return ordered.reshape(-1)


def _gathered(flat: Tensor, size: list[int], stride: list[int]) -> Tensor:
    """Reads runs of elements that lie side by side, as long as all steps between them allow."""
    outer, run = len(size), 1
    while outer and (size[outer - 1] == 1 or stride[outer - 1] == run):
        outer -= 1
        run *= size[outer]
    length = math.gcd(run, flat.numel(), *stride[:outer])
    starts = torch.zeros([1] * outer + [1], dtype=torch.int64)
    steps = [*(step // length for step in stride[:outer]), 1]
    for dim, (n, step) in enumerate(zip([*size[:outer], run // length], steps)):
        shape = [1] * (outer + 1)
        shape[dim] = n
        starts = starts + (torch.arange(n) * step).reshape(shape)
    return flat.reshape(-1, length).index_select(0, starts.reshape(-1)).reshape(size)
