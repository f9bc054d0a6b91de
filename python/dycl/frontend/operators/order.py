# SPDX-License-Identifier: Apache-2.0
"""Rules for running extremes and products, order statistics and searches: ONNX has none of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import torch

from dycl.frontend.operators.guards import guard
from dycl.frontend.operators.near_zero import logaddexp
from dycl.frontend.operators.rules import RULES, Rule, Tensor, _aten, amax, refuse_if, rule, sort

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
    """By halving, in eager's steps: where the sequence has NaN, or is not sorted, they decide."""
    size = sequence.shape[-1]
    refuse_if(not isinstance(size, int), "searchsorted", "the length of its sequence is not known")
    first = torch.zeros_like(values, dtype=torch.int64)
    last = torch.full_like(first, size)
    for _ in range(size.bit_length()):
        middle = first + torch.div(last - first, 2, rounding_mode="floor")
        safe = torch.clamp_max(middle, size - 1)
        if sequence.dim() == 1:
            at = sequence.index_select(0, safe.reshape(-1)).reshape(safe.shape)
        else:
            at = torch.gather(sequence, -1, safe)
        before = ~(at > values if right else at >= values)
        within = first < last
        first = torch.where(within & before, middle + 1, first)
        last = torch.where(within & ~before, middle, last)
    return first


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
    places = _places(sequence, values, right or side == "right")
    return places.to(torch.int32) if out_int32 else places


@rule("bucketize.Tensor", "bucketize.Scalar")
def _bucketize(values: Any, sequence: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return _searchsorted(sequence, values, out_int32=out_int32, right=right)


@rule("logcumsumexp")
def _logcumsumexp(x: Tensor, dim: int) -> Tensor:
    if not x.numel() or not x.dim():
        return x.clone()
    size, step = x.shape[dim], 1
    refuse_if(not isinstance(size, int), "logcumsumexp", "the number of its elements is not known")
    while step < size:  # after each round an element is the sum of twice as many
        old, new = x.narrow(dim, 0, size - step), x.narrow(dim, step, size - step)
        x = torch.cat([x.narrow(dim, 0, step), logaddexp(old, new)], dim)
        step *= 2
    return x


@rule("quantile", "quantile.scalar")
def _quantile(
    x: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    return _quantiles(x, q, dim, keepdim, interpolation, False)


@rule("nanquantile", "nanquantile.scalar")
def _nanquantile(
    x: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    return _quantiles(x, q, dim, keepdim, interpolation, True)


def _quantiles(
    x: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignores_nan: bool
) -> Tensor:
    q = q if isinstance(q, Tensor) else torch.full((), q, dtype=x.dtype)
    bad = ~((q >= 0) & (q <= 1))
    guard(bad, "RuntimeError", "quantile() q values must be in the range [0, 1]")
    levels = torch.where(bad, torch.zeros_like(q), q).reshape(-1)
    rows = x.reshape(-1) if dim is None or not x.dim() else x.movedim(dim, -1)
    values = sort(rows, -1)[0]
    nans = torch.isnan(values)
    if ignores_nan:
        ranks = levels * torch.clamp_min((~nans).sum(-1, keepdim=True) - 1, 0)
    else:
        last = torch.full((), values.shape[-1] - 1, dtype=q.dtype)
        ranks = torch.where(nans.any(-1, keepdim=True), last, levels * last)
    rounded = {"lower": torch.floor, "higher": torch.ceil, "nearest": torch.round}
    ranks = rounded[interpolation](ranks) if interpolation in rounded else ranks
    below = torch.floor(ranks).to(torch.int64)
    result = torch.gather(values, -1, below)
    if interpolation in ("linear", "midpoint"):
        above = torch.gather(values, -1, torch.ceil(ranks).to(torch.int64))
        weight = ranks - below if interpolation == "linear" else torch.full_like(ranks, 0.5)
        result = torch.lerp(result, above, weight.to(result.dtype))
    result = result.movedim(-1, 0)
    if keepdim:
        kept = [1 if dim is None or d == dim % x.dim() else size for d, size in enumerate(x.shape)]
        result = result.reshape([levels.shape[0], *kept])
    return result if q.dim() else result.squeeze(0)


# --- of what size depends on values ---------------------------------------------------------------------


@rule("repeat_interleave.Tensor")
def _repeat_interleave(repeats: Tensor, *, output_size: int | None = None) -> Tensor:
    refuse_if(output_size is not None, "repeat_interleave", "output_size has no ONNX form; leave it out")
    wide = repeats.to(torch.int64)
    bad = wide < 0
    guard(bad, "RuntimeError", "repeats can not be negative")
    counts = torch.where(bad, torch.zeros_like(wide), wide)
    return _aten("repeat_interleave.Tensor")(counts).to(repeats.dtype)


@rule("bincount")
def _bincount(x: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    refuse_if(weights is not None, "bincount", "weights have no ONNX form")
    x = x.to(torch.int64)
    guard(x < 0, "RuntimeError", "bincount only supports 1-d non-negative integral inputs.")
    return _aten("bincount")(torch.where(x < 0, torch.zeros_like(x), x), None, minlength)


@rule("unique_consecutive")
def _unique_consecutive(
    x: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    refuse_if(dim is not None and x.dim() != 1, "unique_consecutive", "it is lowered for vectors only")
    flat = x.reshape(-1)
    size = flat.shape[0]
    previous = torch.cat([flat[:1], flat[:-1]])
    starts = (flat != previous) | (torch.arange(size) == 0)
    places = torch.nonzero(starts).select(1, 0)
    inverse = (torch.cumsum(starts.to(torch.int64), 0) - 1).reshape(x.shape)
    ends = torch.cat([places[1:], torch.full((1,), size)])
    return flat.index_select(0, places), inverse, ends - places


@rule("_unique", "_unique2")
def _unique(x: Tensor, *rest: Any, **kwargs: Any) -> Any:
    if x.dtype in (torch.int64, torch.float64):
        return _unique_in_onnx("_unique2")(x, *rest, **kwargs)
    if not x.is_floating_point():
        values, *others = _unique_in_onnx("_unique2")(x.to(torch.int64), *rest, **kwargs)
        return values.to(x.dtype), *others
    ordered, places = sort(x.reshape(-1), 0)
    values, inverse, counts = _unique_consecutive(ordered)
    return values, torch.zeros_like(inverse).scatter(0, places, inverse).reshape(x.shape), counts


def _unique_in_onnx(name: str) -> Rule:
    def call(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        if x.is_floating_point():  # eager takes each for another value, ONNX does not
            guard(torch.isnan(x), "RuntimeError", "DyCL cannot compute this unique of NaN")
        return _aten(name)(x, *args, **kwargs)

    return call


RULES["aten::unique_dim"] = _unique_in_onnx("unique_dim")


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
