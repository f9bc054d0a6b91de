# SPDX-License-Identifier: Apache-2.0
"""What a model holds: that which a call writes may become state of the session."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Iterator
from typing import Any

import torch


def path_of(model: Any, wanted: Any) -> str | None:
    """How the model reaches the object: "layers.0", "cache['r']"; "" for itself, None if it does not."""
    return next((path for path, held in _walk(model) if held is wanted), None)


def holder_of(model: Any, tensor: torch.Tensor) -> tuple[str, torch.Tensor] | None:
    """The model's own tensor that this one is, or is a view of, with its name: "layers.0.cache"."""
    storage = tensor.untyped_storage()._cdata
    found = None
    for path, held in _walk(model):
        if not isinstance(held, torch.Tensor) or held.layout is not torch.strided:
            continue
        if held is tensor:
            return path, held
        if found is None and held.untyped_storage()._cdata == storage:
            found = path, held
    return found


def _walk(model: Any) -> Iterator[tuple[str, Any]]:
    """Everything that the model holds, nearest first, each object once. Nothing of the user's is called."""
    seen = {id(model)}
    waiting = collections.deque([("", model)])
    while waiting:
        path, held = waiting.popleft()
        yield path, held
        for step, inner in _parts(held):
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting.append((_joined(path, step), inner))


def _joined(path: str, step: str) -> str:
    return path + step if not path or not step or step.startswith("[") else f"{path}.{step}"


def _parts(held: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(held, torch.Tensor | str | bytes | type | types.ModuleType):
        return
    row = next((kind for kind in (list, tuple, collections.deque) if isinstance(held, kind)), None)
    if row is not None:
        for place, item in enumerate(row.__iter__(held)):
            yield f"[{place}]", item
    elif isinstance(held, dict):
        for key, item in dict.items(held):
            yield f"[{_shown(key)}]", item
    elif isinstance(held, functools.partial):
        yield from (("func", held.func), ("args", held.args), ("keywords", held.keywords))
    elif isinstance(held, types.MethodType):
        yield from (("", held.__self__), ("", held.__func__))
    elif isinstance(held, types.FunctionType):
        yield from _parts_of_function(held)
    elif isinstance(held, types.CellType):
        yield from _contents(held)
    yield from _attributes(held)


def _shown(key: Any) -> str:
    """Keys of classes of the user's have a repr of their own, which is not called."""
    plain = isinstance(key, str | bytes | int | float | bool | None) and type(key).__module__ == "builtins"
    return repr(key) if plain else f"<{type(key).__name__}>"


def _parts_of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell
    for place, value in enumerate(function.__defaults__ or ()):
        yield f"__defaults__[{place}]", value
    for name, value in (function.__kwdefaults__ or {}).items():
        yield name, value


def _contents(cell: types.CellType) -> Iterator[tuple[str, Any]]:
    try:
        yield "", cell.cell_contents
    except ValueError:  # it is empty
        return


def _attributes(held: Any) -> Iterator[tuple[str, Any]]:
    """Of modules also their tables; of objects with slots what these hold."""
    try:
        table = object.__getattribute__(held, "__dict__")
    except AttributeError:
        table = {}
    if isinstance(held, torch.nn.Module):
        for name in ("_buffers", "_parameters", "_modules"):
            yield from (table.get(name) or {}).items()
    if isinstance(table, dict):
        yield from ((name, value) for name, value in table.items() if isinstance(name, str))
    for kind in type(held).__mro__:
        for name, entry in vars(kind).items():
            if isinstance(entry, types.MemberDescriptorType) and kind.__module__ != "builtins":
                try:
                    yield name, entry.__get__(held)
                except AttributeError:
                    continue
