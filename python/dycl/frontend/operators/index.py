# SPDX-License-Identifier: Apache-2.0
"""Rules for reading and writing at indices."""

from __future__ import annotations

from typing import Any

import torch

from dycl.frontend.operators.guards import checked_index, checked_number, fitting, guard
from dycl.frontend.operators.rules import RULES, Rule, Tensor, _aten, _is_int, refuse_if, rule


def _vector(x: Tensor) -> Tensor:
    return x if x.dim() else x.reshape(1)


def _bounds(index: Tensor, x: Tensor, dim: int, kind: str = "RuntimeError") -> Tensor:
    size = x.shape[dim] if x.dim() else 1
    return checked_index(index, size, f"index out of bounds for dimension {dim} with size {size}", kind=kind)


@rule("embedding")
def _embedding(weight: Tensor, indices: Tensor, *_: Any) -> Tensor:
    safe = checked_index(indices, weight.shape[0], "index out of range in self")
    return _aten("embedding")(weight, safe)


@rule("index_select")
def _index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    size = x.shape[dim] if x.dim() else 1
    if x.dim() > 1 and dim % x.dim() == 1:  # eager has a kernel of its own there
        message = f"INDICES element is out of DATA bounds, axis_dim={size}"
        safe = checked_index(_vector(index), size, message, kind="RuntimeError")
    else:
        safe = checked_index(_vector(index), size, "index out of range in self")
    return _aten("index_select")(_vector(x), dim, safe).reshape(
        x.shape if x.dim() == 0 else _with(x, dim, safe)
    )


def _with(x: Tensor, dim: int, index: Tensor) -> list[int]:
    return [index.shape[0] if d == dim % x.dim() else size for d, size in enumerate(x.shape)]


@rule("gather")
def _gather(x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    if not index.numel():
        return torch.zeros(index.shape, dtype=x.dtype)
    safe = _bounds(index, x, dim)
    return _aten("gather")(_vector(x), dim, _vector(safe)).reshape(index.shape)


def _scattered_mean(x: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool = True) -> Tensor:
    add = RULES["aten::scatter_add"]
    start = x if include_self else torch.zeros_like(x)
    ones = torch.ones_like(x) if include_self else torch.zeros_like(x)
    total, count = add(start, dim, index, src), add(ones, dim, index, torch.ones_like(src))
    mean: Tensor = torch.div(total, torch.clamp_min(count, 1), rounding_mode="floor" if _is_int(x) else None)
    return torch.where(count == 0, x, mean)


def _scattered(name: str) -> Rule:
    def call(x: Tensor, dim: int, index: Tensor, src: Any, *rest: Any, **kwargs: Any) -> Tensor:
        src = src if isinstance(src, Tensor) else fitting(src, x.dtype)
        if x.dtype == torch.bool and name != "scatter.src":  # ONNX reduces numbers only
            src = src.to(torch.int32) if isinstance(src, Tensor) else int(src)
            return call(x.to(torch.int32), dim, index, src, *rest, **kwargs).to(torch.bool)
        if "mean" in rest:
            return _scattered_mean(x, dim, index, src, **kwargs)
        safe = _vector(_bounds(index, x, dim))
        if isinstance(src, Tensor):
            src = _vector(src)[tuple(slice(0, size) for size in safe.shape)]
        result: Tensor = _aten(name)(_vector(x), dim, safe, src, *rest, **kwargs)
        if x.is_floating_point() and ("amax" in rest or "amin" in rest):
            result = _with_nan(result, _vector(x), dim, safe, src, **kwargs)
        return result.reshape(x.shape)

    return call


def _with_nan(
    result: Tensor, x: Tensor, dim: int, index: Tensor, src: Tensor, *, include_self: bool = True
) -> Tensor:
    """The largest of numbers of which one is NaN is NaN; ONNX leaves it to the order of writing."""
    marks = [torch.isnan(part).to(torch.float32) for part in (x, src)]
    found = _aten("scatter_reduce.two")(marks[0], dim, index, marks[1], "amax", include_self=include_self)
    return torch.where(found > 0, torch.full_like(result, float("nan")), result)


for _name in ("scatter.src", "scatter.value", "scatter_add", "scatter_reduce.two"):
    RULES[f"aten::{_name}"] = _scattered(_name)


@rule("scatter.reduce", "scatter.value_reduce")
def _scatter_reduced(x: Tensor, dim: int, index: Tensor, src: Any, *, reduce: str) -> Tensor:
    src = src if isinstance(src, Tensor) else checked_number(src, x.dtype).expand(index.shape)
    kind = {"add": "sum", "multiply": "prod"}[reduce]
    result: Tensor = RULES["aten::scatter_reduce.two"](x, dim, index, src, kind)
    return result


@rule("index_reduce")
def _index_reduce(
    x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    source = _vector(src)
    shape = [-1 if d == dim % source.dim() else 1 for d in range(source.dim())]
    size = x.shape[dim] if x.dim() else 1
    safe = checked_index(_vector(index), size, "index out of range in self")
    rows = safe.reshape(shape).expand(source.shape)
    call = RULES["aten::scatter_reduce.two"]
    result: Tensor = call(x, dim, rows, source, reduce, include_self=include_self)
    return result


@rule("put")
def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    if not index.numel():
        return x.clone()
    return _index_put(x.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate).reshape(x.shape)


def _safe_indices(x: Tensor, indices: list[Tensor | None]) -> list[Tensor | None]:
    safe: list[Tensor | None] = []
    for index in indices:
        if index is None:
            safe.append(None)
        elif index.dtype in (torch.bool, torch.uint8):  # a mask stands for the places where it is true
            places = torch.nonzero(index)
            safe += [places.select(1, axis) for axis in range(index.dim())]
        else:
            dim = len(safe)
            size = x.shape[dim]
            shown = f" with size {size}" if isinstance(size, int) else ""
            message = f"index is out of bounds for dimension {dim}{shown}"
            safe.append(checked_index(index, size, message, wraps=True))
    return safe


@rule("index.Tensor")
def _index(x: Tensor, indices: list[Tensor | None]) -> Tensor:
    return _aten("index.Tensor")(x, _safe_indices(x, indices))


@rule("masked_select")
def _masked_select(x: Tensor, mask: Tensor) -> Tensor:
    x, mask = torch.broadcast_tensors(x, mask)  # type: ignore[no-untyped-call]
    return _aten("index.Tensor")(x, _safe_indices(x, [mask]))


def _masked_put(x: Tensor, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """Each row of x where the mask is true takes the next row of the values, or the only one."""
    rest = x.shape[mask.dim() :]
    if values.dim() > len(rest):
        count = torch.full((1,), values.shape[0])
        places = torch.cat([torch.zeros(1, dtype=torch.int64), mask.reshape(-1).to(torch.int64)]).cumsum(0)
        mismatch = (places[-1:] != count) & (count != 1)
        guard(mismatch, "RuntimeError", "shape mismatch: value tensor cannot be broadcast to indexing result")
        row = torch.minimum(torch.clamp(places[1:] - 1, min=0), torch.clamp(count - 1, min=0))
        padded = torch.cat([values, values.new_zeros([1, *values.shape[1:]])])  # there may be none
        values = padded.index_select(0, row).reshape([*mask.shape, *values.shape[1:]])
    wide = mask.reshape([*mask.shape, *(1 for _ in rest)])
    return torch.where(wide, x + values if accumulate else values, x)


@rule("index_put")
def _index_put(x: Tensor, indices: list[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == torch.bool:
        differ = values.dim() > 0 and values.dtype != x.dtype
        refuse_if(differ, "index_put", "eager raises: the dtypes differ")
        return _masked_put(x, indices[0], checked_number(values, x.dtype), accumulate)
    return _aten("index_put")(x, _safe_indices(x, indices), values, accumulate)


def _by_row(name: str, kind: str, wraps: bool = False) -> Rule:
    def call(x: Tensor, dim: int, index: Tensor, *rest: Any, **kwargs: Any) -> Tensor:
        if not x.dim():
            rest = (
                _vector(rest[0])
                if isinstance(rest[0], Tensor) and name != "index_fill.int_Tensor"
                else rest[0],
            )
            return call(x.reshape(1), 0, index, *rest, **kwargs).reshape(())
        message = f"index out of bounds for dimension {dim} with size {x.shape[dim]}"
        safe = checked_index(_vector(index), x.shape[dim], message, wraps=wraps, kind=kind)
        return _aten(name)(x, dim, safe, *rest, **kwargs)

    return call


RULES["aten::index_copy"] = _by_row("index_copy", "IndexError")


@rule("index_add")
def _index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Eager has code of its own for vectors, which raises another exception."""
    add = _by_row("index_add", "IndexError" if x.dim() < 2 else "RuntimeError")
    result: Tensor = add(x, dim, index, source, alpha=alpha)
    return result


@rule("index_fill.int_Scalar", "index_fill.int_Tensor")
def _index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    number = checked_number(value, x.dtype)
    fill = _by_row("index_fill.int_Tensor", "IndexError", wraps=True)
    result: Tensor = fill(x, dim, index, number)
    return result


@rule("take")
def _take(x: Tensor, index: Tensor) -> Tensor:
    safe = checked_index(index, x.numel(), "out of range", wraps=True)
    return x.reshape(-1).index_select(0, safe.reshape(-1)).reshape(index.shape)


@rule("one_hot")
def _one_hot(x: Tensor, num_classes: int = -1) -> Tensor:
    guard(x < 0, "RuntimeError", "Class values must be non-negative.")
    guard(x >= num_classes, "RuntimeError", "Class values must be smaller than num_classes.")
    return (x.unsqueeze(-1) == torch.arange(num_classes)).to(torch.int64)


@rule("masked_scatter")
def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    x = x.expand(torch.where(mask, x, x).shape)
    mask = mask.expand(x.shape)
    flat, values = mask.reshape(-1), source.reshape(-1)
    place = torch.cumsum(flat.to(torch.int64), 0) - 1
    short = place >= values.shape[0]
    guard(short & flat, "RuntimeError", "masked_scatter: expected self and source to have enough elements")
    chosen = values[torch.where(short | (place < 0), torch.zeros_like(place), place)]
    return torch.where(mask, chosen.reshape(x.shape), x)
