# SPDX-License-Identifier: Apache-2.0
"""What native operations of the machine leave to Python, as code of the user may run."""

from __future__ import annotations

import collections
import copy
import dataclasses
import operator
import sys
import types
from typing import Any

import torch

from . import methods
from .methods import method_of
from .refused import Refused

update_dict = methods.dict_update


def cached_call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A call of what lru_cache wraps: its cache is neither read nor filled."""
    return shared(function(*args, **kwargs))


def shared(value: Any) -> Any:
    """One object for all calls in eager: the machine keeps it from being written to."""
    return value


def shown_as(kind: Any, generator: Any) -> Any:
    """The generator, as an object of the class: of that the machine knows, with a function of its own."""
    return generator


def _ask_length(iterable: Any) -> Any:
    """CPython asks for the length before it reads the elements, and forgets a TypeError."""
    if isinstance(method_of(iterable, "__length_hint__"), types.FunctionType):
        raise Refused("an object tells how many elements it will give", "leave __length_hint__ out")
    if isinstance(method_of(iterable, "__len__"), types.FunctionType):
        try:
            len(iterable)
        except TypeError:
            return


def to_list(iterable: Any) -> Any:
    iterator = iter(iterable)
    _ask_length(iterable)
    return [item for item in iterator]  # noqa: C416 - list() is what this models


def to_tuple(iterable: Any) -> Any:
    iterator = iter(iterable)
    _ask_length(iterable)
    return tuple([item for item in iterator])  # noqa: C416


def to_set(iterable: Any) -> Any:
    return set([item for item in iterable])  # noqa: C403, C416


def to_frozenset(iterable: Any) -> Any:
    return frozenset([item for item in iterable])  # noqa: C416


def fill_dict(target: Any, source: Any, /, **values: Any) -> Any:
    update_dict(target, source, **values)
    return target


def extend_list(target: Any, iterable: Any) -> Any:
    iterator = iter(target[:] if iterable is target else iterable)
    _ask_length(iterable)
    for item in iterator:
        target.append(item)


def set_slice(target: Any, key: Any, values: Any) -> Any:
    if not hasattr(values, "__iter__"):
        raise TypeError("can only assign an iterable")
    target[key] = [item for item in values]  # noqa: C416


def length_by_method(self: Any) -> Any:
    """len() of an object whose class says how long it is."""
    size = type(self).__len__(self)
    if not isinstance(size, int):
        size = operator.index(size)
    if size < 0:
        raise ValueError("__len__() should return >= 0")
    if exceeds_index(size):
        raise OverflowError("cannot fit 'int' into an index-sized integer")
    return size + 0  # an int, also where the method gives a bool


def _whole(number: Any, method: Any) -> Any:
    if not isinstance(number, int):
        raise TypeError(f"{method} returned non-int (type {type(number).__name__})")
    return number + 0


def int_by_method(self: Any) -> Any:
    """int() of an object whose class says which number it is."""
    kind = type(self)
    if hasattr(kind, "__int__"):
        return _whole(kind.__int__(self), "__int__")
    if hasattr(kind, "__index__"):
        return _whole(kind.__index__(self), "__index__")
    if hasattr(kind, "__trunc__"):
        raise Refused("int() asks __trunc__", "define __int__")
    what = "a string, a bytes-like object or a real number"
    raise TypeError(f"int() argument must be {what}, not '{kind.__name__}'")


def float_by_method(self: Any) -> Any:
    """float() of an object whose class says which number it is."""
    kind = type(self)
    if hasattr(kind, "__float__"):
        number = kind.__float__(self)
        if not isinstance(number, float):
            raise TypeError(f"{kind.__name__}.__float__ returned non-float (type {type(number).__name__})")
        return number
    if hasattr(kind, "__index__"):
        return float(_whole(kind.__index__(self), "__index__"))
    raise TypeError(f"float() argument must be a string or a real number, not '{kind.__name__}'")


def text_by_method(self: Any, method: Any, asked: Any) -> Any:
    """str() or repr() of an object whose class says how it is shown."""
    kind: Any = type(self)
    text = kind.__str__(self) if method == "__str__" else kind.__repr__(self)
    if not isinstance(text, str):
        raise TypeError(f"{asked} returned non-string (type {type(text).__name__})")
    return text


def iterator_by_method(self: Any) -> Any:
    """iter() of an object whose class says how it is walked."""
    iterator = type(self).__iter__(self)
    if not hasattr(type(iterator), "__next__"):
        raise TypeError(f"iter() returned non-iterator of type '{type(iterator).__name__}'")
    return iterator


def exceeds_index(number: Any) -> Any:
    """No number that depends on the input does: of that the machine knows, with a function of its own."""
    return number > sys.maxsize


def truth_by_method(self: Any) -> Any:
    """bool() of an object whose class says whether it counts as true."""
    answer = type(self).__bool__(self)
    if not isinstance(answer, bool):
        raise TypeError(f"__bool__ should return bool, returned {type(answer).__name__}")
    return answer


def item_at(sequence: Any, key: Any) -> Any:
    return sequence[key.__index__()]


def default_item(container: Any, key: Any, factory: Any) -> Any:
    value = factory()
    container[key] = value
    return value


def item_or_missing(self: Any, contents: Any, key: Any) -> Any:
    """self[key] of a class that derives from dict and defines __missing__; `contents` has its entries."""
    return contents[key] if key in contents else type(self).__missing__(self, key)


def get_or_fall_back(getter: Any, arguments: Any, fallback: Any, instance: Any, name: str) -> Any:
    """An attribute whose descriptor raises AttributeError is asked of __getattr__."""
    try:
        return getter(*arguments)
    except AttributeError:
        return fallback(instance, name)


class _OldSequence:
    def __getitem__(self, index: Any) -> Any:
        raise IndexError


_OLD_ITERATOR: Any = type(iter(_OldSequence()))
_CALLING_ITERATOR: Any = type(iter(int, 1))


def iterate_items(sequence: Any) -> Any:
    """The old protocol of sequences without __iter__."""

    def items() -> Any:
        index = 0
        while True:
            try:
                item = sequence[index]
            except (IndexError, StopIteration):
                return
            yield item
            index += 1

    return shown_as(_OLD_ITERATOR, items())


def iterate_until(function: Any, sentinel: Any) -> Any:
    def values() -> Any:
        while True:
            value = function()
            if value is sentinel or value == sentinel:
                return
            yield value

    return shown_as(_CALLING_ITERATOR, values())


def next_default(iterator: Any, default: Any) -> Any:
    try:
        return next(iterator)
    except StopIteration:
        return default


def getattr_default(obj: Any, name: Any, default: Any) -> Any:
    try:
        return getattr(obj, name)
    except AttributeError:
        return default


def has_attribute(obj: Any, name: Any) -> Any:
    try:
        getattr(obj, name)
    except AttributeError:
        return False
    return True


def dataclass_replace(obj: Any, /, **changes: Any) -> Any:
    if not dataclasses.is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("replace() should be called on dataclass instances")
    for field in dataclasses.fields(obj):
        if field.init and field.name not in changes:
            changes[field.name] = getattr(obj, field.name)
        elif not field.init and field.name in changes:
            reason = f"field {field.name} is declared with init=False, it cannot be specified with replace()"
            raise ValueError(reason)
    return type(obj)(**changes)


def _plain(obj: Any, leave: Any) -> Any:
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return leave(
            [(field.name, _plain(getattr(obj, field.name), leave)) for field in dataclasses.fields(obj)]
        )
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*[_plain(item, leave) for item in obj])
    if isinstance(obj, (list, tuple)):
        return type(obj)([_plain(item, leave) for item in obj])
    if isinstance(obj, dict):
        if isinstance(obj, collections.defaultdict):
            raise Refused("asdict() copies a defaultdict", "use a dict")
        return type(obj)([(_plain(key, leave), _plain(value, leave)) for key, value in obj.items()])
    return copy.deepcopy(obj)


def dataclass_asdict(obj: Any, *, dict_factory: Any = dict) -> Any:
    if not dataclasses.is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("asdict() should be called on dataclass instances")
    return _plain(obj, dict_factory)


def dataclass_astuple(obj: Any, *, tuple_factory: Any = tuple) -> Any:
    if not dataclasses.is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("astuple() should be called on dataclass instances")
    return _plain(obj, lambda pairs: tuple_factory([value for _, value in pairs]))


def cached_property_value(function: Any, self: Any, name: Any) -> Any:
    value = function(self)
    object.__setattr__(self, name, value)
    return value


def dataclass_init(
    self: Any, names: Any, values: Any, factories: Any, init_vars: Any, frozen: Any, has_post_init: Any
) -> Any:
    """What the __init__ does that dataclasses generate; a factory, where there is one, makes the value."""
    for name, value, factory in zip(names, values, factories, strict=True):
        made = value if factory is None else factory()
        if frozen:
            object.__setattr__(self, name, made)
        else:
            setattr(self, name, made)
    if has_post_init:
        self.__post_init__(*init_vars)
    return self


def pack(tensors: Any) -> Any:
    """torch.stack of a list whose length depends on the path; the machine's own."""
    raise NotImplementedError


def stack_sequence(tensors: Any, dim: Any = 0, *, axis: Any = None) -> Any:
    dim = dim if axis is None else axis
    if len(tensors) == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    return pack(tensors).movedim(0, dim)


def cat_sequence(tensors: Any, dim: Any = 0, *, axis: Any = None) -> Any:
    dim = dim if axis is None else axis
    if len(tensors) == 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    packed = pack(tensors)
    rank = packed.dim() - 1
    if rank == 0:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
        )
    dim = dim % rank
    return packed.movedim(0, dim).flatten(dim, dim + 1)


def tensor_of_sequence(data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    if len(data) == 0:
        return torch.tensor([], dtype=dtype, device=device)
    return pack([_element(number, dtype, device) for number in data])


def _element(number: Any, dtype: Any, device: Any) -> Any:
    """torch.tensor() of one number; of a 0-d tensor in a list it takes the number, and the dtype, too."""
    if not isinstance(number, torch.Tensor):
        return torch.tensor(number, dtype=dtype, device=device)
    if number.dim() > 0:
        raise Refused("torch.tensor() is given a list of tensors with dimensions", "use torch.stack()")
    wanted = number.dtype if dtype is None else dtype
    if torch.promote_types(number.dtype, wanted) is not wanted:
        raise Refused(
            f"torch.tensor() makes numbers of {wanted} of a list of tensors of {number.dtype}",
            "convert the tensor that it makes: torch.tensor(numbers).to(dtype)",
        )
    return number.detach().to(wanted, copy=True)


def range_length(self: Any) -> Any:
    if self.step > 0:
        count = (self.stop - self.start + self.step - 1) // self.step
    else:
        count = (self.start - self.stop - self.step - 1) // -self.step
    return count if count > 0 else 0


def range_truth(self: Any) -> Any:
    return range_length(self) > 0


def range_item(self: Any, index: Any) -> Any:
    count = range_length(self)
    if isinstance(index, slice):
        step = 1 if index.step is None else index.step
        if step == 0:
            raise ValueError("slice step cannot be zero")
        lower, upper = (0, count) if step > 0 else (-1, count - 1)
        first = (lower if step > 0 else upper) if index.start is None else index.start
        last = (upper if step > 0 else lower) if index.stop is None else index.stop
        if index.start is not None:
            first = max(first + count, lower) if first < 0 else min(first, upper)
        if index.stop is not None:
            last = max(last + count, lower) if last < 0 else min(last, upper)
        return range(self.start + first * self.step, self.start + last * self.step, self.step * step)
    place = index + count if index < 0 else index
    if place < 0 or place >= count:
        raise IndexError("range object index out of range")
    return self.start + place * self.step


def range_equal(self: Any, other: Any) -> Any:
    count = range_length(self)
    if count != range_length(other):
        return False
    if count == 0:
        return True
    return self.start == other.start and (count == 1 or self.step == other.step)


def range_reversed(self: Any) -> Any:
    last = self.start + (range_length(self) - 1) * self.step
    return iter(range(last, self.start - self.step, -self.step))


def pad_by_numbers(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Any:
    """torch.nn.functional.pad in mode "constant" with widths that depend on the input."""
    if len(pad) % 2 != 0:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {input.dim()}"
        )
    result = input.clone()
    for place in range(0, len(pad), 2):
        dim = input.dim() - 1 - place // 2
        if pad[place] < 0:
            result = result.narrow(dim, -pad[place], result.shape[dim] + pad[place])
        if pad[place + 1] < 0:
            result = result.narrow(dim, 0, result.shape[dim] + pad[place + 1])
    for place in range(0, len(pad), 2):
        dim = input.dim() - 1 - place // 2
        if pad[place] > 0:
            result = torch.cat([_filled(result, dim, pad[place], value), result], dim)
        if pad[place + 1] > 0:
            result = torch.cat([result, _filled(result, dim, pad[place + 1], value)], dim)
    return result


def _filled(like: Any, dim: Any, width: Any, value: Any) -> Any:
    sizes = [width if place == dim else like.shape[place] for place in range(like.dim())]
    return torch.full(sizes, 0 if value is None else value, dtype=like.dtype)


def slice_sequence(items: Any, start: Any, stop: Any, step: Any) -> Any:
    step = 1 if step is None else step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    size = len(items)
    lower, upper = (0, size) if step > 0 else (-1, size - 1)

    def clamped(index: Any) -> Any:
        if index < 0:
            return lower if index + size < lower else index + size
        return upper if index > upper else index

    first = (lower if step > 0 else upper) if start is None else clamped(start)
    last = (upper if step > 0 else lower) if stop is None else clamped(stop)
    return [items[index] for index in range(first, last, step)]


def slice_tuple(items: Any, start: Any, stop: Any, step: Any) -> Any:
    return tuple(slice_sequence(items, start, stop, step))


def joined_lists(left: Any, right: Any) -> Any:
    joined = to_list(left)
    extend_list(joined, right)
    return joined


def extended_list(left: Any, right: Any) -> Any:
    extend_list(left, right)
    return left
