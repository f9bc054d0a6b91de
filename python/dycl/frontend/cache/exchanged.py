# SPDX-License-Identifier: Apache-2.0
"""What torch's names mean now. A leaf call may reach any function of torch, and whoever exchanges one of
them, for his own or for another of torch's, changes what calls of many others do."""

from __future__ import annotations

import functools
import hashlib
import sys
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils._device import DeviceContext
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

_PLACES = (
    "torch",
    "torch.functional",
    "torch._tensor",
    "torch.nn.functional",
    "torch.nn.parameter",
    "torch._C._nn",
    "torch._VF",
    "torch.linalg",
    "torch._C._linalg",
    "torch.special",
    "torch._C._special",
    "torch.fft",
    "torch._C._fft",
    "torch._jit_internal",
    "torch.overrides",
    "torch._lowrank",
    "torch._linalg_utils",
    "torch.nn.utils.rnn",
    "torch.random",
)
_LAYERS = "torch.nn.modules."
_LEFT_OUT = frozenset(
    {"__doc__", "manual_seed"}
)  # torch itself exchanges the latter, when it is asked for more
_OURS = f"{Path(__file__).parents[2]}/"
_TORCH = f"{Path(torch.__file__).parent}/"
_STANDARD = (f"{sysconfig.get_path('stdlib')}/", f"{sysconfig.get_path('platstdlib')}/")
_PLAIN = (type(None), bool, int, float, str)
_KINDS = ("builtins", "types", "typing", "typing_extensions", "torch")  # of what is callable in torch


class ForeignError(Exception):
    """Somebody's own function, or one that is known to this process only."""


def is_foreign(function: Any) -> bool:
    """Of other code than torch's, Python's and ours."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return type(function).__module__.partition(".")[0] not in (*_KINDS, "dycl", "_operator")
    file = code.co_filename
    is_standard = file.startswith(_STANDARD) and "-packages/" not in file  # which may lie inside
    return (
        not is_standard
        and not file.startswith((_TORCH, _OURS))
        and not file.endswith("/typing_extensions.py")
    )


def torch_as_it_is() -> str | None:
    """Equal in every process where torch's names mean the same; None where some mean what is not torch's."""
    modes = [torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())]
    if _get_current_dispatch_mode_stack() or any(type(mode) is not DeviceContext for mode in modes):
        return None
    digest = hashlib.sha256()
    try:
        for text in _meanings():
            digest.update(text.encode())
    except ForeignError:
        return None
    return digest.hexdigest()


def _meanings() -> Iterator[str]:
    seen: set[type] = set()
    for place in (*_PLACES, *sorted(name for name in sys.modules if name.startswith(_LAYERS))):
        for name, value in sorted(vars(sys.modules[place]).items()):
            if isinstance(value, type):
                yield f"{place}.{name} {value.__module__}.{value.__qualname__}\n"
                if value not in seen and issubclass(value, (torch.Tensor, torch.nn.Module)):
                    seen.add(value)
                    yield from (
                        f"{k} {_meaning(v)}\n" for k, v in sorted(vars(value).items()) if k not in _LEFT_OUT
                    )
            elif callable(value) and name not in _LEFT_OUT:
                yield f"{place}.{name} {_meaning(value)}\n"


def _meaning(value: Any) -> str:
    if isinstance(value, (staticmethod, classmethod, functools._lru_cache_wrapper)):
        return _meaning(value.__wrapped__)
    if isinstance(value, property):
        return " ".join(map(_meaning, (value.fget, value.fset)))
    if isinstance(value, types.MethodType):
        return f"{type(value.__self__).__qualname__} {_meaning(value.__func__)}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if not callable(value) or isinstance(value, type):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    if is_foreign(value) or isinstance(getattr(value, "__self__", None), torch.Tensor):
        raise ForeignError(getattr(value, "__name__", "?"))
    if not isinstance(value, types.FunctionType):
        return f"{type(value).__qualname__} {getattr(value, '__qualname__', value)}"
    code = value.__code__
    given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    kept = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
    held = [
        item
        for item in kept
        if isinstance(item, (types.FunctionType, types.MethodType)) and item is not value
    ]
    return f"{code.co_filename}:{code.co_firstlineno}({', '.join(map(_meaning, (*given, *held)))})"
