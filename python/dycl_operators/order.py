# SPDX-License-Identifier: Apache-2.0
"""Rules for running extremes and products, order statistics and searches: ONNX has none of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import torch

from dycl_operators.rules import RULES, Rule, Tensor, amax, refuse_if, rule, sort

_UNROLLED = 64


def _cumulative_extreme(larger: bool) -> Rule:
    def later(old: Tensor, new: Tensor) -> Tensor:
        wins = new >= old if larger else new <= old
        return torch.isnan(new) | (wins & ~torch.isnan(old)) if new.is_floating_point() else wins

    def call(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        if not x.numel() or not x.dim():
            return x.clone(), torch.zeros_like(x, dtype=torch.int64)
        size, step = x.shape[dim], 1
        values = x.to(torch.int64) if x.dtype == torch.bool else x
        at = torch.arange(size).reshape([size if d == dim % x.dim() else 1 for d in range(x.dim())])
        indices = at.expand(x.shape)
        while step < size:  # after each round an element knows twice as many of its predecessors
            old, new = values.narrow(dim, 0, size - step), values.narrow(dim, step, size - step)
            old_at, new_at = indices.narrow(dim, 0, size - step), indices.narrow(dim, step, size - step)
            wins = later(old, new)
            values = torch.cat([values.narrow(dim, 0, step), torch.where(wins, new, old)], dim)
            indices = torch.cat([indices.narrow(dim, 0, step), torch.where(wins, new_at, old_at)], dim)
            step *= 2
        return values.to(x.dtype), indices

    return call


RULES["aten::cummax"] = _cumulative_extreme(larger=True)
RULES["aten::cummin"] = _cumulative_extreme(larger=False)


@rule("cumprod")
def _cumprod(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    dtype = dtype or (x.dtype if x.is_floating_point() else torch.int64)
    x = x.to(dtype)
    if not x.numel() or not x.dim():
        return x.clone()
    refuse_if(x.shape[dim] > _UNROLLED, "cumprod", f"it is lowered for at most {_UNROLLED} factors")
    wide = x.to(torch.float64) if dtype == torch.float32 else x  # as eager accumulates
    products = list(itertools.accumulate(torch.chunk(wide, x.shape[dim], dim), torch.mul))
    return torch.cat(products, dim).to(dtype)


def _picked(values: Tensor, indices: Tensor, at: Any, dim: int, keepdim: bool) -> Any:
    if isinstance(at, int):
        picked = [t.narrow(dim, at, 1) for t in (values, indices)]
    else:
        picked = [torch.gather(t, dim, at) for t in (values, indices)]
    return tuple(t if keepdim else t.squeeze(dim) for t in picked)


@rule("kthvalue")
def _kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    values, indices = sort(x, dim)
    return _picked(values, indices, k - 1, dim, keepdim) if x.dim() else (values, indices)


def _median(ignores_nan: bool) -> Rule:
    def along(x: Tensor, dim: int, keepdim: bool = False) -> Any:
        if not x.dim():
            return x.clone(), sort(x)[1]
        values, indices = sort(x, dim)
        middle = (x.shape[dim] - 1) // 2
        if not x.is_floating_point():
            return _picked(values, indices, middle, dim, keepdim)
        nans = torch.isnan(values).to(torch.int64).sum(dim, keepdim=True)  # they stand last
        if ignores_nan:
            at = torch.clamp_min((x.shape[dim] - nans - 1) // 2, 0)
        else:
            at = torch.where(nans > 0, x.shape[dim] - nans, torch.full_like(nans, middle))
        return _picked(values, indices, at, dim, keepdim)

    def call(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        refuse_if(x.numel() == 0, "median", "it has no elements")
        return along(x.reshape(-1), 0)[0] if dim is None else along(x, dim, keepdim)

    return call


for _overload in ("", ".dim"):
    RULES[f"aten::median{_overload}"] = _median(ignores_nan=False)
    RULES[f"aten::nanmedian{_overload}"] = _median(ignores_nan=True)


def _places(sequence: Tensor, values: Tensor, right: bool) -> Tensor:
    """How many elements of the sorted sequence lie before each value; NaN lies behind all."""
    row, value = sequence.unsqueeze(-2), values.unsqueeze(-1)
    return (~(row > value if right else row >= value)).to(torch.int64).sum(-1)


@rule("searchsorted.Tensor", "searchsorted.Scalar")
def _searchsorted(
    sequence: Tensor,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Tensor:
    sequence = sequence if sorter is None else torch.gather(sequence, -1, sorter)
    values = values if isinstance(values, Tensor) else torch.full((), values, dtype=sequence.dtype)
    flat = values.reshape(-1) if sequence.dim() == 1 else values
    places = _places(sequence, flat, right or side == "right").reshape(values.shape)
    return places.to(torch.int32) if out_int32 else places


@rule("bucketize.Tensor", "bucketize.Scalar")
def _bucketize(values: Any, sequence: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return _searchsorted(sequence, values, out_int32=out_int32, right=right)


@rule("combinations")
def _combinations(x: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = list(choose(range(x.shape[0]), r))
    refuse_if(not chosen, "combinations", "there are none")
    return x.index_select(0, torch.tensor(chosen).reshape(-1)).reshape(len(chosen), r)


@rule("_cdist_forward")
def _cdist(a: Tensor, b: Tensor, p: float, mode: Any = None) -> Tensor:
    apart = (a.unsqueeze(-2) - b.unsqueeze(-3)).abs()
    if p == 0:
        return (apart != 0).to(a.dtype).sum(-1)
    if p == math.inf:
        result: Tensor = amax(apart, [-1])
        return result
    if p == 2:
        return torch.sqrt((apart * apart).sum(-1))
    return apart.sum(-1) if p == 1 else torch.pow(torch.pow(apart, p).sum(-1), 1 / p)
