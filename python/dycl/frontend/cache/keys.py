# SPDX-License-Identifier: Apache-2.0
"""Keys as text that means the same in every process. Functions are known by where torch keeps them, and only
while they are torch's own: whoever exchanges a function of torch for another one has nothing remembered."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import torch

from dycl._core import SizeExpr
from dycl.frontend.cache.exchanged import is_foreign
from dycl.frontend.sizes.values import TensorSpec

_PLAIN = (type(None), bool, int, str, bytes, type(Ellipsis))
_OF_TORCH = (torch.dtype, torch.device, torch.layout, torch.memory_format)
_OWNERS = (torch, torch.Tensor, torch.nn.functional, torch._C._nn, torch._VF)
_OPERATIONS = frozenset({"aten", "prims", "dycl"})  # what others register may change
_names: dict[Callable[..., Any], str] = {}


def name_function(function: Callable[..., Any], name: str) -> None:
    """For functions of ours that have no place of their own."""
    _names[function] = name


class NoStableTextError(Exception):
    """Something in a key is known to this process only."""


def text_of(value: Any) -> str:
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, type) and value.__module__ == "builtins":
        return value.__qualname__
    if kind is tuple:
        return f"({','.join(map(text_of, value))})"
    if isinstance(value, TensorSpec):
        return f"spec{text_of((value.dtype, value.shape, value.stride, value.device))}"
    if isinstance(value, _OF_TORCH):
        return f"{kind.__name__}:{value}"
    if isinstance(value, SizeExpr):
        return str(value)
    if kind is torch.Size:
        return f"Size{text_of(tuple(value))}"
    if callable(value):
        return _name_of(value)
    raise NoStableTextError(kind.__name__)


def _name_of(function: Any) -> str:
    name = _names.get(function) or _place_of(function)
    if name is None or is_foreign(function):
        raise NoStableTextError(getattr(function, "__name__", "?"))
    return name


def _place_of(function: Any) -> str | None:
    """Where it is found again: "torch.nn.functional.relu"."""
    if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return f"op {function}" if str(function).partition(".")[0] in _OPERATIONS else None
    if type(function).__module__ == "dycl.frontend.capture.classes":
        return f"getter {function.__name__}"
    owner = getattr(function, "__objclass__", None)
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None)
    places = [owner] if owner is not None else [sys.modules.get(str(module)), *_OWNERS, operator]
    for place in places:
        found: Any = place
        for part in getattr(function, "__qualname__", name).split("."):
            found = getattr(found, part, None)
        if found is function or getattr(place, name, None) is function:
            return f"{type(function).__name__} {getattr(place, '__name__', place)}.{name}"
    return None
