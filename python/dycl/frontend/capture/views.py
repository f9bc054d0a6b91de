# SPDX-License-Identifier: Apache-2.0
"""What a write to one tensor changes in another that shares its memory.

Where a tensor lies in its storage is known: its spec has the sizes and strides, `at` is the place of its
first element. So the elements that two tensors have in common are known too, however the views were made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from dycl._core import ViewUpdate
from dycl.frontend.capture import slices
from dycl.frontend.sizes.values import LeafRefused, ScalarSlot, TensorSlot, TensorSpec, spec

GETS = {operator.getitem, torch.Tensor.__getitem__}
SETS = {operator.setitem, torch.Tensor.__setitem__}


def same_place(left: TensorSpec, left_at: int, right: TensorSpec, right_at: int) -> bool:
    places = ((spec.dtype, spec.shape, spec.stride) for spec in (left, right))
    return left_at == right_at and next(places) == next(places)


def disjoint(left: TensorSpec, left_at: int, right: TensorSpec, right_at: int) -> bool:
    """No element in common. False where that is not known."""
    if left.dtype != right.dtype or not (is_known(left) and is_known(right)):
        return False
    first, second = _interval(left, left_at), _interval(right, right_at)
    if first is None or second is None or first[1] < second[0] or second[1] < first[0]:
        return True
    return not bool((_found(left, left_at, right, right_at) >= 0).any())


def update(written: TensorSpec, at: int, seen: TensorSpec, seen_at: int) -> ViewUpdate:
    """How `seen` follows from the written tensor."""
    if written.dtype != seen.dtype or not (is_known(written) and is_known(seen)):
        return _update_of_open(written, at, seen, seen_at)
    if disjoint(written, at, seen, seen_at):
        return _plainly("none")
    if same_place(written, at, seen, seen_at):
        return _plainly("same")
    found = _found(written, at, seen, seen_at)
    common = found >= 0
    if bool(common.all()):
        return ViewUpdate("computed", taken, [found])
    return ViewUpdate("computed", put, [common.nonzero().reshape(-1), found[common]])


def _update_of_open(written: TensorSpec, at: int, seen: TensorSpec, seen_at: int) -> ViewUpdate:
    if same_place(written, at, seen, seen_at):
        return _plainly("same")
    if slices.are_apart(written, at, seen, seen_at):
        return _plainly("none")
    if order := slices.order_of(seen, seen_at, written, at):
        return ViewUpdate("computed", slices.turned, order)
    if part := slices.slice_of(seen, seen_at, written, at):
        return ViewUpdate("computed", slices.cut, part.arguments)
    if part := slices.slice_of(written, at, seen, seen_at):
        return ViewUpdate("computed", slices.inserted, part.arguments)
    return _plainly("unknown")


def _plainly(relation: str) -> ViewUpdate:
    return ViewUpdate(relation, None, [])


def taken(seen: torch.Tensor, written: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Every element of `seen` is one of `written`."""
    return written.reshape(-1).index_select(0, source).reshape(seen.shape)


def put(
    seen: torch.Tensor, written: torch.Tensor, target: torch.Tensor, source: torch.Tensor
) -> torch.Tensor:
    """Elements `target` of `seen` are the elements `source` of `written`."""
    elements = written.reshape(-1).index_select(0, source)
    return seen.reshape(-1).scatter(0, target, elements).reshape(seen.shape)


def is_known(spec: TensorSpec) -> bool:
    """Its sizes and strides are numbers."""
    return all(type(number) is int for number in (*spec.shape, *spec.stride))


def _interval(spec: TensorSpec, at: int) -> tuple[int, int] | None:
    """First and last place in the storage; None when there is no element."""
    if any(size == 0 for size in spec.shape):
        return None
    return at, at + sum((size - 1) * stride for size, stride in zip(spec.shape, spec.stride, strict=True))


def _places(spec: TensorSpec, at: int) -> torch.Tensor:
    places = torch.full((), at, dtype=torch.int64)
    for size, stride in zip(spec.shape, spec.stride, strict=True):
        places = places.unsqueeze(-1) + torch.arange(size, dtype=torch.int64) * stride
    return places.reshape(-1)


def _found(written: TensorSpec, at: int, seen: TensorSpec, seen_at: int) -> torch.Tensor:
    """For each element of `seen` the element of `written` at the same place, or -1."""
    places, wanted = _places(written, at), _places(seen, seen_at)
    first = int(min(places.min(), wanted.min()))
    last = int(max(places.max(), wanted.max()))
    table = torch.full((last - first + 1,), -1, dtype=torch.int64)
    table[places - first] = torch.arange(places.numel(), dtype=torch.int64)
    return table[wanted - first]


def moves_with_values(operands: list[Any]) -> bool:
    """Where a view begins in its storage may depend on numbers known at run time only."""
    return any(isinstance(operand, ScalarSlot) or _is_position(operand) for operand in operands)


def _is_position(operand: Any) -> bool:
    if not isinstance(operand, TensorSlot) or operand.spec.dtype == torch.bool:
        return False
    return operand.spec.shape == () and not operand.spec.dtype.is_floating_point


def view_begins_at(function: Callable[..., Any], args: tuple[Any, ...]) -> int | None:
    """Of x[index], from the first element of x; None where another call, or more than numbers, decides."""
    if function not in GETS or not isinstance(args[0], TensorSlot):
        return None
    region = _indexed(args[0].spec, args[1])
    return None if region is None else region[1]


def refuse_overlap(
    function: Callable[..., Any], args: tuple[Any, ...], written: TensorSlot, operands: list[Any]
) -> None:
    """Eager reads its operands while it writes: right if it writes elsewhere, or each element in place."""
    region, at = written.spec, written.at
    if function in SETS:
        stored = _indexed(written.spec, args[1])
        if stored is not None and at is not None:
            region, at = stored[0], at + stored[1]
    if _meets_itself(written.spec):
        raise LeafRefused("a write to a tensor whose elements share memory with each other", "clone it first")
    for other in operands:
        if not isinstance(other, TensorSlot) or other is written or other.storage != written.storage:
            continue
        if at is not None and other.at is not None:
            if disjoint(region, at, other.spec, other.at):
                continue
            if _is_elementwise(function) and same_place(region, at, other.spec, other.at):
                continue
        raise LeafRefused("a write to a tensor that shares memory with another operand", "clone one first")


def _meets_itself(spec: TensorSpec) -> bool:
    """Two elements lie at one place, as in windows that overlap: what eager leaves there depends on order."""
    if not is_known(spec) or 0 in spec.shape:
        return False
    reach = 0
    for stride, size in sorted(zip(spec.stride, spec.shape, strict=True)):
        if size > 1 and stride <= reach:
            return bool(len(set(_places(spec, 0).tolist())) < math.prod(spec.shape))
        reach += (size - 1) * stride
    return False


def _is_elementwise(function: Any) -> bool:
    name = getattr(function, "__name__", "")
    return function in SETS or name in _ELEMENTWISE


_ELEMENTWISE = frozenset(
    ["copy_", "add_", "sub_", "mul_", "div_"]
    + [f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor")]
    + [f"i{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor")]
)


def _indexed(whole: TensorSpec, index: Any) -> tuple[TensorSpec, int] | None:
    """Layout and beginning of x[index]; None where the index is more than slices and numbers."""
    items = index if isinstance(index, tuple) else (index,)
    for item in items:
        parts = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
        if any(not (part is None or part is Ellipsis or type(part) is int) for part in parts):
            return None
    if not is_known(whole):
        return slices.row_of(whole, items)
    view = torch.empty_strided(whole.shape, whole.stride, dtype=whole.dtype, device="meta")[index]
    region = spec(whole.dtype, tuple(view.shape), view.stride(), whole.device)
    return region, int(view.storage_offset())
