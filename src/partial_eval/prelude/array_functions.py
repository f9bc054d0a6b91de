# SPDX-License-Identifier: Apache-2.0
"""Functions of numpy, and methods of its arrays, on values that depend on the input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import torch

from . import array_operators, array_reductions
from .array_operators import combine
from .array_reductions import amax, amin, axes_of, axis_of, nonzero, norm
from .array_rules import common_dtype, torch_dtype
from .array_values import (
    as_array,
    as_array_or_number,
    as_floats,
    as_one,
    as_result,
    as_tensor,
    check_operands,
    converted,
    elements_of,
    in_order,
    is_array,
    known_dtype,
    laid_as,
    no_options,
    operands,
    place_of,
    refuse,
    shown,
)
from .arrays import NUMBERS, Array, Values
from .refused import Refused

_SMALL = (torch.bool, torch.int8, torch.int16, torch.uint8)


# ---- making arrays


def _of_tensor(self: Any, *, force: Any = False) -> Any:
    """tensor.numpy()"""
    return as_array(self.detach())


def _given(value: Any, what: Any) -> Any:
    return known_dtype(value.detach()) if isinstance(value, torch.Tensor) else as_tensor(value, what)


def array(object: Any, dtype: Any = None, *, copy: Any = True, **options: Any) -> Any:
    no_options(options, "array()")
    if copy is not True:
        raise refuse("array() with copy=")
    tensor = _given(object, "array()")
    return as_array(tensor.clone() if dtype is None else converted(tensor, dtype, object))


def asarray(a: Any, dtype: Any = None, **options: Any) -> Any:
    no_options(options, "asarray()")
    tensor = _given(a, "asarray()")
    wanted = tensor.dtype if dtype is None else torch_dtype(dtype)
    if wanted is not tensor.dtype:
        return as_array(converted(tensor, dtype, a))
    return a if isinstance(a, numpy.ndarray) else as_array(tensor)


def from_array(array: Any) -> Any:
    """torch.from_numpy(array)"""
    if isinstance(array, numpy.ndarray) and not is_array(array):
        return torch.as_tensor(array)
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return elements_of(array).detach()


def _sizes(shape: Any) -> Any:
    if isinstance(shape, (list, tuple)):
        return tuple([place_of(size) for size in shape])
    return (place_of(shape),)


def _filled(shape: Any, value: Any, dtype: Any) -> Any:
    sizes = _sizes(shape)
    for size in sizes:
        if size < 0:
            raise ValueError("negative dimensions are not allowed")
    return as_array(torch.full(sizes, value, dtype=torch_dtype(dtype)))


def zeros(shape: Any, dtype: Any = float, **options: Any) -> Any:
    no_options(options, "zeros()")
    return _filled(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float, **options: Any) -> Any:
    no_options(options, "ones()")
    return _filled(shape, 1, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    no_options(options, "full()")
    value = as_tensor(fill_value, "full()")
    if value.dim() > 0:
        raise refuse("full() with an array")
    value = value if dtype is None else converted(value, dtype, fill_value)
    return as_array(value.expand(_sizes(shape)).clone())


def zeros_like(a: Any, dtype: Any = None, **options: Any) -> Any:
    no_options(options, "zeros_like()")
    tensor = as_tensor(a, "zeros_like()")
    return as_array(torch.zeros_like(tensor, dtype=None if dtype is None else torch_dtype(dtype)))


def ones_like(a: Any, dtype: Any = None, **options: Any) -> Any:
    no_options(options, "ones_like()")
    tensor = as_tensor(a, "ones_like()")
    return as_array(torch.ones_like(tensor, dtype=None if dtype is None else torch_dtype(dtype)))


def arange(*bounds: Any, dtype: Any = None) -> Any:
    for bound in bounds:
        if isinstance(bound, float):
            return _arange_of_floats(bounds, dtype)
    places = [place_of(bound) for bound in bounds]
    if len(places) not in (1, 2, 3):
        raise refuse("arange() with four arguments, or none")
    start, stop = (0, places[0]) if len(places) == 1 else (places[0], places[1])
    step = places[2] if len(places) == 3 else 1
    if step == 0:
        raise ZeroDivisionError("division by zero")
    if (stop < start) if step > 0 else (stop > start):
        stop = start  # then there are no elements, where torch raises
    kind = torch.int64 if dtype is None else torch_dtype(dtype)
    return as_array(torch.arange(start, stop, step, dtype=kind))


def _arange_of_floats(bounds: Any, dtype: Any) -> Any:
    """numpy adds once, and multiplies what that has moved by the places behind."""
    for bound in bounds:
        if not isinstance(bound, (int, float)):
            raise refuse("arange() with floats and other numbers than Python's and float64")
    if dtype not in (None, float, numpy.float64) or len(bounds) not in (1, 2, 3):
        raise refuse("arange() with floats and a dtype, or with four arguments")
    numbers = [float(bound) for bound in bounds]
    start, stop = (0.0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else 1.0
    if step == 0:
        for bound in bounds:
            if isinstance(bound, numpy.float64):
                fault = "arange: cannot compute length" if stop == start else "Maximum allowed size exceeded"
                raise ValueError(fault)
        raise ZeroDivisionError("float division by zero")
    count = (stop - start) / step
    if math.isnan(count):
        raise ValueError("arange: cannot compute length")
    if not -(2.0**63) <= count < 2.0**63:
        raise ValueError("Maximum allowed size exceeded")
    if count == 0 and stop != start:  # the quotient is too small for a float
        places = torch.arange(1 if math.copysign(1.0, count) > 0 else 0)
    else:
        places = torch.arange(max(math.ceil(count), 0))
    second = start + step
    values = places.to(torch.float64) * (second - start) + start
    values = torch.where(places == 1, second, torch.where(places == 0, start, values))
    return as_array(values)


def _number_maker(dtype: Any) -> Callable[..., Any]:
    """numpy.float32(value)"""

    def make(value: Any = 0, /) -> Any:
        if not is_array(value) and dtype in (torch.int64, torch.int32):
            if dtype is torch.int32 or not isinstance(value, (int, float)):
                raise refuse("int32() or int64() of anything but a number")
            value = int(value)
        tensor = as_tensor(value, "a number").to(dtype)
        return as_result(tensor) if tensor.dim() == 0 else as_array(tensor)

    return make


# ---- element by element


def where(condition: Any, *choices: Any) -> Any:
    if not choices:
        return nonzero(condition)
    if len(choices) != 2:
        raise ValueError("either both or neither of x and y should be given")
    first, second, dtype = operands(choices[0], choices[1], None, False)
    truth = as_tensor(condition, "where()").to(torch.bool)
    first, second = as_one(first, dtype), as_one(second, dtype)
    check_operands(truth, first, second)
    return as_where(laid_as(torch.where(truth, first, second), (truth, first, second)))


def as_where(tensor: Any) -> Any:
    """where() gives an array also where no dimension is left."""
    return as_array(tensor)


def maximum(left: Any, right: Any, /) -> Any:
    first, second, dtype = operands(left, right)
    if dtype is torch.bool:
        raise refuse("maximum() of bools")
    return as_result(laid_as(torch.maximum(as_one(first, dtype), as_one(second, dtype)), (first, second)))


def minimum(left: Any, right: Any, /) -> Any:
    first, second, dtype = operands(left, right)
    if dtype is torch.bool:
        raise refuse("minimum() of bools")
    return as_result(laid_as(torch.minimum(as_one(first, dtype), as_one(second, dtype)), (first, second)))


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    no_options({"out": out, **options}, "clip()")
    if a_min is None or a_max is None:
        raise refuse("clip() with one bound")
    check_operands(*[as_tensor(one, "clip()") for one in (a, a_min, a_max)])
    return minimum(maximum(a, a_min), a_max)


def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    no_options({"out": out}, "round()")
    tensor = as_tensor(a, "round()")
    if not tensor.dtype.is_floating_point or decimals < 0:
        raise refuse("round() of integers, or before the point")
    if decimals == 0:
        return as_result(torch.round(tensor))
    rounded = torch.round(tensor * 10**decimals) / 10**decimals
    backwards = range(tensor.dim() - 1, -1, -1)
    is_fortran = tensor.dim() > 1 and tensor.permute(tuple(backwards)).is_contiguous()
    return as_result(in_order(rounded, list(backwards)) if is_fortran else rounded.contiguous())


def sign(x: Any, /) -> Any:
    tensor = as_tensor(x, "sign()")
    if tensor.dtype is torch.bool:
        raise refuse("sign() of bools")
    return as_result(torch.where(torch.isnan(tensor), tensor, torch.sign(tensor)))


def _of_floats(function: Any, name: Any) -> Callable[..., Any]:
    """A function whose result is a float, also for integers."""

    def compute(x: Any, /) -> Any:
        tensor = as_tensor(x, f"{name}()")
        if tensor.dtype in _SMALL:
            raise refuse(f"{name}() of small integers")
        return as_result(function(as_floats(tensor)))

    return compute


def _rounding(function: Any, name: Any) -> Callable[..., Any]:
    def compute(x: Any, /) -> Any:
        tensor = as_tensor(x, f"{name}()")
        if not tensor.dtype.is_floating_point:
            raise refuse(f"{name}() of integers")
        return as_result(function(tensor))

    return compute


def _asking(function: Any, name: Any) -> Callable[..., Any]:
    def compute(x: Any, /) -> Any:
        return as_result(function(as_tensor(x, f"{name}()")))

    return compute


def _comparing(function: Any) -> Callable[..., Any]:
    def compare(left: Any, right: Any, /) -> Any:
        return combine(function, left, right)

    return compare


def _logical(function: Any, name: Any) -> Callable[..., Any]:
    def compute(left: Any, right: Any, /) -> Any:
        first, second = as_tensor(left, name).to(torch.bool), as_tensor(right, name).to(torch.bool)
        check_operands(first, second)
        return as_result(laid_as(function(first, second), (first, second)))

    return compute


def logical_not(x: Any, /) -> Any:
    return as_result(~as_tensor(x, "logical_not()").to(torch.bool))


def square(x: Any, /) -> Any:
    if as_tensor(x, "square()").dtype is torch.bool:
        raise refuse("square() of bools")
    return array_operators.multiply(x, x)


# ---- whole arrays


def reshape(a: Any, /, shape: Any = None, order: Any = "C", **options: Any) -> Any:
    no_options(options, "reshape()")
    if order != "C":
        raise refuse("reshape() in another order")
    tensor, sizes, unknown = as_tensor(a, "reshape()"), _sizes(shape), 0
    for size in sizes:
        if size < -1:
            raise refuse("reshape() to a negative size")
        unknown += 1 if size == -1 else 0
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    try:
        return _moved(a, tensor.reshape(sizes))
    except RuntimeError:
        wanted = shown(["newaxis" if size == -1 else size for size in sizes])
        if sizes and sizes[0] == -1:  # of which numpy's message does not speak
            wanted = wanted.replace("newaxis,", "", 1)
        raise ValueError(f"cannot reshape array of size {tensor.numel()} into shape {wanted}") from None


def _moved(a: Any, tensor: Any) -> Any:
    """A number of numpy's stays one; anything else is an array by now."""
    return as_array_or_number(a, tensor) if is_array(a) else as_array(tensor)


def transpose(a: Any, axes: Any = None) -> Any:
    tensor = as_tensor(a, "transpose()")
    if axes is None:
        return _moved(a, tensor.permute(tuple(range(tensor.dim() - 1, -1, -1))))
    if len(axes) != tensor.dim():
        raise ValueError("axes don't match array")
    return _moved(a, tensor.permute(axes_of(tensor, tuple(axes), "repeated axis in transpose", False)))


def squeeze(a: Any, axis: Any = None) -> Any:
    tensor = as_tensor(a, "squeeze()")
    if axis is None:
        return _moved(a, tensor.squeeze())
    if tensor.dim() == 0:
        raise refuse("squeeze() of a number along an axis")
    for one in axes_of(tensor, axis):
        if tensor.shape[one] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return as_array(tensor.squeeze(axes_of(tensor, axis)))


def expand_dims(a: Any, axis: Any) -> Any:
    if not isinstance(axis, int):
        raise refuse("expand_dims() with several axes")
    tensor = as_tensor(a, "expand_dims()")
    return as_array(tensor.unsqueeze(axis_of(axis, tensor.dim() + 1)))


def ravel(a: Any, order: Any = "C") -> Any:
    if order != "C":
        raise refuse("ravel() in another order")
    tensor = as_tensor(a, "ravel()")
    if not tensor.is_contiguous():
        tensor = tensor.clone(memory_format=torch.contiguous_format)
    return as_array(tensor.reshape(-1))


def _items(sequence: Any, what: Any) -> Any:
    """numpy asks other objects for their length and their items in an order of its own."""
    if type(sequence) not in (list, tuple) and not is_array(sequence) and type(sequence) is not numpy.ndarray:
        raise Refused(f"{what} of something else than a list or a tuple of arrays", "make a list of them")
    return sequence


def _together(sequence: Any, what: Any) -> Any:
    tensors = [as_tensor(item, what) for item in _items(sequence, what)]
    if not tensors:
        raise ValueError("need at least one array to concatenate")
    dtype = tensors[0].dtype
    for tensor in tensors:
        dtype = common_dtype(dtype, tensor.dtype)
        if dtype is None or tensor.dim() != tensors[0].dim():
            raise Refused(f"{what} joins arrays that differ in kind or dimensions", "make them alike")
    return [tensor.to(dtype) for tensor in tensors]


def _joined(sequence: Any, axis: Any, what: Any) -> Any:
    tensors = _together(sequence, what)
    if tensors[0].dim() == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, tensors[0].dim())
    for tensor in tensors:
        for other in range(tensor.dim()):
            if other != axis and tensor.shape[other] != tensors[0].shape[other]:
                raise Refused(f"{what} joins arrays whose sizes do not fit", "make them alike")
    return as_array(laid_as(torch.cat(tensors, axis), tensors, True))


def concatenate(arrays: Any, /, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    no_options({"out": out, **options}, "concatenate()")
    if not isinstance(axis, int):
        raise refuse("concatenate() of everything")
    return _joined(arrays, axis, "concatenate()")


def stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    no_options({"out": out, **options}, "stack()")
    tensors = _together(arrays, "stack()")
    for tensor in tensors:
        if tensor.shape != tensors[0].shape:
            raise ValueError("all input arrays must have the same shape")
    place = axis_of(axis, tensors[0].dim() + 1)
    rows = [tensor.unsqueeze(place) for tensor in tensors]
    return as_array(laid_as(torch.stack(tensors, place), rows, True))


def _rows(item: Any) -> Any:
    tensor = as_tensor(item, "vstack()")
    return as_array(tensor.reshape(1, -1) if tensor.dim() < 2 else tensor)


def vstack(tup: Any, **options: Any) -> Any:
    no_options(options, "vstack()")
    return _joined([_rows(item) for item in _items(tup, "vstack()")], 0, "vstack()")


def hstack(tup: Any, **options: Any) -> Any:
    no_options(options, "hstack()")
    tensors = [as_tensor(item, "hstack()") for item in _items(tup, "hstack()")]
    flat = [as_array(tensor.reshape(1) if tensor.dim() == 0 else tensor) for tensor in tensors]
    return _joined(flat, 0 if elements_of(flat[0]).dim() == 1 else 1, "hstack()")


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    no_options({"order": order, **options}, "sort()")
    tensor = as_tensor(a, "sort()")
    if not isinstance(axis, int) or tensor.dim() == 0:
        raise refuse("sort() of everything")
    return as_array(torch.sort(tensor, axis_of(axis, tensor.dim()))[0])


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    no_options({"order": order}, "argsort()")
    if kind not in ("stable", "mergesort") and stable is not True:
        raise Refused(
            "argsort() of numpy leaves the order of equal elements open",
            'use kind="stable", or torch.argsort',
        )
    tensor = as_tensor(a, "argsort()")
    if not isinstance(axis, int) or tensor.dim() == 0:
        raise refuse("argsort() of everything")
    return as_array(torch.argsort(tensor, dim=axis_of(axis, tensor.dim()), stable=True).contiguous())


def unique(ar: Any, *args: Any, **options: Any) -> Any:
    tensor = as_tensor(ar, "unique()")
    if args or options or tensor.dtype.is_floating_point:
        raise refuse("unique() of floats, or with options")
    return as_array(torch.unique(tensor.reshape(-1)))


def matmul(left: Any, right: Any, /) -> Any:
    first, second = _factors(left, right)
    if first.dim() not in (1, 2) or second.dim() not in (1, 2):
        raise refuse("matmul() of other than vectors and matrices")
    if first.shape[-1] != second.shape[0]:
        raise Refused("matmul() or dot() of arrays whose sizes do not fit", "give them sizes that fit")
    return as_result(torch.matmul(first, second))


def _factors(left: Any, right: Any) -> Any:
    first, second = as_tensor(left, "matmul()"), as_tensor(right, "matmul()")
    dtype = common_dtype(first.dtype, second.dtype)
    if dtype is None or dtype is torch.bool:
        raise refuse("matmul() of bools")
    return first.to(dtype), second.to(dtype)


def dot(a: Any, b: Any, out: Any = None) -> Any:
    no_options({"out": out}, "dot()")
    return matmul(a, b)


def size_of(a: Any, axis: Any = None) -> Any:
    tensor = as_tensor(a, "size()")
    return tensor.numel() if axis is None else tensor.shape[axis_of(axis, tensor.dim())]


_FLOATS = """exp log log2 log10 log1p expm1 sqrt sin cos tan tanh sinh cosh exp2"""
_RENAMED = {"arctan": torch.atan, "arcsin": torch.asin, "arccos": torch.acos, "arctanh": torch.atanh}
_COMPARISONS = {
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
    "equal": torch.eq,
    "not_equal": torch.ne,
}
_HERE = """array asarray zeros ones full zeros_like ones_like arange where maximum minimum clip round sign
logical_not square reshape transpose squeeze expand_dims ravel concatenate stack vstack hstack sort argsort
unique matmul dot"""
_REDUCTIONS = """sum prod mean var std amax amin argmax argmin any all cumsum count_nonzero nonzero
flatnonzero argwhere"""
_ARITHMETIC = "add subtract multiply divide floor_divide remainder power negative absolute"
MODELS: dict[object, Callable[..., Any]] = {
    torch.Tensor.numpy: _of_tensor,
    torch.from_numpy: from_array,
    numpy.linalg.norm: norm,
    numpy.size: size_of,
    **{getattr(numpy, name): globals()[name] for name in _HERE.split()},
    **{getattr(numpy, name): getattr(array_reductions, name) for name in _REDUCTIONS.split()},
    **{getattr(numpy, name): getattr(array_operators, name) for name in _ARITHMETIC.split()},
    **{getattr(numpy, name): _of_floats(getattr(torch, name), name) for name in _FLOATS.split()},
    **{getattr(numpy, name): _of_floats(function, name) for name, function in _RENAMED.items()},
    **{getattr(numpy, name): _rounding(getattr(torch, name), name) for name in ("floor", "ceil", "trunc")},
    numpy.rint: _rounding(torch.round, "rint"),
    **{getattr(numpy, name): _asking(getattr(torch, name), name) for name in ("isnan", "isinf", "isfinite")},
    **{getattr(numpy, name): _comparing(function) for name, function in _COMPARISONS.items()},
    **{
        getattr(numpy, f"logical_{name}"): _logical(getattr(torch, f"logical_{name}"), f"logical_{name}()")
        for name in ("and", "or", "xor")
    },
    **{kind.SHOWN: _number_maker(dtype) for dtype, kind in NUMBERS.items()},
}
MODELS[numpy.max], MODELS[numpy.min], MODELS[numpy.concat] = amax, amin, concatenate

# Methods of arrays that are functions of numpy.
for _name in ["sum", "prod", "mean", "var", "std", "argmax", "argmin", "any", "all", "cumsum", "nonzero"]:
    setattr(Values, _name, getattr(array_reductions, _name))
for _name in ["clip", "round", "squeeze", "ravel", "dot"]:
    setattr(Values, _name, globals()[_name])


def _rmatmul(self: Any, other: Any) -> Any:
    return matmul(other, self)


def _reshape(self: Any, *shape: Any, **options: Any) -> Any:
    return reshape(self, shape[0] if len(shape) == 1 else shape, **options)


def _transpose(self: Any, *axes: Any) -> Any:
    if not axes:
        return transpose(self)
    return transpose(self, axes if isinstance(axes[0], int) else axes[0])


def _flatten(self: Any, order: Any = "C") -> Any:
    return as_array(elements_of(ravel(self, order)).clone())


def _sort(self: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
    elements_of(self).copy_(elements_of(sort(self, axis, kind, order)))


_METHODS: tuple[tuple[Any, str, Any], ...] = (
    (Values, "max", amax),
    (Values, "min", amin),
    (Values, "transpose", _transpose),
    (Values, "__matmul__", matmul),
    (Values, "__rmatmul__", _rmatmul),
    (Array, "reshape", _reshape),
    (Array, "flatten", _flatten),
    (Array, "sort", _sort),
    (Array, "argsort", argsort),
)
for _class, _name, _method in _METHODS:
    setattr(_class, _name, _method)


# ---- the rest is refused


def _refusing(name: str) -> Any:
    def refusal(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise Refused(
            f"{name} of a numpy array that depends on the input is not modelled",
            "use the functions of torch on the tensor itself",
        )

    return refusal


_PYTHON_S_OWN = (
    "__class__ __init__ __new__ __getattribute__ __setattr__ __delattr__ __doc__ __dir__ __init_subclass__"
)
for _class in (Array, *NUMBERS.values()):
    _class.__name__ = f"numpy.{_class.SHOWN.__name__}"  # as CPython's messages spell it
    for _name in dir(_class.SHOWN):
        _special = _name.startswith("__") and callable(getattr(_class.SHOWN, _name))
        if (
            _special
            and _name not in _PYTHON_S_OWN
            and getattr(_class, _name, None) is getattr(object, _name, None)
        ):
            setattr(_class, _name, _refusing(_name))
