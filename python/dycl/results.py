# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the Python structure that a model returns from the plain tree that the runtime gives."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from dycl.calls.written import replace_attributes, replace_items
from dycl.errors import UsageError
from dycl.names import loaded

_Values: TypeAlias = Sequence[Any] | Mapping[int, Any]


def result_of(tree: tuple[Any, ...], values: Sequence[Any], arguments: Mapping[int, Any]) -> Any:
    """Returns the result that `tree` describes, and leaves in the arguments what the model has put there."""
    result = Rebuilding(values, arguments).of(tree)
    if not isinstance(result, WithWrites):
        return result
    for written in result.written.values():
        if hasattr(written, "items"):
            replace_items(written.argument, written.items)
        else:
            replace_attributes(written.argument, written.attributes)
    return result.result


def rebuild(tree: tuple[Any, ...], values: Sequence[Any]) -> Any:
    """Returns what `tree` describes, which holds nothing of the caller's."""
    return Rebuilding(values, {}).of(tree)


class Rebuilding:
    """Makes what a tree (see bindings/result_trees.h) describes, with `values` in it. `arguments` are the
    parts of the caller's arguments by their numbers."""

    def __init__(self, values: _Values, arguments: Mapping[int, Any]) -> None:
        self._values = values
        self._arguments = arguments
        self._made: list[Any] = []  # lists, dicts and objects in the order in which they begin

    def of(self, tree: tuple[Any, ...]) -> Any:
        kind = tree[0]
        if kind == "value":
            return self._values[tree[1]]
        if kind == "constant":
            return tree[1]
        if kind == "argument":
            return _argument(self._arguments, tree[1])
        if kind == "same":
            return self._made[tree[1]]
        number = len(self._made)
        self._made.append(None)
        made = self._made[number] = self._container(tree)
        return made

    def _container(self, tree: tuple[Any, ...]) -> Any:
        kind = tree[0]
        if kind == "dict":
            return {key: self.of(node) for key, node in tree[1]}
        if kind in ("tuple", "list", "set"):
            items = [self.of(node) for node in tree[1]]
            return items if kind == "list" else tuple(items) if kind == "tuple" else set(items)
        if tree[1] == LIST_OF_RECORDS:
            return self._records(tree[2][0][1])
        fields = {name: self.of(node) for name, node in tree[2]}
        return _record(kind, _class_named(tree[1]), fields)

    def _records(self, element: tuple[Any, ...]) -> list[Any]:
        """A list of objects, of which each value is a column."""
        columns = {place: self._values[place] for place in _values_in(element)}
        length = len(next(iter(columns.values())))
        all_rows = self._values
        before = len(self._made)
        records = []
        for row in range(length):
            del self._made[before:]  # each row begins the same objects anew
            self._values = {place: column[row] for place, column in columns.items()}
            records.append(self.of(element))
        self._values = all_rows
        self._made[before:] = [None] * _containers_in(element)
        return records


def _parts_of(tree: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    if tree[0] in ("tuple", "list", "set"):
        return list(tree[1])
    if tree[0] in ("value", "constant", "argument", "same"):
        return []
    return [node for _, node in (tree[1] if tree[0] == "dict" else tree[2])]


def _values_in(tree: tuple[Any, ...]) -> Iterator[int]:
    if tree[0] == "value":
        yield tree[1]
    for part in _parts_of(tree):
        yield from _values_in(part)


def _containers_in(tree: tuple[Any, ...]) -> int:
    here = 0 if tree[0] in ("value", "constant", "argument", "same") else 1
    return here + sum(_containers_in(part) for part in _parts_of(tree))


def _argument(arguments: Mapping[int, Any], number: int) -> Any:
    if number not in arguments:
        raise UsageError(
            f"the result has the part number {number} of the arguments, which the call does not have",
            code="run.no_such_argument",
            hint="call the program as the example was called",
        )
    return arguments[number]


class WithWrites:
    """Stands in a package for a result beside what the model has put into objects of the caller."""

    result: Any
    written: dict[str, Any]


class Written:
    """Stands in a package for all that an argument holds at the end: its items or its attributes."""


LIST_OF_RECORDS = "dycl.results:ListOfRecords"


class ListOfRecords:
    """Stands in a package for a list of objects whose length depends on the path: one of them, with lists
    in the places of its numbers and tensors."""


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
