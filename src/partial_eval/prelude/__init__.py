# SPDX-License-Identifier: Apache-2.0
"""Builtins and library functions in plain Python, which the rewriting machine inlines.

The machine takes a model from here when an argument is known only at run time; it never runs this code on
values of its own. So the models use nothing but control flow, operators, `iter`, `next`, `len`, `isinstance`
and each other, compare in the order in which CPython does (a comparison is a decision), and raise its errors.
`raise Refused(...)` is a refusal of the machine.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from . import (
    array_functions,
    array_operators,
    arrays,
    autograd,
    bisects,
    clock,
    collections_,
    foreign,
    heaps,
    memory,
    methods,
    obstacles,
    operations,
    packed,
    process,
    scripts,
    support,
    tensor_items,
    unseen,
)
from .refused import Refused
from .support import shown_as

_END: Any = object()
_LIST_BACKWARDS: Any = type(reversed([]))
_GROUP: Any = type(next(itertools.groupby([0]))[1])
_EMPTY = (
    "{0}() arg is an empty sequence" if sys.version_info < (3, 12) else "{0}() iterable argument is empty"
)


def any_(iterable: Any) -> Any:
    for item in iterable:  # noqa: SIM110 - the builtin cannot be its own model
        if item:
            return True
    return False


def all_(iterable: Any) -> Any:
    for item in iterable:  # noqa: SIM110
        if not item:
            return False
    return True


def sum_(iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(start, (str, bytes, bytearray)):
        kind, empty = ("strings", "''") if isinstance(start, str) else (type(start).__name__, "b''")
        raise TypeError(f"sum() can't sum {kind} [use {empty}.join(seq) instead]")
    total = start
    for item in collections_.unordered_integers(iterable):
        if sys.version_info >= (3, 12) and isinstance(total, float) and isinstance(item, float):
            raise Refused("Python 3.12 and later sum floats with a correction", "add them in a loop")
        total = total + item
    return total


def _extreme(name: str, better: Any, values: Any, key: Any, default: Any) -> Any:
    if not values:
        raise TypeError(f"{name} expected at least 1 argument, got 0")
    if len(values) > 1 and default is not _END:
        raise TypeError(f"Cannot specify a default for {name}() with multiple positional arguments")
    best = best_key = _END
    items = values if len(values) > 1 else values[0]
    for item in collections_.unordered_integers(items) if key is None else items:
        item_key = item if key is None else key(item)
        if best is _END or better(item_key, best_key):
            best, best_key = item, item_key
    if best is not _END:
        return best
    if default is _END:
        raise ValueError(_EMPTY.format(name))
    return default


def min_(*values: Any, key: Any = None, default: Any = _END) -> Any:
    return _extreme("min", lambda a, b: a < b, values, key, default)


def max_(*values: Any, key: Any = None, default: Any = _END) -> Any:
    return _extreme("max", lambda a, b: a > b, values, key, default)


def _sort(items: Any, key: Any, reverse: Any) -> Any:
    """CPython's order of comparisons below 64 items: the first run, then binary insertion."""
    if len(items) >= 64:
        raise Refused(
            "64 or more values that are known only at run time are sorted", "sort a tensor: torch.sort"
        )
    entries = [(item if key is None else key(item), item) for item in items]
    if reverse:
        entries.reverse()
    run, descending, running = min_(len(entries), 2), False, True
    if run == 2 and entries[1][0] < entries[0][0]:
        descending = True
    for position in range(2, len(entries)):
        if running:
            below = True if entries[position][0] < entries[position - 1][0] else False  # noqa: SIM210 - a fork
            running = below == descending
            run += running
    if descending:
        entries[:run] = entries[:run][::-1]
    for position in range(2, len(entries)):
        if position >= run:
            run = 0  # equal in all states from here on, so that they meet
            low, high = 0, position
            while low < high:
                middle = low + (high - low) // 2
                if entries[position][0] < entries[middle][0]:
                    high = middle
                else:
                    low = middle + 1
            entries.insert(low, entries.pop(position))
    if reverse:
        entries.reverse()
    return [item for _, item in entries]


def _sort_integers(items: Any, reverse: Any) -> Any:
    if len(items) == 0:
        return items
    return torch.sort(torch.tensor(items), descending=reverse).values.tolist()


def sorted_(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    items = list(collections_.unordered_integers(iterable) if key is None else iterable)
    if key is None and methods.is_integers_of_the_run(items):
        return _sort_integers(items, bool(reverse))
    return _sort(items, key, reverse)


def zip_(*iterables: Any, strict: Any = False) -> Any:
    iterators = [iter(iterable) for iterable in iterables]

    def step(values: Any) -> Any:
        """True when a round is complete."""
        for position, iterator in enumerate_(iterators):
            value = next(iterator, _END)
            if value is not _END and (position == 0 or values):
                values.append(value)
            elif not strict:
                return False
            elif values or value is not _END:
                before = " 1" if position == 1 else f"s 1-{position}"
                word = "shorter" if values else "longer"
                raise ValueError(f"zip() argument {position + 1} is {word} than argument{before}")
        return bool(values)

    def rounds() -> Any:
        values: Any = []
        while step(values):
            yield tuple(values)
            values = []

    return shown_as(zip, rounds())


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    if not isinstance(start, int):
        start = operator.index(start)
    iterator = iter(iterable)

    def pairs() -> Any:
        index = start
        for item in iterator:
            yield index, item
            index += 1

    return shown_as(enumerate, pairs())


def map_(function: Any, iterable: Any, /, *iterables: Any) -> Any:
    if not iterables:
        return shown_as(map, (function(item) for item in iterable))
    return shown_as(map, (function(*items) for items in zip_(iterable, *iterables)))


def filter_(function: Any, iterable: Any, /) -> Any:
    is_truth = function is None or function is bool
    return shown_as(filter, (item for item in iterable if (item if is_truth else function(item))))


def reversed_(sequence: Any, /) -> Any:
    method = methods.method_of(sequence, "__reversed__")
    if isinstance(method, types.FunctionType):
        return method(sequence)
    if isinstance(sequence, dict):
        sequence = list(dict.keys(sequence))  # whatever the class says of iteration
    elif isinstance(sequence, (type({}.keys()), type({}.values()), type({}.items()))):
        sequence = list(sequence)
    elif not isinstance(sequence, (list, tuple)) and hasattr(type(sequence), "__reversed__"):
        return type(sequence).__reversed__(sequence)
    if not hasattr(type(sequence), "__getitem__"):
        raise TypeError(f"'{type(sequence).__name__}' object is not reversible")
    for name in ("__getitem__", "__len__") if isinstance(sequence, (list, tuple)) else ():
        if isinstance(methods.method_of(sequence, name), types.FunctionType):
            raise Refused(f"reversed() reads a list past the {name} of its class", "use list(…) of it")
    kind = _LIST_BACKWARDS if isinstance(sequence, list) else reversed
    return shown_as(kind, _backwards(sequence, len(sequence)))


def _backwards(sequence: Any, size: Any) -> Any:
    """It ends for good at the first index that the sequence has no more."""
    for index in range(size - 1, -1, -1):
        if not isinstance(sequence, (list, tuple)):
            try:
                item = sequence[index]
            except (IndexError, StopIteration):
                return
        elif index < len(sequence):
            item = sequence[index]
        else:
            return
        yield item


def divmod_(a: Any, b: Any, /) -> Any:
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return operations.special_binary(a, b, "__divmod__", "__rdivmod__", "divmod()")
    if b == 0 and (isinstance(a, float) or isinstance(b, float)):
        raise ZeroDivisionError("float divmod()")
    return a // b, a % b


def vars_(*objects: Any) -> Any:
    if len(objects) == 0:
        raise Refused("vars() without an argument gives local variables", "use the names themselves")
    if len(objects) > 1:
        raise TypeError(f"vars expected at most 1 argument, got {len(objects)}")
    try:
        return objects[0].__dict__
    except AttributeError:
        raise TypeError("vars() argument must have __dict__ attribute") from None


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    if not isinstance(base, int) or not isinstance(exp, int) or not isinstance(mod, int):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    if mod == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    if exp < 0:
        raise Refused("pow() has a modulus and a negative exponent", "use a positive exponent")
    result, square = 1 % mod, base % mod
    while exp > 0:
        if exp % 2:
            result = result * square % mod
        square, exp = square * square % mod, exp // 2
    return result


def reduce_(function: Any, iterable: Any, initial: Any = _END, /) -> Any:
    iterator = iter(iterable)
    result = next(iterator, _END) if initial is _END else initial
    if result is _END:
        raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        result = function(result, item)
    return result


def from_iterable_(iterables: Any) -> Any:
    iterator = iter(iterables)

    def chained() -> Any:
        for iterable in iterator:
            yield from iterable

    return shown_as(itertools.chain, chained())


def chain_(*iterables: Any) -> Any:
    return from_iterable_(iterables)


def accumulate_(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    iterator = iter(iterable)

    def totals() -> Any:
        total = _END if initial is None else initial
        if initial is not None:
            yield total
        for item in iterator:
            total = item if total is _END else (total + item if func is None else func(total, item))
            yield total

    return shown_as(itertools.accumulate, totals())


def count_(start: Any = 0, step: Any = 1) -> Any:
    for number in (start, step):
        if not any_([hasattr(type(number), name) for name in ("__index__", "__int__", "__float__")]):
            raise TypeError("a number is required")
        if not isinstance(number, (int, float, complex)):
            raise Refused("itertools.count() is given an object", "count by a number")

    def numbers() -> Any:
        number = start
        while True:
            yield number
            number = number + step

    return shown_as(itertools.count, numbers())


def cycle_(iterable: Any) -> Any:
    iterator = iter(iterable)

    def rounds() -> Any:
        saved = []
        for item in iterator:
            yield item
            saved.append(item)
        while saved:
            yield from saved

    return shown_as(itertools.cycle, rounds())


def repeat_(object: Any, times: Any = _END) -> Any:
    if times is not _END and not isinstance(times, int):
        times = operator.index(times)

    def repeated() -> Any:
        if times is _END:
            while True:
                yield object
        for _ in range(times):
            yield object

    return shown_as(itertools.repeat, repeated())


def islice_(iterable: Any, *bounds: Any) -> Any:
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    if stop is not None and stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if start < 0 or step < 1:
        raise Refused("islice() has a negative start or step", "slice a list")
    iterator = iter(iterable)

    def taken() -> Any:
        position, wanted = 0, start
        while stop is None or position < stop:
            item = next(iterator, _END)
            if item is _END:
                return
            if position == wanted:
                wanted += step
                yield item
            position += 1

    return shown_as(itertools.islice, taken())


def product_(*iterables: Any, repeat: Any = 1) -> Any:
    rows: Any = [()]
    for pool in [tuple(iterable) for iterable in iterables] * repeat:
        rows = [(*row, item) for row in rows for item in pool]
    return shown_as(itertools.product, (row for row in rows))


def _choices(pool: Any, chosen: Any, size: Any, candidates: Any) -> Any:
    if len(chosen) == size:
        yield tuple([pool[index] for index in chosen])
        return
    for index in candidates(chosen):
        yield from _choices(pool, (*chosen, index), size, candidates)


def permutations_(iterable: Any, r: Any = None) -> Any:
    pool = tuple(iterable)
    size = len(pool) if r is None else r
    found = _choices(pool, (), size, lambda chosen: [i for i in range(len(pool)) if i not in chosen])
    return shown_as(itertools.permutations, found)


def combinations_(iterable: Any, r: Any) -> Any:
    pool = tuple(iterable)
    found = _choices(pool, (), r, lambda chosen: range(chosen[-1] + 1 if chosen else 0, len(pool)))
    return shown_as(itertools.combinations, found)


def combinations_with_replacement_(iterable: Any, r: Any) -> Any:
    pool = tuple(iterable)
    found = _choices(pool, (), r, lambda chosen: range(chosen[-1] if chosen else 0, len(pool)))
    return shown_as(itertools.combinations_with_replacement, found)


def starmap_(function: Any, iterable: Any) -> Any:
    return shown_as(itertools.starmap, (function(*arguments) for arguments in iterable))


def takewhile_(predicate: Any, iterable: Any) -> Any:
    iterator = iter(iterable)

    def taken() -> Any:
        for item in iterator:
            if not predicate(item):
                return
            yield item

    return shown_as(itertools.takewhile, taken())


def dropwhile_(predicate: Any, iterable: Any) -> Any:
    iterator = iter(iterable)

    def rest() -> Any:
        dropping = True
        for item in iterator:
            dropping = dropping and bool(predicate(item))
            if not dropping:
                yield item

    return shown_as(itertools.dropwhile, rest())


def filterfalse_(function: Any, iterable: Any) -> Any:
    return shown_as(
        itertools.filterfalse,
        (item for item in iterable if not (item if function is None or function is bool else function(item))),
    )


def zip_longest_(*iterables: Any, fillvalue: Any = None) -> Any:
    iterators: Any = [iter(iterable) for iterable in iterables]

    def rows() -> Any:
        active = len(iterators)
        while active:
            values = []
            for position in range(len(iterators)):
                value = _END if iterators[position] is None else next(iterators[position], _END)
                if value is _END and iterators[position] is not None:
                    iterators[position], active = None, active - 1
                    if active == 0:
                        return
                values.append(fillvalue if value is _END else value)
            yield tuple(values)

    return shown_as(itertools.zip_longest, rows())


def pairwise_(iterable: Any) -> Any:
    iterator = iter(iterable)

    def pairs() -> Any:
        before = _END
        for item in iterator:
            if before is not _END:
                yield before, item
            before = item

    return shown_as(itertools.pairwise, pairs())


def compress_(data: Any, selectors: Any) -> Any:
    return shown_as(itertools.compress, (item for item, selected in zip_(data, selectors) if selected))


def groupby_(iterable: Any, key: Any = None) -> Any:
    """A group is read from the same iterator as the groups: it ends where the next one is asked for."""
    iterator = iter(iterable)
    item = item_key = None
    ended, group = False, 0  # a flag, so that the item keeps its kind where the input decides the length

    def read() -> Any:
        nonlocal item, item_key, ended
        given = next(iterator, _END)
        if given is _END:
            ended = True
        else:
            item, item_key = given, given if key is None else key(given)

    def members(number: Any, wanted: Any) -> Any:
        while group == number and not ended and methods.same(wanted, item_key):
            yield item
            if group == number:
                read()

    def groups() -> Any:
        nonlocal group
        read()
        while not ended:
            wanted = item_key
            group += 1
            yield wanted, shown_as(_GROUP, members(group, wanted))
            while not ended and methods.same(wanted, item_key):
                read()

    return shown_as(itertools.groupby, groups())


def prod_(iterable: Any, /, *, start: Any = 1) -> Any:
    for item in iterable:
        start = start * item
    return start


def isclose_(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    difference = abs(b - a)
    return bool(difference <= abs(rel_tol * b) or difference <= abs(rel_tol * a) or difference <= abs_tol)


_BUILTINS = "any all sum min max sorted zip enumerate map filter reversed divmod pow vars"
_ITERTOOLS = """accumulate chain combinations combinations_with_replacement compress count cycle dropwhile
filterfalse groupby islice pairwise permutations product repeat starmap takewhile zip_longest"""
MODELS: dict[object, Callable[..., Any]] = {
    **{getattr(builtins, name): globals()[f"{name}_"] for name in _BUILTINS.split()},
    **{getattr(itertools, name): globals()[f"{name}_"] for name in _ITERTOOLS.split()},
    itertools.chain.from_iterable: from_iterable_,
    functools.reduce: reduce_,
    math.prod: prod_,
    math.isclose: isclose_,
    dict.fromkeys: methods.dict_fromkeys,
    **array_functions.MODELS,
    **autograd.MODELS,
    **bisects.MODELS,
    **collections_.MODELS,
    **unseen.MODELS,
    **heaps.MODELS,
    **memory.MODELS,
    **methods.OPERATORS,
    **methods.ABSTRACT,
    **operations.TORCH_MODELS,
    **packed.MODELS,
    **process.MODELS,
}
METHODS: dict[tuple[type, str], Callable[..., Any]] = {
    **methods.METHODS,
    (range, "__reversed__"): support.range_reversed,
    **process.METHODS,
    **operations.TORCH_METHODS,
}
model_by_name = foreign.model_by_name
is_of_tensors = scripts.is_of_tensors
SEQUENCE_COMPARE: dict[str, Callable[..., Any]] = methods.SEQUENCE_COMPARE

# What the machine asks for by name.
_SUPPORT = """slice_sequence slice_tuple joined_lists extended_list stack_sequence cat_sequence
tensor_of_sequence range_length range_truth range_item range_equal pad_by_numbers
to_list to_tuple to_set to_frozenset fill_dict extend_list set_slice item_at
default_item item_or_missing get_or_fall_back iterate_items iterate_until next_default
getattr_default has_attribute update_dict dataclass_replace dataclass_asdict dataclass_astuple
cached_property_value dataclass_init cached_call length_by_method truth_by_method
int_by_method float_by_method text_by_method iterator_by_method"""
globals().update({name: getattr(support, name) for name in _SUPPORT.split()})
globals().update({name: getattr(arrays, name) for name in arrays.NAMES.split()})
globals().update({name: getattr(array_operators, name) for name in array_operators.NAMES.split()})
globals().update({name: getattr(clock, name) for name in clock.NAMES.split()})
globals().update({name: getattr(collections_, name) for name in collections_.NAMES.split()})
globals().update({name: getattr(autograd, name) for name in autograd.NAMES.split()})
globals().update({name: getattr(obstacles, name) for name in obstacles.NAMES.split()})
globals().update({name: getattr(operations, name) for name in operations.NAMES.split()})
globals().update({name: getattr(unseen, name) for name in unseen.NAMES.split()})
globals().update({name: getattr(tensor_items, name) for name in tensor_items.NAMES.split()})
