# SPDX-License-Identifier: Apache-2.0
"""Functions that are there for results near zero: 1 + x - 1 must not round x away."""

from __future__ import annotations

import math

import torch

from dycl.frontend.operators.rules import Tensor, _aten, floating, refuse_if, rule
from dycl.frontend.operators.special import polynomial


def _at_least_single(x: Tensor) -> Tensor:
    """f16 and bf16 in f32, where eager computes."""
    return x if x.dtype == torch.float64 else x.to(torch.float32)


@rule("log1p")
def log1p(x: Tensor) -> Tensor:
    """log(u) * x / (u - 1), however u = 1 + x was rounded."""
    x = floating(x)
    u = 1 + x
    return torch.where((u == 1) | (u == math.inf), x, torch.log(u) * (x / (u - 1)))


@rule("expm1")
def _expm1(x: Tensor) -> Tensor:
    """2t / (1 - t) of t = tanh(x / 2), which loses nothing near 0; from 1 on simply exp(x) - 1."""
    x = floating(x)
    wide = _at_least_single(x)
    t = torch.tanh(wide * 0.5)
    result = torch.where(wide < 1, 2 * t / (1 - t), torch.exp(wide) - 1)
    return torch.where(wide.abs() < 2.0**-60, wide, result).to(
        x.dtype
    )  # halves of subnormal numbers are lost


@rule("elu")
def _elu(x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    wide = _at_least_single(x)
    t = torch.tanh(wide * (0.5 * input_scale))
    low = t / (1 - t) * (2 * alpha * scale)
    return torch.where(wide > 0, wide if scale == 1 else wide * scale, low).to(x.dtype)


@rule("celu")
def _celu(x: Tensor, alpha: float = 1) -> Tensor:
    return _elu(x, alpha, 1, 1 / alpha)


@rule("selu")
def _selu(x: Tensor) -> Tensor:
    return _elu(x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@rule("mish")
def _mish(x: Tensor) -> Tensor:
    """Of f64 by n = e * (e + 2), where e = exp(x): ONNX's form takes log(1 + e), which is 0 below -37."""
    if x.dtype != torch.float64:
        return _aten("mish")(x)
    power = torch.exp(torch.clamp(x, max=20))
    n = power * (power + 2)
    return x * (n / (n + 2))


# ONNX has x / 6 + 1 / 2, in which what is left of x + 3 near -3 is lost.


@rule("hardsigmoid")
def _hardsigmoid(x: Tensor) -> Tensor:
    return (torch.clamp(_at_least_single(x) + 3, 0, 6) / 6).to(x.dtype)


@rule("hardswish")
def _hardswish(x: Tensor) -> Tensor:
    wide = _at_least_single(x)
    return (wide * torch.clamp(wide + 3, 0, 6) / 6).to(x.dtype)


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
    # size * size is head * head, which is exact, and the rest: its exponential shows every digit.
    head = torch.round(torch.clamp(size, max=16) * 16) / 16
    rest = (size - head) * (size + head)
    tail = t * torch.exp(polynomial(t, _ERFC) - rest) * torch.exp(-head * head)
    far = torch.where(wide < 0, 2 - tail, tail)
    return torch.where(size < 0.5, 1 - torch.erf(wide), far).to(x.dtype)


@rule("nextafter")
def _nextafter(x: Tensor, y: Tensor) -> Tensor:
    """x and 5/4 of half its last digit, rounded: the neighbour. Small numbers are scaled up before."""
    is_single = x.dtype == torch.float32
    refuse_if(not is_single and x.dtype != torch.float64, "nextafter", "it is lowered for f32 and f64 only")
    x, y = x + torch.zeros_like(y), y + torch.zeros_like(x)
    digits, least, scale = (24, 2.0**-149, 2.0**64) if is_single else (53, 2.0**-1074, 2.0**128)
    size = x.abs()
    grows = (y > x) == (x > 0)
    small = size < least * 2.0 ** (2 * digits)
    scaled = torch.where(small, size * scale, size)
    step = scaled * (1.25 * 2.0**-digits)
    moved = torch.where(grows, scaled + step, scaled - step)
    moved = torch.where(small, moved / scale, moved)
    evenly = torch.where(grows, size + least, size - least)  # the distances are all the same there
    moved = torch.where(size < least * 2.0**digits, evenly, moved)
    moved = torch.where(size == math.inf, torch.full_like(size, torch.finfo(x.dtype).max), moved)
    moved = torch.where(x < 0, -moved, moved)
    first = torch.full_like(x, least)
    moved = torch.where(x == 0, torch.where(y < 0, -first, first), moved)
    return torch.where(x == y, y, torch.where(x.isnan() | y.isnan(), x + y, moved))
