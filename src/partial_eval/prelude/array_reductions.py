# SPDX-License-Identifier: Apache-2.0
"""Functions of numpy that make one number, or one array with fewer dimensions, of an array."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_values import as_array, as_floats, as_result, as_tensor, elements_of, no_options, refuse
from .refused import Refused

_COUNT_IS_INT = not isinstance(numpy.count_nonzero([1]), numpy.generic)


def axes_of(tensor: Any, axis: Any) -> Any:
    if axis is None:
        return tuple(range(tensor.dim()))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for one in axes:
        if one < -tensor.dim() or one >= tensor.dim():
            raise Refused(
                f"axis {one} is out of bounds for an array with {tensor.dim()} dimensions", "use another"
            )
    return tuple([one % tensor.dim() for one in axes])


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
    return (
        as_result(torch.sum(tensor, axes_of(tensor, axis), keepdim=keepdims))
        if tensor.dim() > 0
        else _total(tensor)
    )


def _total(tensor: Any) -> Any:
    return as_result(tensor.clone() if tensor.dtype.is_floating_point else tensor.to(torch.int64))


def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    no_options({"dtype": dtype, "out": out}, "prod()")
    tensor = _counted(as_tensor(a, "prod()"))
    if axis is None and not keepdims:
        return as_result(torch.prod(tensor))
    if not isinstance(axis, int):
        raise refuse("prod() over several axes")
    return as_result(torch.prod(tensor, axes_of(tensor, axis)[0], keepdim=keepdims))


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    no_options({"dtype": dtype, "out": out}, "mean()")
    tensor = as_floats(as_tensor(a, "mean()"))
    return as_result(
        torch.mean(tensor, axes_of(tensor, axis), keepdim=keepdims) if tensor.dim() > 0 else tensor.clone()
    )


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    no_options({"dtype": dtype, "out": out}, "var()")
    tensor = as_floats(as_tensor(a, "var()"))
    distance = tensor - torch.mean(tensor, axes_of(tensor, axis), keepdim=True)
    squares = torch.sum(distance * distance, axes_of(tensor, axis), keepdim=keepdims)
    count = 1
    for one in axes_of(tensor, axis):
        count = count * tensor.shape[one]
    if count <= ddof:
        raise Refused("var() or std() of numpy has no degrees of freedom left", "test the size first")
    return as_result(squares / (count - ddof))


def std(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    return as_result(torch.sqrt(elements_of(var(a, axis, dtype, out, ddof, keepdims))))


def _extreme(function: Any, word: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    name = f"{word[:3]}()"
    no_options({"out": out}, name)
    tensor = as_tensor(a, name)
    _refuse_empty(tensor, axis, f"zero-size array to reduction operation {word} which has no identity")
    return as_result(
        function(tensor, axes_of(tensor, axis), keepdim=keepdims) if tensor.dim() > 0 else tensor.clone()
    )


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
    return as_result(function(tensor, axes_of(tensor, axis)[0], keepdims))


def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return _place(torch.argmax, "argmax", a, axis, out, keepdims)


def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    return _place(torch.argmin, "argmin", a, axis, out, keepdims)


def _truth(function: Any, name: Any, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    no_options({"out": out}, name)
    truth = as_tensor(a, name).to(torch.bool)
    if axis is None and not keepdims:
        return as_result(function(truth))
    for one in axes_of(truth, axis):
        truth = function(truth, one, keepdim=True)
    return as_result(truth if keepdims else truth.squeeze(axes_of(truth, axis)))


def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _truth(torch.any, "any()", a, axis, out, keepdims)


def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return _truth(torch.all, "all()", a, axis, out, keepdims)


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    no_options({"dtype": dtype, "out": out}, "cumsum()")
    tensor = _counted(as_tensor(a, "cumsum()"))
    return as_array(torch.cumsum(tensor.reshape(-1) if axis is None else tensor, 0 if axis is None else axis))


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Where no axis is left, older versions of numpy give an int of Python's."""
    tensor = (as_tensor(a, "count_nonzero()") != 0).to(torch.int64)
    if axis is None and not keepdims:
        return tensor.sum().item() if _COUNT_IS_INT else as_result(tensor.sum())
    return as_result(torch.sum(tensor, axes_of(tensor, axis), keepdim=keepdims))


def nonzero(a: Any) -> Any:
    tensor = as_tensor(a, "nonzero()")
    if tensor.dim() == 0:
        raise refuse("nonzero() of a number")
    return tuple([as_array(places) for places in torch.nonzero(tensor, as_tuple=True)])


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
    return as_result(torch.sqrt(torch.sum(tensor * tensor, axes_of(tensor, axis), keepdim=keepdims)))
