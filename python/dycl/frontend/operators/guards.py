# SPDX-License-Identifier: Apache-2.0
"""What a formula has to say beside its value: refusals, and conditions under which eager raises, which are
collected while a leaf call is traced."""

from __future__ import annotations

import contextlib
import contextvars
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from dycl import _core


class LeafRefused(Exception):  # noqa: N818 - it carries a reason, not a failure of ours
    """The call cannot become an operation; `hint` says what would help. `reads`: it would read a number
    from a tensor."""

    def __init__(self, reason: str, hint: str = "", reads: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.reads = reads

    def answer(self) -> _core.LeafRefused:
        return _core.LeafRefused(self.reason, self.hint, self.reads)


@dataclass(eq=False, slots=True)
class Guard:
    raised: torch.Tensor  # bool[]
    exception: str
    message: str


_collector: contextvars.ContextVar[list[Guard]] = contextvars.ContextVar("guards")


@contextlib.contextmanager
def collected_guards() -> Iterator[list[Guard]]:
    guards: list[Guard] = []
    token = _collector.set(guards)
    try:
        yield guards
    finally:
        _collector.reset(token)


def guard(raised: torch.Tensor, exception: str, message: str) -> None:
    """Eager raises `exception` where any element of `raised` is true."""
    if not any(isinstance(size, int) and size == 0 for size in raised.shape):
        shown = re.sub(r" with size (?!\d+$).*$", "", message)  # torch's name of a size says nothing
        _collector.get().append(Guard(_any(raised), exception, shown))


def _any(flags: torch.Tensor) -> torch.Tensor:
    if all(isinstance(size, int) for size in flags.shape):
        return flags.any() if flags.dim() else flags
    # Backends are wrong about the largest of nothing.
    return torch.cat([flags.reshape(-1), torch.zeros(1, dtype=torch.bool)]).any()


def checked_index(
    index: torch.Tensor, size: int, message: str, wraps: bool = False, kind: str = "IndexError"
) -> torch.Tensor:
    """`index` made harmless for a dimension of `size`, with a guard on what was out of range."""
    index = index.to(torch.int64)
    bad = (index < (-size if wraps else 0)) | (index >= size)
    guard(bad, kind, message)
    if wraps:
        index = torch.where(index < 0, index + size, index)
    return torch.where(bad, torch.zeros_like(index), index)


# As eager's messages spell them.
_C_TYPES = {
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.int16: "int16_t",
    torch.int32: "int",
    torch.int64: "int64_t",
    torch.float16: "c10::Half",
    torch.bfloat16: "c10::BFloat16",
    torch.float32: "float",
}


def checked_number(value: Any, dtype: torch.dtype, name: str = "") -> torch.Tensor:
    """A number, or a tensor of one, in `dtype`, which eager may call `name`: raises where it does not fit."""
    if not isinstance(value, torch.Tensor):
        return torch.full((), fitting(value, dtype), dtype=dtype)
    if _always_fits(value.dtype, dtype):
        return value.to(dtype)
    value = value if value.is_floating_point() else value.to(torch.int64)
    bad = _outside(value, dtype, value.is_floating_point())
    shown = name or _C_TYPES.get(dtype, str(dtype))
    guard(bad, "RuntimeError", f"value cannot be converted to type {shown} without overflow")
    return torch.where(bad, torch.zeros_like(value), value).to(dtype)


def fitting(value: Any, dtype: torch.dtype) -> Any:
    is_size = isinstance(value, torch.SymInt)
    if not is_size and dtype != torch.bool and _outside(value, dtype, isinstance(value, float)):
        reason = f"eager raises: {value} cannot be converted to {dtype} without overflow"
        raise LeafRefused(reason, "use a number that the dtype holds")
    return wrapped(value, dtype)


def wrapped(value: Any, dtype: torch.dtype) -> Any:
    """An integer as eager's arithmetic takes it: modulo the dtype's range."""
    is_size = isinstance(value, torch.SymInt)  # which fits
    if dtype.is_floating_point or dtype == torch.bool or isinstance(value, float) or is_size:
        return value
    info = torch.iinfo(dtype)
    return (int(value) - info.min) % (info.max - info.min + 1) + info.min


def _limits(dtype: torch.dtype, of_float: bool) -> tuple[Any, Any]:
    if dtype.is_floating_point:
        return torch.finfo(dtype).min, torch.finfo(dtype).max
    info = torch.iinfo(dtype)
    return info.min if of_float or info.min else -info.max, info.max  # of -5 eager makes 251


def _outside(value: Any, dtype: torch.dtype, of_float: bool) -> Any:
    low, high = _limits(dtype, of_float)
    if dtype.is_floating_point:
        return (abs(value) > high) & (abs(value) != math.inf)
    if of_float:
        return (value < float(low)) | (value >= float(high + 1)) | (value != value)
    return (value < low) | (value > high)


def _always_fits(source: torch.dtype, dtype: torch.dtype) -> bool:
    if torch.bool in (source, dtype) or source == dtype:
        return True
    if dtype.is_floating_point:
        return torch.finfo(dtype).max >= (
            torch.finfo(source).max if source.is_floating_point else torch.iinfo(source).max
        )
    (low, high), (least, most) = _limits(dtype, source.is_floating_point), _limits(source, True)
    return bool(low <= least and most <= high)
