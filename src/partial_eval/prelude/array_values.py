# SPDX-License-Identifier: Apache-2.0
"""What a model of numpy is given, as tensors and numbers of torch; and what it gives back."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_rules import common_dtype, fits, numpy_dtype, torch_dtype
from .methods import method_of
from .operations import OF_NUMPY
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
        return _of_items([_item_of_list(item, what) for item in value])
    raise refuse(what)


def _item_of_list(value: Any, what: Any) -> Any:
    """A tensor in a list is numbers to numpy, and no function makes a tensor of the list again."""
    if not isinstance(value, torch.Tensor):
        return as_tensor(value, what)
    if value.requires_grad:
        raise Refused(f"{what} of numpy is given a list with a parameter", "give it parameter.detach()")
    return known_dtype(value.detach())


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


def check_bounds(value: Any, dtype: Any) -> None:
    """Each int of Python's must be one that an array of the dtype can hold."""
    if dtype not in (torch.int8, torch.int16, torch.int32, torch.uint8):
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, torch.Tensor) and not _fits_all(item.dtype, dtype):
                raise Refused(
                    f"a list with a tensor of {item.dtype} becomes an array of {numpy_dtype(dtype)}, which "
                    "may hold less",
                    "convert the tensor first",
                )
            check_bounds(item, dtype)
    elif isinstance(value, int) and (value < torch.iinfo(dtype).min or value > torch.iinfo(dtype).max):
        raise OverflowError(f"Python integer {value} out of bounds for {numpy_dtype(dtype)}")


def _fits_all(given: Any, dtype: Any) -> Any:
    """Each number of the one dtype is one of the other."""
    return given is torch.bool or common_dtype(given, dtype) is dtype


def as_dtype(value: Any, dtype: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(dtype)
    if isinstance(value, int) and dtype is not torch.int64 and not fits(value, dtype):
        raise Refused(
            f"a number that may lie outside of {dtype} meets an array of that dtype",
            "convert the array with astype()",
        )
    return value


def operands(left: Any, right: Any, dtype: Any = None, is_checked: Any = True) -> Any:
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
    if is_checked:
        check_operands(first[0], second[0])
    return as_dtype(first[0], common), as_dtype(second[0], common), common


def shown(sizes: Any) -> Any:
    """A shape as numpy's messages show it."""
    text = ""
    for size in sizes:
        text = f"{text},{size}" if text else f"{size}"
    return f"({text},)" if len(sizes) == 1 else f"({text})"


def fits_into(one: Any, other: Any) -> Any:
    """Whether the first can be repeated along some axes to have the shape of the second."""
    if one.dim() > other.dim():
        return False
    for place in range(1, one.dim() + 1):
        if one.shape[-place] != other.shape[-place] and one.shape[-place] != 1:
            return False
    return True


def check_operands(
    *values: Any,
    error: Any = ValueError,
    text: Any = "operands could not be broadcast together with shapes ",
) -> None:
    """numpy's error where arrays meet whose sizes do not fit."""
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    for number, one in enumerate(tensors):
        for other in tensors[number + 1 :]:
            for place in range(1, min(one.dim(), other.dim()) + 1):
                size, further = one.shape[-place], other.shape[-place]
                if size != further and size != 1 and further != 1:
                    for value in values:
                        text = f"{text}{shown(value.shape) if isinstance(value, torch.Tensor) else '()'} "
                    raise error(text)


# ---- how arrays lie in memory


def strides_of(tensor: Any, dim: Any) -> Any:
    """Its strides as an array of `dim` dimensions; 0 where it has one element, or none."""
    missing, found = dim - tensor.dim(), tensor.stride()
    for axis in range(tensor.dim()):
        if found[axis] == 0 and tensor.shape[axis] > 1:
            raise Refused(
                "an array that has one element in many places, as expand() makes it, is copied by numpy in "
                "an order that DyCL does not follow",
                "copy it first: x.expand(…).clone()",
            )
    strides = [0 if tensor.shape[axis] == 1 else found[axis] for axis in range(tensor.dim())]
    return [0 for _ in range(missing)] + strides


def _lies_within(strides: Any, outer: Any, inner: Any) -> Any:
    """Whether the first axis lies within the second, against C's order, which wins; None: nobody says."""
    within = None
    for ones in strides:
        if ones[outer] != 0 and ones[inner] != 0:
            if ones[inner] <= ones[outer]:
                within = False
            elif within is None:
                within = True
    return within


def axes_in_memory(strides: Any, is_joined: Any = False) -> Any:
    """The axes of a new array from the outermost to the innermost, as numpy sorts them by the strides of its
    operands: those of an operator from the last axis on, those of concatenate() from the first."""
    dim = len(strides[0])
    axes = list(range(dim)) if is_joined else list(range(dim - 1, -1, -1))
    for place in range(1, dim):
        axis, found = axes[place], place
        for other in range(place - 1, -1, -1):
            within = _lies_within(strides, min(axis, axes[other]), max(axis, axes[other]))
            if within is not None and not within:
                break
            if within is not None:
                found = other
        axes.insert(found, axes.pop(place))
    return axes if is_joined else axes[::-1]


def in_order(tensor: Any, axes: Any) -> Any:
    """A copy of the tensor with its axes in that order in memory."""
    moved = tensor.permute(tuple(axes)).clone(memory_format=torch.contiguous_format)
    return moved.permute(tuple([axes.index(axis) for axis in range(len(axes))]))


def laid_as(result: Any, given: Any, is_joined: Any = False, is_kept: Any = True) -> Any:
    """The new tensor, in memory as numpy lays out what it makes of the tensors among `given`. Where there is
    one, most functions of torch have kept its order."""
    if result.dim() < 2:
        return result
    tensors = [one for one in given if isinstance(one, torch.Tensor) and one.dim() > 1]
    if is_kept and not is_joined and len(tensors) == 1 and tensors[0].shape == result.shape:
        return result
    for tensor in tensors:
        if not tensor.is_contiguous():
            return in_order(
                result, axes_in_memory([strides_of(one, result.dim()) for one in tensors], is_joined)
            )
    return result


def as_one(value: Any, dtype: Any) -> Any:
    """A number of Python's as a tensor: torch raises no ZeroDivisionError for it."""
    return value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=dtype)


def converted(tensor: Any, dtype: Any, given: Any = None) -> Any:
    """tensor.to(dtype), as numpy converts; the tensor may be made of the numbers in `given`."""
    wanted = torch_dtype(dtype)
    check_bounds(given, wanted)
    if wanted is None:
        raise Refused(
            "an array is converted to a dtype that torch has not", "use float32, float64, int64 or bool"
        )
    if tensor.dtype.is_floating_point and not wanted.is_floating_point and wanted is not torch.bool:
        if wanted not in (torch.int64, torch.int32):
            raise refuse("astype() from floats to small integers")
        return tensor.to(wanted)
    if tensor.dim() > 1 and not tensor.is_contiguous():
        strides_of(tensor, tensor.dim())
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
