# SPDX-License-Identifier: Apache-2.0
"""Arrays and numbers of numpy whose elements depend on the input.

Such an array is a tensor with numpy's rules: it has the tensor in one attribute, and what numpy does with it
is written with functions of torch here, in array_operators.py and in array_functions.py. To the program its
class is numpy's (`SHOWN`): the machine answers isinstance() and type() so. What is not written is refused.
"""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_operators import (
    absolute,
    add,
    bitwise,
    combine,
    divide,
    floor_divide,
    invert,
    multiply,
    negative,
    power,
    remainder,
    subtract,
)
from .array_rules import numpy_dtype
from .array_values import (
    CLASSES,
    ELEMENTS,
    WAY_OUT,
    as_array,
    as_array_or_number,
    as_dtype,
    as_one,
    as_result,
    as_tensor,
    axes_in_memory,
    check_bounds,
    check_operands,
    converted,
    elements_of,
    fits_into,
    in_order,
    is_array,
    operand,
    place_of,
    refuse,
    shown,
    strides_of,
)
from .methods import method_of
from .operations import OF_NUMPY
from .refused import Refused


class Values:
    """What arrays and numbers of numpy have in common."""

    def __init__(self, elements: Any) -> None:
        object.__setattr__(self, ELEMENTS, elements)

    def __getattr__(self, name: Any) -> Any:
        if not hasattr(self.SHOWN, name):
            raise AttributeError(
                f"'{self.SHOWN.__module__}.{self.SHOWN.__name__}' object has no attribute '{name}'"
            )
        raise Refused(f"'{name}' of a numpy array that depends on the input is not modelled", WAY_OUT)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise Refused(f"'{name}' of a numpy array is set", "make another array, with reshape() or astype()")

    @property
    def shape(self) -> Any:
        return tuple(elements_of(self).shape)

    @property
    def ndim(self) -> Any:
        return elements_of(self).dim()

    @property
    def size(self) -> Any:
        return elements_of(self).numel()

    @property
    def dtype(self) -> Any:
        return numpy_dtype(elements_of(self).dtype)

    def __add__(self, other: Any) -> Any:
        return add(self, other)

    def __radd__(self, other: Any) -> Any:
        return add(other, self)

    def __sub__(self, other: Any) -> Any:
        return subtract(self, other)

    def __rsub__(self, other: Any) -> Any:
        return subtract(other, self)

    def __mul__(self, other: Any) -> Any:
        return multiply(self, other)

    def __rmul__(self, other: Any) -> Any:
        return multiply(other, self)

    def __truediv__(self, other: Any) -> Any:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return divide(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floor_divide(other, self)

    def __mod__(self, other: Any) -> Any:
        return remainder(self, other)

    def __rmod__(self, other: Any) -> Any:
        return remainder(other, self)

    def __pow__(self, other: Any) -> Any:
        return power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return power(other, self)

    def __and__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_and, self, other)

    def __rand__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_and, other, self)

    def __or__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_or, self, other)

    def __ror__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_or, other, self)

    def __xor__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_xor, self, other)

    def __rxor__(self, other: Any) -> Any:
        return bitwise(torch.bitwise_xor, other, self)

    def __lt__(self, other: Any) -> Any:
        return combine(torch.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return combine(torch.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return combine(torch.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return combine(torch.ge, self, other)

    def __eq__(self, other: Any) -> Any:
        return combine(torch.eq, self, other)

    def __ne__(self, other: Any) -> Any:
        return combine(torch.ne, self, other)

    def __neg__(self) -> Any:
        return negative(self)

    def __pos__(self) -> Any:
        return as_result(elements_of(self).clone())

    def __abs__(self) -> Any:
        return absolute(self)

    def __invert__(self) -> Any:
        return invert(self)

    def _only(self) -> Any:
        return elements_of(self)

    def __bool__(self) -> Any:
        return bool(self._only())

    def __int__(self) -> Any:
        return int(self._only())

    def __float__(self) -> Any:
        return float(self._only())

    def item(self, *args: Any) -> Any:
        if args:
            raise refuse("item() with a place")
        if elements_of(self).numel() != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return elements_of(self).item()

    def tolist(self) -> Any:
        return elements_of(self).tolist()

    def astype(self, dtype: Any, **options: Any) -> Any:
        if options:
            raise refuse("astype() with options")
        return as_array_or_number(self, converted(elements_of(self), dtype))

    def copy(self, order: Any = "C") -> Any:
        if order != "C":
            raise refuse("copy() in another order")
        return as_array_or_number(self, elements_of(self).clone(memory_format=torch.contiguous_format))


def _slice(part: Any) -> Any:
    if part.step is not None and part.step < 0:
        raise Refused("an array is read backwards", "use torch.flip on the tensor")
    return slice(place_of(part.start), place_of(part.stop), part.step)


def _checked_places(places: Any, size: Any, axis: Any) -> Any:
    outside = (places < -size) | (places >= size)
    if outside.any():
        raise IndexError(
            f"index {places[outside][0].item()} is out of bounds for axis {axis} with size {size}"
        )
    return places


def _is_number(part: Any) -> Any:
    if is_array(part):
        return elements_of(part).dim() == 0
    return isinstance(part, (int, numpy.integer)) and not isinstance(part, (bool, numpy.bool_))


def _checked_place(part: Any, size: Any, axis: Any) -> Any:
    place = place_of(part)
    if place < -size or place >= size:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {size}")
    return place


def _has_ellipsis(key: Any) -> Any:
    for part in key if isinstance(key, tuple) else (key,):  # noqa: SIM110 - `in` would compare arrays
        if part is Ellipsis:
            return True
    return False


def _axes_taken(part: Any) -> Any:
    """How many dimensions of the array a part of the index stands for."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, slice) or _is_number(part):
        return 1
    places = as_tensor(part, "an index")
    return places.dim() if places.dtype is torch.bool else 1


def key_of(tensor: Any, key: Any) -> Any:
    """The index as torch takes it, once numpy has found nothing wrong with it."""
    parts = key if isinstance(key, tuple) else (key,)
    made: Any = []
    axis, left, numbers, arrays = 0, 0, 0, 0
    for part in parts:
        left += _axes_taken(part)
    if left > tensor.dim():
        raise IndexError(
            f"too many indices for array: array is {tensor.dim()}-dimensional, but {left} were indexed"
        )
    for part in parts:
        if part is None:
            made.append(None)
        elif part is Ellipsis:
            made.append(Ellipsis)
            axis = tensor.dim() - left
        elif isinstance(part, slice):
            made.append(_slice(part))
        elif _is_number(part):
            numbers += 1
            made.append(_checked_place(part, tensor.shape[axis], axis))
        else:
            arrays += 1
            made.append(_array_key(tensor, part, axis))
        axis, left = axis + _axes_taken(part), left - _axes_taken(part)
    _check_arrays([part for part in made if isinstance(part, torch.Tensor)])
    if numbers and arrays:
        raise Refused("an index has numbers and arrays, which numpy treats as one", "index in two steps")
    return tuple(made)


def _check_arrays(arrays: Any) -> None:
    """The arrays of an index meet like operands; a mask's places are counted by torch."""
    if all(array.dtype is not torch.bool for array in arrays):
        check_operands(
            *arrays,
            error=IndexError,
            text="shape mismatch: indexing arrays could not be broadcast together with shapes ",
        )


def _array_key(tensor: Any, part: Any, axis: Any) -> Any:
    places = as_tensor(part, "an index")
    if places.dtype.is_floating_point or places.dim() == 0:
        raise Refused(
            "an array is indexed by something else than integers or bools", "convert it with astype(int)"
        )
    if places.dtype is not torch.bool:
        return _checked_places(places, tensor.shape[axis], axis)
    for place in range(places.dim()):
        if axis + place >= tensor.dim() or places.shape[place] != tensor.shape[axis + place]:
            raise Refused("a mask has other sizes than the array", "give it the array's sizes")
    return places


def _in_numpy_s_order(found: Any, tensor: Any, key: Any) -> Any:
    """What arrays in an index pick lies outermost in memory, the other axes within, in their own order."""
    arrays = [part for part in key if isinstance(part, torch.Tensor)]
    if not arrays or found.dim() < 2:
        return found
    own = strides_of(tensor, tensor.dim())
    strides, starts, picked, axis = [], [], 0, 0  # type: ignore[var-annotated]
    left = tensor.dim() - len([part for part in key if isinstance(part, (slice, int))])
    for array in arrays:
        if array.dim() > 1 and array.dtype is not torch.bool and not array.is_contiguous():
            raise Refused("an index lies in memory in another order than C's", "copy it first: copy()")
        picked = max(picked, 1 if array.dtype is torch.bool else array.dim())
        left -= array.dim() if array.dtype is torch.bool else 1
    for part in key if _has_ellipsis(key) else (*key, Ellipsis):
        if isinstance(part, torch.Tensor):
            starts.append(len(strides))
            axis += part.dim() if part.dtype is torch.bool else 1
        elif part is None:
            strides.append(0)
        else:
            count = left if part is Ellipsis else 1
            strides.extend(own[axis : axis + count])
            axis += count
    start = starts[0] if starts[0] == starts[-1] else 0  # arrays with something in between go to the front
    inner = [one if one < start else one + picked for one in axes_in_memory([strides])]
    return in_order(found, list(range(start, start + picked)) + inner)


def _misfit(key: Any, given: Any, wanted: Any) -> Any:
    """What numpy says where a value of one shape is written to elements of another."""
    arrays = [part for part in key if isinstance(part, torch.Tensor)]
    if len(key) == 1 and arrays and arrays[0].dtype is torch.bool and len(given) == 1 and len(wanted) == 1:
        return (
            f"NumPy boolean array indexing assignment cannot assign {given[0]} input values "
            f"to the {wanted[0]} output values where the mask is true"
        )
    if arrays:
        return (
            f"shape mismatch: value array of shape {shown(given)} "
            f"could not be broadcast to indexing result of shape {shown(wanted)}"
        )
    return f"could not broadcast input array from shape {shown(given)} into shape {shown(wanted)}"


class Array(Values):
    """numpy.ndarray"""

    SHOWN = numpy.ndarray

    def _only(self) -> Any:
        if elements_of(self).dim() > 0:
            raise Refused("an array with dimensions is read as one number", "index it, or use any() or all()")
        return elements_of(self)

    def __len__(self) -> Any:
        if elements_of(self).dim() == 0:
            raise TypeError("len() of unsized object")
        return len(elements_of(self))

    def __iter__(self) -> Any:
        if elements_of(self).dim() == 0:
            raise TypeError("iteration over a 0-d array")
        for row in elements_of(self):
            yield as_result(row if row.dim() > 0 else row.clone())

    def __contains__(self, value: Any) -> Any:
        return bool(elements_of(combine(torch.eq, self, value)).any())

    def __getitem__(self, key: Any) -> Any:
        tensor = elements_of(self)
        places = key_of(tensor, key)
        found = _in_numpy_s_order(tensor[places], tensor, places)
        if found.dim() == 0 and _has_ellipsis(key):
            return as_array(found)
        return as_result(found if found.dim() > 0 else found.clone())

    def __setitem__(self, key: Any, value: Any) -> None:
        tensor = elements_of(self)
        places = key_of(tensor, key)
        given = operand(value)
        if given is None:
            raise refuse("an assignment to elements")
        floats = given[1] == "float" or (isinstance(given[0], torch.Tensor) and given[1].is_floating_point)
        if floats and not tensor.dtype.is_floating_point:
            raise Refused("floats are written into an array of integers", "convert them first")
        check_bounds(value, tensor.dtype)
        plain = as_one(as_dtype(given[0], tensor.dtype), tensor.dtype)
        target = tensor[places]
        if plain.dim() > target.dim():
            raise Refused("a sequence is written to one element", "write its elements")
        if not fits_into(plain, target):
            raise ValueError(_misfit(places, plain.shape, target.shape))
        tensor[places] = plain

    def _replace(self, operator: Any, other: Any) -> Any:
        tensor, given = elements_of(self), operand(other)
        if given is not None:
            check_operands(tensor, given[0], tensor)
        found = elements_of(operator(self, other))
        if found.dtype is not tensor.dtype and not (
            found.dtype.is_floating_point and tensor.dtype.is_floating_point
        ):
            raise Refused(
                "an array is changed in place by numbers of another kind", "convert the array first"
            )
        if not fits_into(found, tensor):
            raise ValueError(
                f"non-broadcastable output operand with shape {shown(tensor.shape)} "
                f"doesn't match the broadcast shape {shown(found.shape)}"
            )
        tensor.copy_(found)
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._replace(add, other)

    def __isub__(self, other: Any) -> Any:
        return self._replace(subtract, other)

    def __imul__(self, other: Any) -> Any:
        return self._replace(multiply, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._replace(divide, other)

    def __ifloordiv__(self, other: Any) -> Any:
        return self._replace(floor_divide, other)

    def __imod__(self, other: Any) -> Any:
        return self._replace(remainder, other)

    def __ipow__(self, other: Any) -> Any:
        return self._replace(power, other)

    def __iand__(self, other: Any) -> Any:
        return self._replace(lambda one, two: bitwise(torch.bitwise_and, one, two), other)

    def __ior__(self, other: Any) -> Any:
        return self._replace(lambda one, two: bitwise(torch.bitwise_or, one, two), other)

    def __ixor__(self, other: Any) -> Any:
        return self._replace(lambda one, two: bitwise(torch.bitwise_xor, one, two), other)

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        tensor = elements_of(self)
        return as_array(tensor.permute(tuple([tensor.dim() - 1 - axis for axis in range(tensor.dim())])))

    def fill(self, value: Any) -> None:
        self[...] = value


class Number(Values):
    """numpy.generic"""

    def __hash__(self) -> Any:
        raise Refused(
            "the hash of a number of numpy depends on the input", "convert it with int() or float()"
        )

    def __getitem__(self, key: Any) -> Any:
        raise refuse("the index of a number")


class Float64(Number):
    SHOWN = numpy.float64


class Float32(Number):
    SHOWN = numpy.float32


class Int64(Number):
    SHOWN = numpy.int64

    def __index__(self) -> Any:
        return elements_of(self).item()


class Int32(Number):
    SHOWN = numpy.int32

    def __index__(self) -> Any:
        return elements_of(self).item()


class Bool(Number):
    SHOWN = numpy.bool_


NUMBERS: Any = {
    torch.float64: Float64,
    torch.float32: Float32,
    torch.int64: Int64,
    torch.int32: Int32,
    torch.bool: Bool,
}


setattr(Values, OF_NUMPY, True)
CLASSES.update({None: Array, **NUMBERS})


# ---- what the machine asks for by name


def plain_key(key: Any) -> Any:
    """An index with numbers and tensors in the place of what is numpy's."""
    if is_array(key):
        return elements_of(key) if isinstance(key, numpy.ndarray) else elements_of(key).item()
    if isinstance(key, tuple):
        return tuple([plain_key(part) for part in key])
    if isinstance(key, slice):
        return slice(place_of(key.start), place_of(key.stop), place_of(key.step))
    return key


def _key_for(container: Any, key: Any) -> Any:
    """Only a tensor takes arrays; the keys of a dict are any numbers."""
    if not isinstance(container, (torch.Tensor, dict)) and not isinstance(key, slice):
        key = place_of(key)
    return plain_key(key)


def item_by_numpy(container: Any, key: Any) -> Any:
    return container[_key_for(container, key)]


def set_item_by_numpy(container: Any, key: Any, value: Any) -> None:
    container[_key_for(container, key)] = value


def range_by_index(*bounds: Any) -> Any:
    return range(
        *[bound.__index__() if method_of(bound, "__index__") is not None else bound for bound in bounds]
    )


def tensor_of_numpy(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    """torch.tensor(array)"""
    if requires_grad:
        raise Refused("a tensor that requires gradients is made", "leave requires_grad out")
    return elements_of(data).to(elements_of(data).dtype if dtype is None else dtype, copy=True)


def as_tensor_of_numpy(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """torch.as_tensor(array): the array's memory where the dtype stays; a number has none of its own."""
    tensor = elements_of(data)
    if not isinstance(data, numpy.ndarray) or (dtype is not None and dtype is not tensor.dtype):
        return tensor.to(tensor.dtype if dtype is None else dtype, copy=True)
    return tensor.detach()


def become(array: Any, made: Any) -> None:
    """The array is `made` from here on; the machine's own."""
    raise NotImplementedError


def write_to_array(method: Any, array: Any, *arguments: Any) -> Any:
    """A write to an array that was known until now, of something that depends on the input."""
    if array.dtype.kind not in "biuf":
        raise Refused("an array of texts or objects gets a value that depends on the input", "use a list")
    made = as_array(torch.tensor(array))
    become(array, made)
    return getattr(array, method)(*arguments)


NAMES = """tensor_of_numpy as_tensor_of_numpy write_to_array item_by_numpy set_item_by_numpy
range_by_index"""
