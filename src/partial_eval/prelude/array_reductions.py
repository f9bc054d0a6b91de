# SPDX-License-Identifier: Apache-2.0
"""Functions of numpy that make one number, or one array with fewer dimensions, of an array."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_values import (
    as_array,
    as_floats,
    as_result,
    as_tensor,
    axes_in_memory,
    elements_of,
    in_order,
    is_array,
    laid_as,
    no_options,
    place_of,
    refuse,
    strides_of,
)
from .refused import Refused

AxisError: Any = numpy.exceptions.AxisError
_COUNT_IS_INT = not isinstance(numpy.count_nonzero([1]), numpy.generic)


def axis_of(axis: Any, dim: Any) -> Any:
    """The axis of an array with that many dimensions, counted from the front."""
    place = int(axis) if isinstance(axis, numpy.integer) and not is_array(axis) else place_of(axis)
    if not isinstance(place, int) or isinstance(place, bool):
        raise refuse("an axis that is no integer")
    if place < -dim or place >= dim:
        raise AxisError(f"axis {place} is out of bounds for array of dimension {dim}")
    return place + dim if place < 0 else place


def axes_of(
    tensor: Any, axis: Any, twice: Any = "duplicate value in 'axis'", is_reduction: Any = True
) -> Any:
    if axis is None:
        return tuple(range(tensor.dim()))
    if tensor.dim() == 0 and is_reduction:
        raise refuse("an axis of a number")
    axes: Any = []
    for one in axis if isinstance(axis, tuple) else (axis,):
        place = axis_of(one, tensor.dim())
        if place in axes:
            raise ValueError(twice)
        axes.append(place)
    if not axes and is_reduction:  # functions of torch take it for all axes
        raise Refused("axis=() of numpy reduces nothing", "leave the reduction out")
    return tuple(axes)


def _reduced(tensor: Any, result: Any, axis: Any, keepdims: Any) -> Any:
    """What is left of the tensor, whose axes are all in `result` still, in the order of its memory."""
    if tensor.dim() > 2 and not tensor.is_contiguous():
        result = in_order(result, axes_in_memory([strides_of(tensor, tensor.dim())]))
    return as_result(result if keepdims else result.squeeze(axes_of(tensor, axis)))


def _counted(tensor: Any) -> Any:
    if tensor.dtype is torch.uint8:
        raise refuse("a sum of uint8")
    return tensor


def _refuse_empty(tensor: Any, axis: Any, text: Any) -> Any:
    if axis is None:
        if tensor.numel() == 0:
            raise ValueError(text)
        return
    for one in axes_of(tensor, axis):
        if tensor.shape[one] == 0:
            raise Refused("an axis without elements is reduced", "test the size first")


def sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    no_options({"dtype": dtype, "out": out}, "sum()")
    tensor = _counted(as_tensor(a, "sum()"))
    axes = axes_of(tensor, axis)
    if tensor.dim() == 0:
        return _total(tensor)
    return _reduced(tensor, torch.sum(tensor, axes, keepdim=True), axis, keepdims)


def _total(tensor: Any) -> Any:
    return as_result(tensor.clone() if tensor.dtype.is_floating_point else tensor.to(torch.int64))


def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    no_options({"dtype": dtype, "out": out}, "prod()")
    tensor = _counted(as_tensor(a, "prod()"))
    if axis is None and not keepdims:
        return as_result(torch.prod(tensor))
    if not isinstance(axis, int):
        raise refuse("prod() over several axes")
    return _reduced(tensor, torch.prod(tensor, axes_of(tensor, axis)[0], keepdim=True), axis, keepdims)


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    no_options({"dtype": dtype, "out": out}, "mean()")
    tensor = as_floats(as_tensor(a, "mean()"))
    axes = axes_of(tensor, axis)
    if tensor.dim() == 0:
        return as_result(tensor.clone())
    return _reduced(tensor, torch.mean(tensor, axes, keepdim=True), axis, keepdims)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    no_options({"dtype": dtype, "out": out}, "var()")
    tensor = as_floats(as_tensor(a, "var()"))
    distance = tensor - torch.mean(tensor, axes_of(tensor, axis), keepdim=True)
    squares = torch.sum(distance * distance, axes_of(tensor, axis), keepdim=True)
    count = 1
    for one in axes_of(tensor, axis):
        count = count * tensor.shape[one]
    if count <= ddof:
        raise Refused("var() or std() of numpy has no degrees of freedom left", "test the size first")
    return _reduced(tensor, squares / (count - ddof), axis, keepdims)


def std(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    return as_result(torch.sqrt(elements_of(var(a, axis, dtype, out, ddof, keepdims))))


def _extreme(function: Any, word: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    name = f"{word[:3]}()"
    no_options({"out": out}, name)
    tensor = as_tensor(a, name)
    _refuse_empty(tensor, axis, f"zero-size array to reduction operation {word} which has no identity")
    if tensor.dim() == 0:
        return as_result(tensor.clone())
    return _reduced(tensor, function(tensor, axes_of(tensor, axis), keepdim=True), axis, keepdims)


def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _extreme(torch.amax, "maximum", a, axis, out, keepdims)


def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _extreme(torch.amin, "minimum", a, axis, out, keepdims)


def _place(function: Any, name: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    no_options({"out": out}, f"{name}()")
    tensor = as_tensor(a, f"{name}()")
    _refuse_empty(tensor, axis, f"attempt to get {name} of an empty sequence")
    if tensor.dtype is torch.bool:
        tensor = tensor.to(torch.int64)
    if axis is None:
        if keepdims:
            raise refuse(f"{name}() with keepdims of all axes")
        return as_result(function(tensor.reshape(-1), 0))
    if tensor.dim() == 0:
        raise refuse("an axis of a number")
    return as_result(function(tensor, axis_of(axis, tensor.dim()), keepdims))


def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return _place(torch.argmax, "argmax", a, axis, out, keepdims)


def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return _place(torch.argmin, "argmin", a, axis, out, keepdims)


def _truth(function: Any, name: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    no_options({"out": out}, name)
    tensor = as_tensor(a, name)
    truth = tensor.to(torch.bool)
    if axis is None and not keepdims:
        return as_result(function(truth))
    for one in axes_of(tensor, axis):
        truth = function(truth, one, keepdim=True)
    return _reduced(tensor, truth, axis, keepdims)


def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _truth(torch.any, "any()", a, axis, out, keepdims)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _truth(torch.all, "all()", a, axis, out, keepdims)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    no_options({"dtype": dtype, "out": out}, "cumsum()")
    tensor = _counted(as_tensor(a, "cumsum()"))
    if axis is None:
        return as_array(torch.cumsum(tensor.reshape(-1), 0))
    return as_array(laid_as(torch.cumsum(tensor, axis_of(axis, tensor.dim())), [tensor], True))


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Where no axis is left, older versions of numpy give an int of Python's."""
    tensor = (as_tensor(a, "count_nonzero()") != 0).to(torch.int64)
    if axis is None and not keepdims:
        return tensor.sum().item() if _COUNT_IS_INT else as_result(tensor.sum())
    return _reduced(tensor, torch.sum(tensor, axes_of(tensor, axis), keepdim=True), axis, keepdims)


def nonzero(a: Any) -> Any:
    tensor = as_tensor(a, "nonzero()")
    if tensor.dim() == 0:
        raise refuse("nonzero() of a number")
    places = torch.nonzero(tensor).contiguous()
    return tuple([as_array(places[:, axis]) for axis in range(tensor.dim())])


def flatnonzero(a: Any) -> Any:
    return as_array(torch.nonzero(as_tensor(a, "flatnonzero()").reshape(-1), as_tuple=True)[0])


def argwhere(a: Any) -> Any:
    tensor = as_tensor(a, "argwhere()")
    if tensor.dim() == 0:
        raise refuse("argwhere() of a number")
    return as_array(torch.nonzero(tensor))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """numpy.linalg.norm"""
    if ord is not None and not (ord == 2 and (isinstance(axis, int) or numpy.ndim(x) == 1)):
        raise refuse("linalg.norm() with ord=")
    tensor = as_floats(as_tensor(x, "linalg.norm()"))
    axes = axes_of(tensor, axis, "Duplicate axes given.")
    if axis is not None and len(axes) > 2:
        raise ValueError("Improper number of dimensions to norm.")
    squares = torch.sum(tensor * tensor, axes, keepdim=True)
    return _reduced(tensor, torch.sqrt(squares), axis, keepdims)
