# SPDX-License-Identifier: Apache-2.0
"""Warns a caller who trains through a compiled program, which computes no gradients."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import Any


class GradientWarning(UserWarning):
    """A compiled program was called where eager would have recorded gradients."""


def warn_of_gradients(values: Iterable[Any]) -> bool:
    """Warns if eager's result would have gradients here, and returns whether it did."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not any(_cuts_gradients(torch, value) for value in values):
        return False
    warnings.warn(
        "an input requires gradients, and a compiled program computes none: its results are cut from the "
        "graph of autograd. Call it under torch.no_grad() or with x.detach(); to train, call the model "
        "itself",
        GradientWarning,
        stacklevel=_depth_of_caller(),
    )
    return True


def _cuts_gradients(torch: Any, value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_cuts_gradients(torch, item) for item in value)
    backward = torch.is_grad_enabled() and getattr(value, "requires_grad", False)
    return bool(backward) or _has_tangent(torch, value)


def _has_tangent(torch: Any, value: Any) -> bool:
    """In forward mode."""
    forward = torch.autograd.forward_ad
    if forward._current_level < 0 or not isinstance(value, torch.Tensor):
        return False
    return forward.unpack_dual(value).tangent is not None


def _depth_of_caller() -> int:
    """Returns, for warnings.warn, the first frame outside of our packages, counted from the caller."""
    frame: FrameType | None = sys._getframe(1)
    depth = 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("dycl.", "dycl_")):
        frame, depth = frame.f_back, depth + 1
    return depth
