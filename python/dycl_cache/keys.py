# SPDX-License-Identifier: Apache-2.0
"""Keys as text that means the same in every process. Functions are known by where torch keeps them, and only
while they are torch's own: whoever exchanges a function of torch for another one has nothing remembered."""

from __future__ import annotations

import operator
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sympy
import torch
from dycl_sizes.values import TensorSpec

_PLAIN = (type(None), bool, int, str, bytes, type(Ellipsis))
_OF_TORCH = (torch.dtype, torch.device, torch.layout, torch.memory_format)
_OWNERS = (torch, torch.Tensor, torch.nn.functional, torch._C._nn, torch._VF)
_PACKAGES = ("dycl", "dycl_operators", "dycl_sizes")
_FOLDERS = tuple(
    f"{folder}/"
    for folder in (Path(torch.__file__).parent, *(Path(__file__).parent.parent / name for name in _PACKAGES))
)
_STANDARD = (f"{sysconfig.get_path('stdlib')}/", f"{sysconfig.get_path('platstdlib')}/")
_STANDINS = frozenset({"unittest.mock", "mock"})
_names: dict[Callable[..., Any], str] = {}


def name_function(function: Callable[..., Any], name: str) -> None:
    """For functions of ours that have no place of their own."""
    _names[function] = name


class NoStableTextError(Exception):
    """Something in a key is known to this process only."""


class Keys:
    def __init__(self) -> None:
        self._own: dict[Any, bool] = {}

    def text(self, value: Any) -> str:
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)
        if isinstance(value, type) and value.__module__ == "builtins":
            return value.__qualname__
        if kind is tuple:
            return f"({','.join(map(self.text, value))})"
        if isinstance(value, TensorSpec):
            return f"spec{self.text((value.dtype, value.shape, value.stride, value.device))}"
        if isinstance(value, _OF_TORCH):
            return f"{kind.__name__}:{value}"
        if isinstance(value, sympy.Basic):
            return str(sympy.srepr(value))
        if kind is torch.Size:
            return f"Size{self.text(tuple(value))}"
        if callable(value):
            return self._function(value)
        raise NoStableTextError(kind.__name__)

    def _function(self, function: Any) -> str:
        name = _names.get(function) or _place_of(function)
        if name is None or not self._is_own(function):
            raise NoStableTextError(getattr(function, "__name__", "?"))
        return name

    def _is_own(self, function: Any) -> bool:
        """Neither it nor a function that it calls was exchanged for one that is not torch's."""
        known = self._own.get(function)
        if known is None:
            self._own[function] = True  # a function that calls itself is not foreign for that
            known = self._own[function] = not _is_foreign(function) and all(
                self._is_own(used) for used in _functions_used(function)
            )
        return known


def _place_of(function: Any) -> str | None:
    """Where it is found again: "torch.nn.functional.relu"."""
    if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return f"op {function}"
    if type(function).__module__ == "dycl.capture.classes":
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


def _is_foreign(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    if isinstance(code, types.CodeType):
        file = code.co_filename
        is_standard = file.startswith(_STANDARD) and "-packages/" not in file  # which may lie inside
        return not is_standard and not file.startswith(_FOLDERS)
    return type(function).__module__ in _STANDINS


def _functions_used(function: Any) -> Iterator[Any]:
    """Whatever of torch a Python function may call, by the names that it uses."""
    if isinstance(function, type):
        if issubclass(function, torch.nn.Module):
            yield from (function.forward, function.__call__)
        return
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return
    places = [getattr(function, "__globals__", {}), *map(vars, _OWNERS)]  # torch imports what it is asked for
    for name in _names_in(code):
        for found in (place.get(name) for place in places):
            if isinstance(found, types.FunctionType) or type(found).__module__ in _STANDINS:
                yield found


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
