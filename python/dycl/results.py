# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the Python structure that a model returns from the plain tree that the runtime gives."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from dycl.errors import UsageError
from dycl.names import loaded


def rebuild(tree: tuple[Any, ...], values: Sequence[Any]) -> Any:
    """Returns the result that `tree` (see bindings/result_trees.h) describes, with `values` in it."""
    kind = tree[0]
    if kind == "value":
        return values[tree[1]]
    if kind == "constant":
        return tree[1]
    if kind == "dict":
        return {key: rebuild(node, values) for key, node in tree[1]}
    if kind in ("tuple", "list", "set"):
        items = [rebuild(node, values) for node in tree[1]]
        return items if kind == "list" else tuple(items) if kind == "tuple" else set(items)
    return _record(kind, _class_named(tree[1]), {name: rebuild(node, values) for name, node in tree[2]})


class ListOfConstants:
    """Stands in a package for a list of constants whose elements depend on the path."""


class TupleOfRun:
    """Stands in a package for a tuple whose length depends on the path."""


class OfNumpy:
    """Stands in a package for an array or a number of numpy."""


def _of_numpy(kind: str, elements: Any) -> Any:
    array = elements.numpy()
    return array if kind == "ndarray" else array[()]


def _record(kind: str, cls: Any, fields: dict[str, Any]) -> Any:
    if cls is OfNumpy:
        return _of_numpy(**fields)
    if cls is TupleOfRun:
        return tuple(fields["elements"])
    if cls is ListOfConstants:
        return [fields["constants"][place] for place in fields["places"]]
    if kind == "namedtuple":
        return cls._make(fields[name] for name in cls._fields)
    if issubclass(cls, tuple):  # torch.Size
        return cls(fields.values())
    made = _empty(cls, fields.pop("<contents>", None))  # the fields hold what __init__ and __post_init__ left
    for name, value in fields.items():
        object.__setattr__(made, name, value)  # also into frozen dataclasses
    return made


def _empty(cls: Any, contents: Any) -> Any:
    """An instance without attributes; of a class that derives from dict or list, with these contents."""
    if contents is None:
        return object.__new__(cls)
    base: Any = list if issubclass(cls, list) else OrderedDict if issubclass(cls, OrderedDict) else dict
    made = base.__new__(cls)
    if base is list:
        list.extend(made, contents)
    else:
        for key, value in contents.items():
            base.__setitem__(made, key, value)
    return made


def _class_named(name: str) -> Any:
    module, _, path = name.partition(":")
    problem: ImportError | None = None
    try:
        importlib.import_module(module)
    except ImportError as error:
        problem = error
    found = loaded(name)
    if found is None:
        reason = problem or f"it has no {path}"
        raise UsageError(
            f"the model returns a {path} of the module {module}, which cannot be imported: {reason}",
            code="python.result_class",
            hint="make the class importable under that name, or return a tuple or a dict",
        ) from problem
    return found
