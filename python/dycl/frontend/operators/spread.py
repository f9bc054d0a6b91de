# SPDX-License-Identifier: Apache-2.0
"""Variances and standard deviations."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.rules import RULES, Rule, Tensor, _aten, _count, _dims, _mean


def _var_mean(x: Tensor, dim: Any, correction: Any, keepdim: bool) -> tuple[Tensor, Tensor]:
    dims = _dims(x, dim)
    mean = _mean(x, dims, True)
    variance = _mean_square(x - mean, dims, _divisor(x, dim, correction), keepdim)
    return variance, mean if keepdim or not dims else mean.reshape(variance.shape)


def _std_mean(x: Tensor, dim: Any, correction: Any, keepdim: bool) -> tuple[Tensor, Tensor]:
    """Of deviations divided by the largest one: squares of small numbers are lost, of large ones overflow."""
    dims = _dims(x, dim)
    if not dims or not _count(x, dim):
        variance, mean = _var_mean(x, dim, correction, keepdim)
        return torch.sqrt(variance), mean
    mean = _mean(x, dims, True)
    largest = _aten("amax")((x - mean).abs(), dims, True)
    scale = torch.where((largest > 0) & (largest < math.inf), largest, torch.ones_like(largest))
    variance = _mean_square((x - mean) / scale, dims, _divisor(x, dim, correction), keepdim)
    root = torch.sqrt(variance) * (scale if keepdim else scale.reshape(variance.shape))
    return root, mean if keepdim else mean.reshape(variance.shape)


def _divisor(x: Tensor, dim: Any, correction: Any) -> Tensor:
    count = _count(x, dim) - (1 if correction is None else correction)
    return torch.full((), max(count, 0), dtype=x.dtype)


def _mean_square(x: Tensor, dims: list[int], divisor: Tensor, keepdim: bool) -> Tensor:
    return (torch.sum(x * x, dims, keepdim) if dims else x * x) / divisor


def _spread(root: bool, both: bool) -> Rule:
    def call(
        x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        spread = _std_mean if root else _var_mean
        variance, mean = spread(x, dim, correction, keepdim)
        return (variance, mean) if both else variance

    return call


for _name, _root, _both in (("var", 0, 0), ("std", 1, 0), ("var_mean", 0, 1), ("std_mean", 1, 1)):
    for _overload in ("", ".dim", ".correction"):
        RULES[f"aten::{_name}{_overload}"] = _spread(bool(_root), bool(_both))
