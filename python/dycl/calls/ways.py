# SPDX-License-Identifier: Apache-2.0
"""Whether a model sees which of its arguments came by name: hooks, wrappers and a __call__ of its own do."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping, Sequence
from typing import Any

from dycl.errors import UsageError

Way = dict[str, Any]  # "positional": how many; "keywords": their names, in order


def way_of(model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Way | None:
    """The way of the example's arguments, which each call must repeat. None: the model cannot tell."""
    return {"positional": len(args), "keywords": list(kwargs)} if _sees_names(model) else None


def check_way(way: Way | None, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    if way is None or (len(args), list(kwargs)) == (way["positional"], way["keywords"]):
        return
    raise UsageError(
        f"compiled for a call with {_shown(way['positional'], way['keywords'])}; "
        f"called with {_shown(len(args), list(kwargs))}",
        code="call.way",
        hint="a hook, a wrapper or a __call__ of the model's own sees which arguments are given by name, and "
        "in which order: call it like the example, or compile with an example like this call",
    )


def _shown(positional: int, keywords: list[str]) -> str:
    named = f", and by name {', '.join(keywords)}" if keywords else ""
    return f"{positional} argument{'' if positional == 1 else 's'} by position{named}"


def _sees_names(model: Any) -> bool:
    import torch

    if not isinstance(model, torch.nn.Module):
        return _takes_names(model)
    return _has_hooks(model) or not _is_plain_call(type(model)) or _takes_names(model.forward)


def _is_plain_call(kind: Any) -> bool:
    import torch

    plain = torch.nn.Module
    return all(getattr(kind, name) is getattr(plain, name) for name in ("__call__", "_call_impl"))


def _has_hooks(model: Any) -> bool:
    from torch.nn.modules import module

    tables = [vars(model).get("_forward_pre_hooks"), vars(model).get("_forward_hooks")]
    return any([*tables, module._global_forward_pre_hooks, module._global_forward_hooks])


def _takes_names(function: Any) -> bool:
    """Whether code stands between the call and the parameters that the signature shows."""
    if isinstance(function, functools.partial):
        return _takes_names(function.func)
    if isinstance(function, (types.BuiltinFunctionType, types.BuiltinMethodType)):
        return False
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        function = type(function).__call__
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType) or "__signature__" in vars(function):
        return True
    if "__wrapped__" not in vars(function):
        return False
    return not _is_context(function) or _takes_names(vars(function)["__wrapped__"])


def _is_context(function: types.FunctionType) -> bool:
    """Whether torch.no_grad() or its like made the wrapper, which passes its arguments on as they are."""
    from torch.utils import _contextlib

    return function.__code__.co_filename == _contextlib.__file__
