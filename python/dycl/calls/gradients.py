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
    if torch is None or not torch.is_grad_enabled() or not any(_has_gradients(value) for value in values):
        return False
    warnings.warn(
        "an input requires gradients, and a compiled program computes none: its results are cut from the "
        "graph of autograd. Call it under torch.no_grad() or with x.detach(); to train, call the model "
        "itself",
        GradientWarning,
        stacklevel=_depth_of_caller(),
    )
    return True


def _has_gradients(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_gradients(item) for item in value)
    return bool(getattr(value, "requires_grad", False))


def _depth_of_caller() -> int:
    """Returns, for warnings.warn, the first frame outside of our packages, counted from the caller."""
    frame: FrameType | None = sys._getframe(1)
    depth = 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("dycl.", "dycl_")):
        frame, depth = frame.f_back, depth + 1
    return depth
