# SPDX-License-Identifier: Apache-2.0
"""Fake tensors are not always right about types and errors: each new kind of call is run once for real.

The operands are made up (ones); the example's values are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.sizes.structure import Lifted, replace
from dycl.frontend.sizes.values import (
    LeafRefused,
    TensorSlot,
    TensorSpec,
    TorchRaised,
    known_sizes,
    spec_of,
)

MOST_ELEMENTS = 1 << 22  # beyond this the run would cost more than it tells


def confirm(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    operands: list[Any],
    specs: list[TensorSpec],
    may_raise: bool,
) -> None:
    """Refuses a call that eager types otherwise, or that eager refuses though nothing checks for it."""
    if _is_large(operands):
        return
    try:
        result = _run(function, args, kwargs, operands)
    except Exception as error:
        if may_raise:
            return
        reason = f"eager raises {type(error).__name__} for some values: {str(error).splitlines()[0]}"
        raise LeafRefused(reason, "use an operation that is defined for all values") from error
    found = [spec_of(tensor) for tensor in tensors_of(result)]
    if [(s.dtype, s.shape) for s in found] != [(s.dtype, s.shape) for s in specs]:
        raise LeafRefused(
            "torch's shape inference disagrees with eager here", "write it with other operations"
        )


def confirm_raised(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    operands: list[Any],
    typed: TorchRaised,
) -> TorchRaised:
    """What eager itself raises, which may be of another type, in other words. Refuses a call that eager runs
    though torch raises where it only types it."""
    if _is_large(operands):
        return typed
    try:
        _run(function, args, kwargs, operands)
    except Exception as error:
        return TorchRaised(error)
    raise LeafRefused("torch's shape inference disagrees with eager here", "write it with other operations")


def _is_large(operands: list[Any]) -> bool:
    slots = [operand for operand in operands if isinstance(operand, TensorSlot)]
    return sum(torch.Size(known_sizes(slot.spec)).numel() for slot in slots) > MOST_ELEMENTS


def _run(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], operands: list[Any]
) -> Any:
    given = {id(o): _real(o) for o in operands if not isinstance(o, (torch.Tensor, Lifted))}
    with torch.no_grad():
        return replace(function, given)(*replace(args, given), **replace(kwargs, given))


def _real(operand: Any) -> Any:
    if not isinstance(operand, TensorSlot):
        return {"bool": True, "int": 1, "float": 1.0}[operand.kind]
    spec = operand.spec
    sizes = known_sizes(spec)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, spec.stride, strict=True))
    ones = torch.ones(max(extent, 1), dtype=spec.dtype, device=spec.device)
    return ones.as_strided(sizes, spec.stride)


def made_up(shape: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Numbers that differ, where they are floats; ones otherwise."""
    last = sum(max(size - 1, 0) * step for size, step in zip(shape, stride, strict=True))
    numbers = torch.ones(last + 1, dtype=dtype)
    if dtype.is_floating_point:
        places = torch.arange(last + 1, dtype=torch.float64)
        numbers = places.mul_(0.37).remainder_(3.0).add_(0.1).to(dtype)
    return numbers.as_strided(shape, stride)


def tensors_of(value: Any) -> list[torch.Tensor]:
    """Those in a structure, in the order in which they stand."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [tensor for item in items for tensor in tensors_of(item)]
