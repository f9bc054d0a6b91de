# SPDX-License-Identifier: Apache-2.0
"""Writes the constants of the example as texts. Two values are the same, to the type and the bit, if their
texts are equal. A package stores the texts; they are only compared, and nothing is made from them."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from typing import Any

from dycl.names import loaded, name_of

_GLOBALS = (type, types.FunctionType, types.BuiltinFunctionType)


class Frozen:
    """The texts of the values of one example. An object that has no text is kept and compared by identity."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def text(self, value: Any) -> tuple[str, bool]:
        """Returns the text, and whether it still means something in another process."""
        before = len(self._kept)
        text = _Writer(self._keep).text(value)
        return text, len(self._kept) == before

    def same(self, text: str, value: Any) -> bool:
        return _Writer(self._find).text(value) == text

    def _keep(self, value: Any) -> int:
        self._kept.append(value)
        return len(self._kept) - 1

    def _find(self, value: Any) -> int:
        for number, kept in enumerate(self._kept):
            if kept is value or (type(kept) is type(value) and _equal(kept, value)):
                return number
        return -1


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # whatever a class of the user's raises
        return False


class _Writer:
    def __init__(self, number_of: Callable[[Any], int]) -> None:
        self._number_of = number_of
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []  # addresses in `_seen` stay taken

    def text(self, value: Any) -> str:
        try:
            return json.dumps(self._form(value))
        except RecursionError:
            return json.dumps(self._kept(value))

    def _form(self, value: Any) -> Any:
        """Lists that begin with the kind, None and bools."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind in _ATOMS:
            return _ATOMS[kind](value)
        if kind is str:
            return ["str", value] if _is_unicode(value) else self._kept(value)
        if kind is tuple or kind is frozenset:
            return self._items(kind.__name__, value)
        if isinstance(value, _GLOBALS):
            return ["global", name_of(value)] if _is_global(value) else self._kept(value)
        if id(value) in self._seen:
            return ["again", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if kind is list or kind is set:
            return self._items(kind.__name__, value)
        if kind is dict:
            return ["dict", [[self._form(key), self._form(item)] for key, item in value.items()]]
        return self._kept(value) if _is_torch_object(kind) else self._reduced(value)

    def _items(self, kind: str, items: Any) -> Any:
        forms = [self._form(item) for item in items]
        return [kind, forms if kind in ("list", "tuple") else sorted(forms, key=json.dumps)]

    def _reduced(self, value: Any) -> Any:
        """Takes an object apart as pickle would: classes of the user, enums, named tuples, dtypes …"""
        try:
            parts = value.__reduce_ex__(4)
        except Exception:  # it cannot be pickled, or a class of the user's raises
            return self._kept(value)
        if isinstance(parts, str):
            return ["named", self._form(type(value)), parts]
        made, state = parts[:2], parts[2:3]
        rest = [None if items is None else list(items) for items in parts[3:5]]
        return ["made", [self._form(part) for part in (*made, *state, *rest)]]

    def _kept(self, value: Any) -> Any:
        return ["kept", self._number_of(value)]


_ATOMS: dict[type, Callable[[Any], Any]] = {
    int: lambda value: ["int", f"{value:x}"],
    float: lambda value: ["float", value.hex()],
    complex: lambda value: ["complex", value.real.hex(), value.imag.hex()],
    bytes: lambda value: ["bytes", value.hex()],
    type(...): lambda value: ["..."],
}


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _is_global(value: Any) -> bool:
    return loaded(name_of(value)) is value


def _is_torch_object(kind: type) -> bool:
    """Whether an object is a tensor or module; taking such apart would copy weights."""
    names = {(base.__module__, base.__name__) for base in kind.__mro__}
    return bool(
        names & {("torch.nn.modules.module", "Module"), ("torch", "Tensor"), ("torch._C", "TensorBase")}
    )
