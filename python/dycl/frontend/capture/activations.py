# SPDX-License-Identifier: Apache-2.0
"""Activations whose parameters are numbers that are known at run time only."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.capture.arithmetic import HALF
from dycl.frontend.operators.guards import checked_number, guard
from dycl.frontend.operators.integers import held_bound
from dycl.frontend.operators.weak import Weak, fitted

Form = Callable[..., Any]


def _held(value: Any, dtype: torch.dtype) -> torch.Tensor:
    """The number as a tensor; raises where eager does, since the dtype does not hold it."""
    held: torch.Tensor = fitted(value, dtype) if isinstance(value, Weak) else checked_number(value, dtype)
    return held


def _activation(body: Callable[..., torch.Tensor], *defaults: Any, narrow: str = "") -> Callable[[Any], Form]:
    """An activation whose parameters are numbers; `body` gets them as tensors. Eager computes in f32 where
    the operand has 16 bits, and there only the parameter `narrow` has to be a number of 16 bits."""

    def form(function: Callable[..., Any]) -> Form:
        def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
            wide = torch.float32 if x.dtype in HALF else x.dtype
            given, inplace = _parameters(body, defaults, args, kwargs)
            numbers = {k: _held(v, x.dtype if k == narrow else wide).to(wide) for k, v in given.items()}
            result = body(x.to(wide), **numbers).to(x.dtype)
            return x.copy_(result) if inplace else result

        return call

    return form


def _parameters(
    body: Callable[..., torch.Tensor],
    defaults: tuple[Any, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[dict[str, Any], bool]:
    """The parameters of a call by name, and whether it writes to its operand."""
    bound = inspect.signature(body).parameters
    given = dict(zip([*bound][1:], defaults, strict=False))
    given.update(zip([*bound, "inplace"][1:], args, strict=False))
    given.update(kwargs)
    inplace = given.pop("inplace", False)
    return given, inplace


def _leaky_relu(x: torch.Tensor, negative_slope: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, x * negative_slope)


def _elu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * torch.expm1(x))


def _threshold(x: torch.Tensor, threshold: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return torch.where(x <= threshold, value, x)


def _hardshrink(x: torch.Tensor, lambd: torch.Tensor) -> torch.Tensor:
    return torch.where((x >= -lambd) & (x <= lambd), torch.zeros_like(x), x)


def _softplus(x: torch.Tensor, beta: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    return torch.where(x * beta > threshold, x, torch.log1p(torch.exp(x * beta)) / beta)


FORMS = {
    "leaky_relu": _activation(_leaky_relu, 0.01),
    "elu": _activation(_elu, 1.0),
    "threshold": _activation(_threshold, narrow="value"),
    "hardshrink": _activation(_hardshrink, 0.5, narrow="lambd"),
    "softplus": _activation(_softplus, 1.0, 20.0),
}


def _clamp_between(x: torch.Tensor, min_val: Any = -1.0, max_val: Any = 1.0) -> torch.Tensor:
    """Eager takes the bounds of integers as integers."""
    bounds = []
    for bound, is_low in ((min_val, True), (max_val, False)):
        if x.dtype.is_floating_point:
            bounds.append(_held(bound, x.dtype))
        else:
            bounds.append(held_bound(_held(bound, torch.int64), x.dtype, is_low))
    return torch.clamp(x, *bounds)


def hardtanh(x: torch.Tensor, min_val: Any = -1.0, max_val: Any = 1.0, inplace: bool = False) -> torch.Tensor:
    low, high = (_as_given(bound) for bound in (min_val, max_val))
    guard(low > high, "ValueError", "min_val cannot be greater than max_val")
    result = _clamp_between(x, min_val, max_val)
    return x.copy_(result) if inplace else result


def hardtanh_(x: torch.Tensor, min_val: Any = -1.0, max_val: Any = 1.0) -> torch.Tensor:
    """It compares its bounds with nothing."""
    return x.copy_(_clamp_between(x, min_val, max_val))


def _as_given(bound: Any) -> torch.Tensor:
    """As Python compares it."""
    if isinstance(bound, Weak):
        return bound.tensor
    return torch.tensor(bound, dtype=torch.float64 if type(bound) is float else torch.int64)
