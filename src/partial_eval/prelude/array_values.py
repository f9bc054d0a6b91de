# SPDX-License-Identifier: Apache-2.0
"""What a model of numpy is given, as tensors and numbers of torch; and what it gives back."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_rules import common_dtype, fits, numpy_dtype, torch_dtype
from .operations import OF_NUMPY, method_of
from .refused import Refused

# The class of the numbers of each dtype, and under None that of arrays: arrays.py writes them down.
CLASSES: dict[Any, Any] = {}
ELEMENTS = "<elements>"  # no program can write this name
WAY_OUT = "use the functions of torch on the tensor itself"


def is_array(value: Any) -> Any:
    """An array or a number of arrays.py. Other models have `SHOWN` too, and so may classes of the user's."""
    return method_of(value, OF_NUMPY) is not None


def elements_of(value: Any) -> Any:
    return getattr(value, ELEMENTS)


def refuse(what: Any) -> Any:
    raise Refused(f"{what} of numpy is given values that depend on the input", WAY_OUT)


def known_dtype(tensor: Any) -> Any:
    if numpy_dtype(tensor.dtype) is None or common_dtype(tensor.dtype) is None:
        raise Refused(
            f"a numpy array of {tensor.dtype} depends on the input", "convert the tensor to float32"
        )
    return tensor


def as_array(tensor: Any) -> Any:
    """The array with the tensor's memory."""
    return CLASSES[None](known_dtype(tensor))


def as_result(tensor: Any) -> Any:
    """What a function of numpy gives: a number where no dimension is left."""
    if tensor.dim() > 0:
        return as_array(tensor)
    if tensor.dtype not in CLASSES:
        raise Refused(
            f"a number of numpy of {tensor.dtype} depends on the input", "convert to float32 or int64"
        )
    return CLASSES[tensor.dtype](tensor)


def as_tensor(value: Any, what: Any) -> Any:
    """What numpy makes of an argument, as a tensor."""
    if is_array(value):  # nobody writes to a number
        return elements_of(value) if isinstance(value, numpy.ndarray) else elements_of(value).clone()
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return known_dtype(torch.as_tensor(value))
    if isinstance(value, bool):
        return torch.tensor(value)
    if isinstance(value, int):
        return torch.tensor(value, dtype=torch.int64)
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    if isinstance(value, torch.Tensor):  # of which many functions of numpy make a tensor again
        raise Refused(f"{what} of numpy is given a tensor", "give it an array: tensor.numpy()")
    if isinstance(value, (list, tuple)) and len(value) > 0:
        return _of_items([as_tensor(item, what) for item in value])
    raise refuse(what)


def _of_items(items: Any) -> Any:
    shape, dtype = items[0].shape, items[0].dtype
    for item in items:
        if item.shape != shape:
            raise Refused("an array is made of rows with different sizes", "make rows of one size")
        dtype = common_dtype(dtype, item.dtype)
        if dtype is None:
            raise Refused("an array is made of numbers without a common dtype", WAY_OUT)
    return torch.stack([item.to(dtype) for item in items])


def operand(value: Any) -> Any:
    """The tensor or number of an operand, with its kind for common_dtype; None: not numpy's."""
    if is_array(value):
        return elements_of(value), elements_of(value).dtype
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        tensor = as_tensor(value, "an operator")
        return tensor, tensor.dtype
    if isinstance(value, bool):
        return value, torch.bool
    if isinstance(value, int):
        return value, "int"
    if isinstance(value, float):
        return value, "float"
    if isinstance(value, (list, tuple)):
        tensor = as_tensor(value, "an operator")
        return tensor, tensor.dtype
    return None


def as_dtype(value: Any, dtype: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(dtype)
    if isinstance(value, int) and dtype is not torch.int64 and not fits(value, dtype):
        raise Refused(f"the number {value} meets an array of {dtype}", "convert the array with astype()")
    return value


def operands(left: Any, right: Any, dtype: Any = None) -> Any:
    """Both as numpy computes with them, and the dtype of that."""
    first, second = operand(left), operand(right)
    if first is None or second is None:
        raise Refused(
            "an array of numpy meets something that is neither a number nor an array",
            "convert it first: torch.from_numpy(array) makes a tensor of an array",
        )
    common = common_dtype(first[1], second[1]) if dtype is None else dtype
    if common is None:
        raise refuse("an operator")
    refuse_misfit(first[0], second[0])
    return as_dtype(first[0], common), as_dtype(second[0], common), common


def refuse_misfit(one: Any, other: Any) -> Any:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        for place in range(1, min(one.dim(), other.dim()) + 1):
            size, further = one.shape[-place], other.shape[-place]
            if size != further and size != 1 and further != 1:
                raise Refused("two arrays meet whose sizes do not fit", "give them sizes that fit")


def as_one(value: Any, dtype: Any) -> Any:
    """A number of Python's as a tensor: torch raises no ZeroDivisionError for it."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=dtype)


def converted(tensor: Any, dtype: Any) -> Any:
    """tensor.to(dtype), as numpy converts."""
    wanted = torch_dtype(dtype)
    if wanted is None:
        raise Refused(
            "an array is converted to a dtype that torch has not", "use float32, float64, int64 or bool"
        )
    if tensor.dtype.is_floating_point and not wanted.is_floating_point and wanted is not torch.bool:
        if wanted not in (torch.int64, torch.int32):
            raise refuse("astype() from floats to small integers")
        return tensor.to(wanted)
    return tensor.to(wanted, copy=True)


def as_array_or_number(like: Any, tensor: Any) -> Any:
    return as_array(tensor) if method_of(like, "SHOWN") is numpy.ndarray else as_result(tensor)


def place_of(value: Any) -> Any:
    """A number that stands for a place, as an int."""
    if is_array(value):
        elements = elements_of(value)
        if elements.dim() > 0 or elements.dtype is torch.bool or elements.dtype.is_floating_point:
            raise Refused("an array is indexed by something else than integers", "convert it with int()")
        return elements.item()
    return value


def no_options(options: Any, what: Any) -> Any:
    for name, value in options.items():
        if value is not None:
            raise Refused(f"{what} of numpy is given {name}=", "leave it out")


def as_floats(tensor: Any) -> Any:
    return tensor if tensor.dtype.is_floating_point else tensor.to(torch.float64)
