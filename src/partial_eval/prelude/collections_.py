# SPDX-License-Identifier: Apache-2.0
"""collections.deque, types.SimpleNamespace and what Counter asks of C; sets of numbers of the input.

A class here stands for the one that it names in `SHOWN`: the machine answers isinstance() and type() so.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

from .methods import ITEMS as _ITEMS
from .methods import METHODS, contains, same, unordered
from .refused import Refused

_MOST, _VERSION = "<maxlen>", "<version>"  # no program can write these names


class Deque:
    """collections.deque. An iterator finds out by the version that the deque has changed; one that becomes
    longer or shorter has another list from then on, so that iterators of the old one are sound."""

    SHOWN = collections.deque

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        if maxlen is not None and not isinstance(maxlen, int):
            raise TypeError("an integer is required")
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        object.__setattr__(self, _MOST, None if maxlen is None else int(maxlen))
        object.__setattr__(self, _ITEMS, [])
        object.__setattr__(self, _VERSION, [])
        for item in iterable:
            self.append(item)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise Refused(f"the attribute '{name}' of a deque is set", "keep it in a variable")

    def _now(self) -> Any:
        return getattr(self, _ITEMS)

    def _change(self, items: Any) -> None:
        object.__setattr__(self, _ITEMS, items)
        object.__setattr__(self, _VERSION, [])

    @property
    def maxlen(self) -> Any:
        return getattr(self, _MOST)

    def append(self, item: Any, /) -> None:
        items = list(self._now())
        items.append(item)
        if self.maxlen is not None and len(items) > self.maxlen:
            items.pop(0)
        self._change(items)

    def appendleft(self, item: Any, /) -> None:
        items = list(self._now())
        items.insert(0, item)
        if self.maxlen is not None and len(items) > self.maxlen:
            items.pop()
        self._change(items)

    def extend(self, iterable: Any, /) -> None:
        for item in list(iterable) if iterable is self else iterable:
            if self.maxlen != 0:  # then CPython only reads, and no iterator ends
                self.append(item)

    def extendleft(self, iterable: Any, /) -> None:
        for item in list(iterable) if iterable is self else iterable:
            if self.maxlen != 0:
                self.appendleft(item)

    def pop(self) -> Any:
        if len(self) == 0:
            raise IndexError("pop from an empty deque")
        items = list(self._now())
        item = items.pop()
        self._change(items)
        return item

    def popleft(self) -> Any:
        if len(self) == 0:
            raise IndexError("pop from an empty deque")
        items = list(self._now())
        item = items.pop(0)
        self._change(items)
        return item

    def clear(self) -> None:
        if len(self) > 0:  # iterators of an empty one go on
            self._change([])

    def copy(self) -> Any:
        return Deque(self, self.maxlen)

    def __copy__(self) -> Any:
        return Deque(self, self.maxlen)

    def reverse(self) -> None:
        self._now().reverse()  # no change to iterators

    def rotate(self, n: Any = 1, /) -> None:
        if isinstance(n, float):
            raise TypeError("'float' object cannot be interpreted as an integer")
        if not isinstance(n, int):
            raise Refused("a deque is rotated by something else than an int", "convert it with int()")
        items = list(self._now())
        if len(items) > 1:
            places = n % len(items)
            self._change(items[len(items) - places :] + items[: len(items) - places])

    def insert(self, index: Any, item: Any, /) -> None:
        if self.maxlen is not None and len(self) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        items = list(self._now())
        items.insert(index, item)
        self._change(items)

    def remove(self, value: Any, /) -> None:
        items = list(self._now())
        for place in range(len(items)):
            if same(items[place], value):
                items.pop(place)
                self._change(items)
                return
        raise ValueError("deque.remove(x): x not in deque")

    def count(self, value: Any, /) -> Any:
        return self._now().count(value)

    def index(self, value: Any, *bounds: Any) -> Any:
        if bounds:
            raise Refused("index() of a deque is given bounds", "use a list")
        for place in range(len(self)):
            if same(self._now()[place], value):
                return place
        raise ValueError(f"{value!r} is not in deque")

    def _place(self, index: Any) -> Any:
        if not isinstance(index, int):
            raise Refused("a deque is indexed by something else than an int", "convert it with int()")
        if index < -len(self) or index >= len(self):
            raise IndexError("deque index out of range")
        return index

    def __getitem__(self, index: Any) -> Any:
        return self._now()[self._place(index)]

    def __setitem__(self, index: Any, item: Any) -> None:
        self._now()[self._place(index)] = item

    def __delitem__(self, index: Any) -> None:
        items = list(self._now())
        items.pop(self._place(index))
        self._change(items)

    def __len__(self) -> Any:
        return len(self._now())

    def __contains__(self, value: Any) -> Any:
        return value in self._now()

    def __iter__(self) -> Any:
        return _Walk(self, iter(self._now()))

    def __reversed__(self) -> Any:
        return _WalkBack(self)

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self


class _Walk:
    """An iterator of a deque. It looks for changes before the end, also when it has ended."""

    def __init__(self, deque: Any, items: Any) -> None:
        self.deque, self.version, self.items = deque, getattr(deque, _VERSION), items

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if getattr(self.deque, _VERSION) is not self.version:
            raise RuntimeError("deque mutated during iteration")
        return next(self.items)


class _WalkBack:
    """Backwards; it looks for the end first."""

    def __init__(self, deque: Any) -> None:
        self.deque, self.version = deque, getattr(deque, _VERSION)
        self.left, self.place = len(deque), -1

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.left == 0:
            raise StopIteration
        if getattr(self.deque, _VERSION) is not self.version:
            self.left = 0
            raise RuntimeError("deque mutated during iteration")
        item = self.deque[self.place]
        self.left, self.place = self.left - 1, self.place - 1
        return item


class Namespace:
    """types.SimpleNamespace"""

    SHOWN = types.SimpleNamespace

    def __init__(self, /, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)


class NumberSet:
    """A set with numbers that only the run knows, in the order in which they came. CPython walks it by their
    hashes, so what asks for that order is refused."""

    SHOWN = set

    def __init__(self, iterable: Any = ()) -> None:
        different = unordered(iterable)
        object.__setattr__(self, _ITEMS, [] if different is iterable else list(different))
        for item in iterable if different is iterable else ():
            self.add(item)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise AttributeError(f"'set' object has no attribute '{name}'")

    def add(self, item: Any, /) -> None:
        items = getattr(self, _ITEMS)
        if not contains(items, _element(item, "added to")):
            items.append(item)

    def discard(self, item: Any, /) -> None:
        _element(item, "discarded from")
        kept = []
        for other in getattr(self, _ITEMS):
            if not same(other, item):
                kept.append(other)
        object.__setattr__(self, _ITEMS, kept)

    def remove(self, item: Any, /) -> None:
        if item not in self:
            raise KeyError(item)
        self.discard(item)

    def clear(self) -> None:
        object.__setattr__(self, _ITEMS, [])

    def copy(self) -> Any:
        return NumberSet(self)

    def __len__(self) -> Any:
        return len(getattr(self, _ITEMS))

    def __contains__(self, item: Any, /) -> Any:
        return contains(getattr(self, _ITEMS), _element(item, "looked for in"))

    def __iter__(self) -> Any:
        raise Refused(
            "CPython walks a set by the hashes of its elements, which are numbers of the input here",
            "iterate over sorted(...) of the set, or use a list",
        )


for (_owner, _name), _model in METHODS.items():
    if _owner is set and _name not in vars(NumberSet):
        setattr(NumberSet, _name, _model)


def _element(item: Any, how: Any) -> Any:
    if item is None or isinstance(item, (int, float, str, bytes)):
        return item
    raise Refused(f"a {type(item).__name__} is {how} a set of numbers of the input", "use a list")


def unordered_integers(iterable: Any) -> Any:
    """`unordered` of what is compared or added up: a NaN is neither less nor more than another number."""
    items = unordered(iterable)
    if items is not iterable:
        for item in items:
            if isinstance(item, float):
                return iterable
    return items


def make_number_set(iterable: Any) -> Any:
    return NumberSet(iterable)


def add_to_set(target: Any, item: Any) -> None:
    target.add(item)


def count_elements(mapping: Any, iterable: Any, /) -> None:
    """collections._count_elements"""
    for item in iterable:
        mapping[item] = mapping.get(item, 0) + 1


def make_deque(iterable: Any = (), maxlen: Any = None) -> Any:
    return Deque(iterable, maxlen)


def make_namespace(*positional: Any, **values: Any) -> Any:
    if positional:
        raise Refused("types.SimpleNamespace is made of a mapping", "name the attributes")
    return Namespace(**values)


def _refusing(name: str, way_out: str) -> Any:
    def refusal(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise Refused(f"{name} of {type(self).__name__} is not modelled", way_out)

    return refusal


_LEFT = """__class__ __init__ __new__ __getattribute__ __setattr__ __delattr__ __doc__ __dir__
__init_subclass__ __class_getitem__"""


def refuse_what_lacks(model: Any, way_out: str) -> None:
    """Every method of the class that `model` stands for, and that it does not define, is refused."""
    module = "" if model.SHOWN.__module__ == "builtins" else f"{model.SHOWN.__module__}."
    model.__name__ = module + model.SHOWN.__name__  # as CPython's messages spell it
    for name in dir(model.SHOWN):
        is_own = name in vars(model) or name in _LEFT.split()
        if not is_own and getattr(model.SHOWN, name) is not getattr(object, name, None):
            setattr(model, name, _refusing(name, way_out))


for _class in (Deque, Namespace, NumberSet):
    refuse_what_lacks(_class, "use a list, a dict or a class of your own")
NAMES = "Deque NumberSet make_number_set add_to_set"
MODELS: dict[object, Callable[..., Any]] = {
    collections.deque: make_deque,
    types.SimpleNamespace: make_namespace,
    collections._count_elements: count_elements,  # type: ignore[attr-defined]
}
