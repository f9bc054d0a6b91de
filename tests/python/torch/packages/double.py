# SPDX-License-Identifier: Apache-2.0
"""Eager in f64 as a second judge, of models in which rounding decides how far a step goes."""

import copy
import functools
from typing import Any

import torch
from dycl import Call

AS_FAR = 4  # times as far from f64 as eager itself may we be


def in_double(value: Any) -> Any:
    """The same with every float in f64."""
    if isinstance(value, functools.partial):
        return functools.partial(value.func, *in_double(value.args), **in_double(value.keywords))
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value).double()
    if isinstance(value, torch.Tensor):
        return value.double() if value.is_floating_point() else value
    if type(value) in (tuple, list):
        return type(value)(in_double(item) for item in value)
    return {name: in_double(item) for name, item in value.items()} if type(value) is dict else value


def is_as_exact(ours: torch.Tensor, eager: torch.Tensor, source: Any, call: Call) -> bool:
    """No further from what f64 gives than a few times eager's own distance."""
    with torch.no_grad():
        exact = in_double(source)(*in_double(call.args), **in_double(call.kwargs))
    distance, allowed = (ours - exact).abs().max(), (eager - exact).abs().max()
    return bool(distance <= AS_FAR * allowed)
