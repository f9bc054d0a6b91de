# SPDX-License-Identifier: Apache-2.0
"""Methods of containers that compare elements, and `operator`, in plain Python."""

from __future__ import annotations

import operator
import sys
import types
from collections import OrderedDict, abc, defaultdict
from collections.abc import Callable
from typing import Any

from .refused import Refused

_WALK_OF_DICT: Any = vars(dict)["__iter__"]


def method_of(value: Any, name: Any) -> Any:
    """The method of that name in the value's class, or None; the machine has a function of its own. getattr()
    would find what the class of the class has, as type has `__or__`."""
    for kind in type(value).__mro__:
        if name in vars(kind):
            return vars(kind)[name]
    return None


def same(a: Any, b: Any) -> Any:
    """How containers compare elements: identity first, so that a NaN and a tensor are found."""
    if a is b:
        return True
    if may_be_one(a, b) and a != a and b != b:
        raise RuntimeError("DyCL cannot know here whether two NaNs are one object, which decides")
    return a == b


def may_be_one(a: Any, b: Any) -> Any:
    """Two floats that are one object on some paths: of that the machine knows, with a function of its own."""
    return False


def is_integers_of_the_run(value: Any) -> Any:
    """A list of integers whose length the run knows: the machine has a function of its own."""
    return False


def contains(self: Any, value: Any) -> Any:
    for item in self:  # noqa: SIM110 - the builtin cannot be its own model
        if same(item, value):
            return True
    return False


def count(self: Any, value: Any) -> Any:
    found = 0
    for item in self:
        if same(item, value):
            found += 1
    return found


def _position(self: Any, value: Any, start: Any, stop: Any) -> Any:
    start = max(start + len(self), 0) if start < 0 else start
    stop = max(stop + len(self), 0) if stop < 0 else stop
    for index in range(start, stop if stop < len(self) else len(self)):
        if same(self[index], value):
            return index
    return None


def list_index(self: Any, value: Any, start: Any = 0, stop: Any = sys.maxsize, /) -> Any:
    index = _position(self, value, start, stop)
    if index is None:
        raise ValueError(f"{value!r} is not in list")
    return index


def tuple_index(self: Any, value: Any, start: Any = 0, stop: Any = sys.maxsize, /) -> Any:
    index = _position(self, value, start, stop)
    if index is None:
        raise ValueError("tuple.index(x): x not in tuple")
    return index


def list_remove(self: Any, value: Any, /) -> Any:
    index = _position(self, value, 0, sys.maxsize)
    if index is None:
        raise ValueError("list.remove(x): x not in list")
    self.pop(index)


def list_sort(self: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """Nobody sees the elements while they are sorted: the key finds an empty list."""
    items = self[:]
    self.clear()
    try:
        items = sorted(items, key=key, reverse=reverse)
        if len(self) > 0:
            raise ValueError("list modified during sort")
    finally:
        self[:] = items


def sequence_eq(a: Any, b: Any) -> Any:
    if len(a) != len(b) and isinstance(a, list):  # tuples compare their elements all the same
        return False
    for index in range(min(len(a), len(b))):
        if not same(a[index], b[index]):
            return False
    return len(a) == len(b)


def sequence_ne(a: Any, b: Any) -> Any:
    return not sequence_eq(a, b)


def _ordering(compare: Any) -> Any:
    def ordered(a: Any, b: Any) -> Any:
        for index in range(min(len(a), len(b))):
            if not same(a[index], b[index]):
                return compare(a[index], b[index])
        return compare(len(a), len(b))

    return ordered


SEQUENCE_COMPARE: dict[str, Callable[..., Any]] = {
    "==": sequence_eq,
    "!=": sequence_ne,
    "<": _ordering(lambda a, b: a < b),
    "<=": _ordering(lambda a, b: a <= b),
    ">": _ordering(lambda a, b: a > b),
    ">=": _ordering(lambda a, b: a >= b),
}


def _with_own_kind(kind: Any, method: Any) -> Any:
    """An operator: other kinds get their turn."""

    def operate(self: Any, other: Any) -> Any:
        return method(self, other) if isinstance(other, kind) else NotImplemented

    return operate


def dict_eq(self: Any, other: Any) -> Any:
    if len(self) != len(other):
        return False
    if isinstance(self, OrderedDict) and isinstance(other, OrderedDict) and list(self) != list(other):
        return False
    for key, value in self.items():  # noqa: SIM110
        if key not in other or not same(value, other[key]):
            return False
    return True


def dict_setdefault(self: Any, key: Any, default: Any = None, /) -> Any:
    if key not in self:
        self[key] = default
    return self[key]


def _copies_entries(self: Any, other: Any) -> Any:
    """Whether CPython reads the entries past the methods of the other's class: it looks at __iter__ alone. An
    OrderedDict is filled by keys() and __getitem__."""
    if not isinstance(other, dict) or isinstance(self, OrderedDict):
        return False
    return method_of(other, "__iter__") is _WALK_OF_DICT


def dict_update(self: Any, other: Any = (), /, **values: Any) -> Any:
    if _copies_entries(self, other):
        for key, value in dict.items(other):
            self[key] = value
    elif hasattr(other, "keys"):
        for key in other.keys():  # noqa: SIM118 - what CPython calls
            self[key] = other[key]
    else:
        for index, pair in enumerate(other):
            if not hasattr(pair, "__iter__"):
                reason = f"cannot convert dictionary update sequence element #{index} to a sequence"
                raise TypeError(reason)
            entry = list(pair)
            if len(entry) != 2:
                reason = f"dictionary update sequence element #{index} has length {len(entry)}; 2 is required"
                raise ValueError(reason)
            self[entry[0]] = entry[1]
    for name, value in values.items():
        self[name] = value


def dict_ior(self: Any, other: Any) -> Any:
    dict_update(self, other)
    return self


def dict_or(self: Any, other: Any) -> Any:
    if isinstance(other, defaultdict) and not isinstance(self, defaultdict):
        return dict_ior(defaultdict(other.default_factory, self), other)
    for part in (self, other):
        if isinstance(part, OrderedDict) and type(part) is not OrderedDict:
            raise Refused("`|` makes an object of a class that derives from OrderedDict", "use update()")
    ordered = isinstance(other, OrderedDict) and not isinstance(self, OrderedDict)
    return dict_ior(OrderedDict(self) if ordered else self.copy(), other)


def dict_fromkeys(iterable: Any, value: Any = None, /) -> Any:
    result = {}
    for key in iterable:
        result[key] = value
    return result


ITEMS = "<items>"  # no program can write this name


def unordered(iterable: Any) -> Any:
    """What an operation walks for which the order of a set makes no difference."""
    if isinstance(iterable, set) and hasattr(iterable, ITEMS):  # collections_.NumberSet
        return getattr(iterable, ITEMS)
    return iterable


def set_update(self: Any, *others: Any) -> Any:
    for other in others:
        for item in list(unordered(other)):
            self.add(item)


def set_union(self: Any, *others: Any) -> Any:
    result = set(self)
    set_update(result, *others)
    return result if isinstance(self, set) else frozenset(result)


def set_intersection(self: Any, *others: Any) -> Any:
    result = set(self)
    for other in others:
        result = {item for item in unordered(other) if item in result}
    return result if isinstance(self, set) else frozenset(result)


def set_difference(self: Any, *others: Any) -> Any:
    result = set(self)
    for other in others:
        for item in list(unordered(other)):
            result.discard(item)
    return result if isinstance(self, set) else frozenset(result)


def set_symmetric_difference(self: Any, other: Any, /) -> Any:
    other = set(other)
    return set_union(set_difference(self, other), set_difference(other, self))


def set_issubset(self: Any, other: Any, /) -> Any:
    other = set(other)
    return len([item for item in unordered(self) if item not in other]) == 0


def set_issuperset(self: Any, other: Any, /) -> Any:
    return len([item for item in unordered(other) if item not in self]) == 0


def set_isdisjoint(self: Any, other: Any, /) -> Any:
    return len([item for item in unordered(other) if item in self]) == 0


def _replacing(method: Any, gives: Any) -> Any:
    def update(self: Any, *others: Any) -> Any:
        result = method(self, *others)
        self.clear()
        for item in unordered(result):
            self.add(item)
        return self if gives else None

    return update


_SET_OPERATORS: Any = {
    "__or__": set_union,
    "__and__": set_intersection,
    "__sub__": set_difference,
    "__xor__": set_symmetric_difference,
    "__le__": set_issubset,
    "__ge__": set_issuperset,
    "__lt__": lambda a, b: len(a) < len(b) and set_issubset(a, b),
    "__gt__": lambda a, b: len(a) > len(b) and set_issuperset(a, b),
    "__eq__": lambda a, b: len(a) == len(b) and set_issubset(a, b),
    "__ne__": lambda a, b: len(a) != len(b) or not set_issubset(a, b),
}
_SET_METHODS: Any = {
    "union": set_union,
    "intersection": set_intersection,
    "difference": set_difference,
    "symmetric_difference": set_symmetric_difference,
}


def _as_str(text: Any) -> Any:
    """C reads a text past the methods of a class that derives from str."""
    if type(text) is str:
        return text
    for name in ("__str__", "__add__", "__radd__"):
        if isinstance(method_of(text, name), types.FunctionType):
            raise Refused(f"join() reads a text past the {name} of its class", "keep it as a plain str")
    return str.__str__(text)


def str_join(self: Any, iterable: Any, /) -> Any:
    if not hasattr(iterable, "__iter__"):
        raise TypeError("can only join an iterable")
    result, between = "", _as_str(self)
    for index, item in enumerate(iterable):
        if not isinstance(item, str):
            raise TypeError(f"sequence item {index}: expected str instance, {type(item).__name__} found")
        result = result + between + _as_str(item) if index else _as_str(item)
    return result


def _itemgetter_call(self: Any, obj: Any, /) -> Any:
    return _itemgetter(*self.__reduce__()[1])(obj)


def _attrgetter_call(self: Any, obj: Any, /) -> Any:
    return _attrgetter(*self.__reduce__()[1])(obj)


def _methodcaller_call(self: Any, obj: Any, /) -> Any:
    maker, arguments = self.__reduce__()
    if maker is operator.methodcaller:
        return getattr(obj, arguments[0])(*arguments[1:])
    return getattr(obj, maker.args[0])(*arguments, **maker.keywords)


def _itemgetter(*items: Any) -> Any:
    return lambda obj: obj[items[0]] if len(items) == 1 else tuple([obj[item] for item in items])


def _attrgetter(*names: Any) -> Any:
    def get(obj: Any, name: Any) -> Any:
        for part in name.split("."):
            obj = getattr(obj, part)
        return obj

    return lambda obj: get(obj, names[0]) if len(names) == 1 else tuple([get(obj, name) for name in names])


def _methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Any:
    return lambda obj: getattr(obj, name)(*args, **kwargs)


METHODS: dict[tuple[type, str], Callable[..., Any]] = {
    (list, "index"): list_index,
    (list, "remove"): list_remove,
    (list, "sort"): list_sort,
    (tuple, "index"): tuple_index,
    (dict, "__eq__"): _with_own_kind(dict, dict_eq),
    (dict, "__ne__"): _with_own_kind(dict, lambda a, b: not dict_eq(a, b)),
    (dict, "__or__"): _with_own_kind(dict, dict_or),
    (dict, "__ior__"): dict_ior,
    (dict, "setdefault"): dict_setdefault,
    (dict, "update"): dict_update,
    (str, "join"): str_join,
    (set, "update"): set_update,
    (operator.itemgetter, "__call__"): _itemgetter_call,
    (operator.attrgetter, "__call__"): _attrgetter_call,
    (operator.methodcaller, "__call__"): _methodcaller_call,
}
_NAMES = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
_kind: type
for _kind in (list, tuple):
    METHODS[_kind, "__contains__"], METHODS[_kind, "count"] = contains, count
    for _symbol, _compare in SEQUENCE_COMPARE.items():
        METHODS[_kind, _NAMES[_symbol]] = _with_own_kind(_kind, _compare)
for _kind in (set, frozenset):
    for _name, _method in _SET_METHODS.items():
        METHODS[_kind, _name] = _method
    METHODS[_kind, "issubset"], METHODS[_kind, "issuperset"] = set_issubset, set_issuperset
    METHODS[_kind, "isdisjoint"] = set_isdisjoint
    for _name, _method in _SET_OPERATORS.items():
        METHODS[_kind, _name] = _with_own_kind((set, frozenset), _method)
for _name, _method in _SET_METHODS.items():
    METHODS[set, "update" if _name == "union" else f"{_name}_update"] = _replacing(_method, False)
for _name in ("or", "and", "sub", "xor"):
    _operate = _replacing(_SET_OPERATORS[f"__{_name}__"], True)
    METHODS[set, f"__i{_name}__"] = _with_own_kind((set, frozenset), _operate)


def _in_place(name: str) -> Any:
    def apply(a: Any, b: Any, /) -> Any:
        match name:
            case "concat" if isinstance(a, dict) or not hasattr(a, "__getitem__"):
                raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
            case "add" | "concat":
                a += b
            case "sub":
                a -= b
            case "mul":
                a *= b
            case "truediv":
                a /= b
            case "floordiv":
                a //= b
            case "mod":
                a %= b
            case "pow":
                a **= b
            case "matmul":
                a @= b
            case "and":
                a &= b
            case "or":
                a |= b
            case "xor":
                a ^= b
            case "lshift":
                a <<= b
            case "rshift":
                a >>= b
        return a

    return apply


def _concat(a: Any, b: Any, /) -> Any:
    if isinstance(a, dict) or not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    return a + b


def _index(a: Any, /) -> Any:
    if not hasattr(a, "__index__"):
        raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
    return a.__index__()


def _setitem(a: Any, b: Any, c: Any, /) -> Any:
    a[b] = c


def _delitem(a: Any, b: Any, /) -> Any:
    del a[b]


# What collections.abc gives to classes that define the rest; CPython has no file of it.


def _mapping_get(self: Any, key: Any, default: Any = None) -> Any:
    try:
        return self[key]
    except KeyError:
        return default


def _mapping_contains(self: Any, key: Any) -> Any:
    try:
        self[key]
    except KeyError:
        return False
    return True


def _mapping_setdefault(self: Any, key: Any, default: Any = None) -> Any:
    try:
        return self[key]
    except KeyError:
        self[key] = default
    return default


def _sequence_iter(self: Any) -> Any:
    index = 0
    try:
        while True:
            yield self[index]
            index += 1
    except IndexError:
        return


def _sequence_reversed(self: Any) -> Any:
    for index in reversed(range(len(self))):
        yield self[index]


ABSTRACT: dict[object, Callable[..., Any]] = {
    abc.Mapping.get: _mapping_get,
    abc.Mapping.__contains__: _mapping_contains,
    abc.MutableMapping.setdefault: _mapping_setdefault,
    abc.Sequence.__iter__: _sequence_iter,
    abc.Sequence.__reversed__: _sequence_reversed,
    abc.Sequence.__contains__: contains,
    abc.Sequence.count: count,
}


_IN_PLACE = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift concat"
OPERATORS: dict[object, Callable[..., Any]] = {
    operator.add: lambda a, b, /: a + b,
    operator.sub: lambda a, b, /: a - b,
    operator.mul: lambda a, b, /: a * b,
    operator.truediv: lambda a, b, /: a / b,
    operator.floordiv: lambda a, b, /: a // b,
    operator.mod: lambda a, b, /: a % b,
    operator.pow: lambda a, b, /: a**b,
    operator.matmul: lambda a, b, /: a @ b,
    operator.and_: lambda a, b, /: a & b,
    operator.or_: lambda a, b, /: a | b,
    operator.xor: lambda a, b, /: a ^ b,
    operator.lshift: lambda a, b, /: a << b,
    operator.rshift: lambda a, b, /: a >> b,
    operator.lt: lambda a, b, /: a < b,
    operator.le: lambda a, b, /: a <= b,
    operator.eq: lambda a, b, /: a == b,
    operator.ne: lambda a, b, /: a != b,
    operator.gt: lambda a, b, /: a > b,
    operator.ge: lambda a, b, /: a >= b,
    operator.is_: lambda a, b, /: a is b,
    operator.is_not: lambda a, b, /: a is not b,
    operator.contains: lambda a, b, /: b in a,
    operator.getitem: lambda a, b, /: a[b],
    operator.neg: lambda a, /: -a,
    operator.pos: lambda a, /: +a,
    operator.inv: lambda a, /: ~a,
    operator.invert: lambda a, /: ~a,
    operator.abs: lambda a, /: abs(a),
    operator.not_: lambda a, /: not a,
    operator.truth: lambda a, /: bool(a),
    operator.call: lambda function, /, *args, **kwargs: function(*args, **kwargs),
    operator.concat: _concat,
    operator.index: _index,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
    **{getattr(operator, f"i{name}"): _in_place(name) for name in _IN_PLACE.split()},
}
