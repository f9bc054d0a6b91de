# SPDX-License-Identifier: Apache-2.0
"""collections.deque and types.SimpleNamespace, which are written in C.

A class here stands for the one that it names in `SHOWN`: the machine answers isinstance() and type() so.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

from .methods import same
from .refused import Refused

_ITEMS, _MOST, _VERSION = "<items>", "<maxlen>", "<version>"  # no program can write these names


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


def make_deque(iterable: Any = (), maxlen: Any = None) -> Any:
    return Deque(iterable, maxlen)


def make_namespace(*positional: Any, **values: Any) -> Any:
    if positional:
        raise Refused("types.SimpleNamespace is made of a mapping", "name the attributes")
    return Namespace(**values)


def _refusing(name: str) -> Any:
    def refusal(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise Refused(
            f"{name} of {type(self).__name__} is not modelled", "use a list, a dict or a class of your own"
        )

    return refusal


_LEFT = """__class__ __init__ __new__ __getattribute__ __setattr__ __delattr__ __doc__ __dir__
__init_subclass__ __class_getitem__"""
_class: Any
for _class in (Deque, Namespace):
    _class.__name__ = f"{_class.SHOWN.__module__}.{_class.SHOWN.__name__}"  # as CPython's messages spell it
    for _name in dir(_class.SHOWN):
        _is_own = _name in vars(_class) or _name in _LEFT.split()
        if not _is_own and getattr(_class.SHOWN, _name) is not getattr(object, _name, None):
            setattr(_class, _name, _refusing(_name))
NAMES = "Deque"
MODELS: dict[object, Callable[..., Any]] = {
    collections.deque: make_deque,
    types.SimpleNamespace: make_namespace,
}
