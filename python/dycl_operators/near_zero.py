# SPDX-License-Identifier: Apache-2.0
"""Functions that are there for results near zero: 1 + x - 1 must not round x away."""

from __future__ import annotations

import math

import torch

from dycl_operators.rules import Tensor, _aten, floating, rule
from dycl_operators.special import polynomial


@rule("log1p")
def log1p(x: Tensor) -> Tensor:
    """log(u) * x / (u - 1), however u = 1 + x was rounded."""
    x = floating(x)
    u = 1 + x
    return torch.where((u == 1) | (u == math.inf), x, torch.log(u) * (x / (u - 1)))


@rule("expm1")
def _expm1(x: Tensor) -> Tensor:
    """(u - 1) * x / log(u), however u = exp(x) was rounded; far from 0 simply u - 1."""
    x = floating(x)
    u = torch.exp(x)
    near = torch.where(u == 1, x, (u - 1) * (x / torch.log(u)))
    return torch.where(x.abs() < 0.5, near, u - 1)


@rule("logaddexp")
def logaddexp(a: Tensor, b: Tensor) -> Tensor:
    top = torch.maximum(a, b)
    return torch.where(a == b, a + math.log(2.0), top + log1p(torch.exp(-(a - b).abs())))


@rule("logaddexp2")
def _logaddexp2(a: Tensor, b: Tensor) -> Tensor:
    rest = log1p(torch.exp2(-(a - b).abs())) / math.log(2.0)
    return torch.where(a == b, a + 1, torch.maximum(a, b) + rest)


@rule("log_sigmoid")
def _log_sigmoid(x: Tensor) -> Tensor:
    return torch.minimum(x, torch.zeros_like(x)) - log1p(torch.exp(-x.abs()))


# A fit of log(erfc(x) / t) + x * x in powers of t = 2 / (2 + x), good to 1.2e-7 for all x from 0 on.
_ERFC = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806]
_ERFC += [0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277]


@rule("erfc", "special_erfc")
def _erfc(x: Tensor) -> Tensor:
    x = floating(x)
    if x.dtype == torch.float64:  # the fit is one for f32
        return _aten("erfc")(x)
    wide = x.to(torch.float32)
    size = wide.abs()
    t = 2 / (2 + size)
    tail = t * torch.exp(polynomial(t, _ERFC) - size * size)
    far = torch.where(wide < 0, 2 - tail, tail)
    return torch.where(size < 0.5, 1 - torch.erf(wide), far).to(x.dtype)
