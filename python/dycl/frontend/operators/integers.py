# SPDX-License-Identifier: Apache-2.0
"""Rules for numbers that the dtype of a tensor may not hold, and for shifts."""

from __future__ import annotations

from typing import Any

import torch

from dycl.frontend.operators.guards import checked_number, guard
from dycl.frontend.operators.rules import RULES, Rule, Tensor, _aten, _same_dtype, refuse_if, rule


def held_bound(bound: Tensor, dtype: torch.dtype, is_low: bool) -> Tensor:
    """A bound of clamp known at run time: eager takes the nearest that the dtype holds, unless nothing lies
    within the bound."""
    if not dtype.is_floating_point and not bound.is_floating_point():
        info = torch.iinfo(dtype)
        outside = bound > info.max if is_low else bound < info.min
        name, kind = ("min", "above") if is_low else ("max", "below")
        guard(outside, "RuntimeError", f"Clamp {name} value lies {kind} the range of the dtype")
        return torch.clamp(bound, info.min, info.max).to(dtype)
    return checked_number(bound, dtype)


def _bound(bound: Any, dtype: torch.dtype) -> Any:
    """The bound, or none where each number of the dtype lies within it."""
    if isinstance(bound, Tensor) or bound is None or dtype.is_floating_point or dtype == torch.bool:
        return bound
    info = torch.iinfo(dtype)
    return bound if info.min <= bound <= info.max else None


@rule("hardtanh")
def _hardtanh(x: Tensor, low: float, high: float) -> Tensor:
    """Eager takes the bounds of integers as integers, where clamp makes floats of both."""
    if x.dtype.is_floating_point:
        return _aten("hardtanh")(x, low, high)
    return _clamp(x, int(low), int(high))


@rule("clamp")
def _clamp(x: Tensor, low: Any = None, high: Any = None) -> Tensor:
    if x.is_floating_point() and (low is None or high is None):  # ONNX's other bound is the largest number
        return _clamp_max(x, high) if low is None else _clamp_min(x, low)
    dtype = x.dtype
    for bound in (low, high):
        dtype = dtype if bound is None else torch.result_type(torch.empty((1,), dtype=dtype), bound)
    low, high, x = _bound(low, dtype), _bound(high, dtype), x.to(dtype)
    if low is None and high is None:
        return x.clone()
    return _aten("clamp")(x, low, high)


@rule("clamp_min", "clamp_min.Tensor")
def _clamp_min(x: Tensor, low: Any) -> Tensor:
    low = _bound(low, torch.result_type(x, low))
    return x.clone() if low is None else torch.maximum(*_same_dtype(x, low))


@rule("clamp_max", "clamp_max.Tensor")
def _clamp_max(x: Tensor, high: Any) -> Tensor:
    high = _bound(high, torch.result_type(x, high))
    return x.clone() if high is None else torch.minimum(*_same_dtype(x, high))


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return torch.where(mask, checked_number(value, x.dtype), x)


# --- shifts ---------------------------------------------------------------------------------------------


def _shifted(name: str) -> Rule:
    left = "left" in name

    def call(x: Any, by: Any) -> Tensor:
        x, by = _same_dtype(x, by)
        refuse_if(x.is_floating_point(), "a shift", "its operands are no integers")
        bits = torch.iinfo(x.dtype).bits
        far = (by < 0) | (by >= bits)  # where C leaves the result open
        beyond = torch.zeros_like(x) if left else torch.where(x < 0, -torch.ones_like(x), torch.zeros_like(x))
        safe = torch.where(far, torch.zeros_like(by), by)
        if x.dtype == torch.uint8:  # ONNX's form gives i8
            wide = _aten(f"{name}.Tensor")(x.to(torch.int32), safe.to(torch.int32))
            result = (wide & 255).to(torch.uint8)
        else:
            result = _aten(f"{name}.Tensor")(x, safe)
        return torch.where(far, beyond, result)

    return call


for _name, _symbol in (("bitwise_left_shift", "__lshift__"), ("bitwise_right_shift", "__rshift__")):
    for _full_name in (
        f"{_name}.Tensor", f"{_name}.Tensor_Scalar", f"{_name}.Scalar_Tensor", f"{_symbol}.Tensor",
        f"{_symbol}.Scalar",
    ):  # fmt: skip
        RULES[f"aten::{_full_name}"] = _shifted(_name)
