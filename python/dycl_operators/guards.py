# SPDX-License-Identifier: Apache-2.0
"""What a formula has to say beside its value: refusals, and conditions under which eager raises, which are
collected while a leaf call is traced."""

from __future__ import annotations

import contextlib
import contextvars
import re
from collections.abc import Iterator
from dataclasses import dataclass

import torch


class LeafRefused(Exception):  # noqa: N818 - it carries a reason, not a failure of ours
    """The call cannot become an operation; `hint` says what would help."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


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
