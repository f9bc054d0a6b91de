# SPDX-License-Identifier: Apache-2.0
"""The operators of numpy."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from .array_values import as_one, as_result, as_tensor, elements_of, is_array, laid_as, operands, refuse
from .refused import Refused


def combine(function: Any, left: Any, right: Any) -> Any:
    both = operands(left, right)
    return as_result(laid_as(function(as_one(both[0], both[2]), both[1]), both))


def add(left: Any, right: Any) -> Any:
    both = operands(left, right)
    return as_result(laid_as(both[0] | both[1] if both[2] is torch.bool else both[0] + both[1], both))


def subtract(left: Any, right: Any) -> Any:
    both = operands(left, right)
    if both[2] is torch.bool:
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, "
            "use the bitwise_xor, the `^` operator, or the logical_xor function instead."
        )
    return as_result(laid_as(both[0] - both[1], both))


def multiply(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (list, tuple)) and not isinstance(other, numpy.ndarray):
            raise Refused("a list or tuple is repeated by a number of numpy", "convert it with int()")
    both = operands(left, right)
    return as_result(laid_as(both[0] & both[1] if both[2] is torch.bool else both[0] * both[1], both))


def divide(left: Any, right: Any) -> Any:
    both = operands(left, right)
    if not both[2].is_floating_point:
        if both[2] in (torch.bool, torch.int8, torch.int16, torch.uint8):
            raise refuse("division of small integers")
        both = operands(left, right, torch.float64)
    return as_result(laid_as(as_one(both[0], both[2]) / as_one(both[1], both[2]), both))


def _whole(function: Any, left: Any, right: Any) -> Any:
    both = operands(left, right)
    if both[2] is torch.bool:
        raise refuse("// or % of bools")
    if not both[2].is_floating_point and (not isinstance(right, int) or right == 0):
        raise Refused("an integer array is divided by a number that may be 0", "divide by a known number")
    result = function(as_one(both[0], both[2]), as_one(both[1], both[2]))
    return as_result(laid_as(result, both, is_kept=False))


def floor_divide(left: Any, right: Any) -> Any:
    return _whole(torch.floor_divide, left, right)


def remainder(left: Any, right: Any) -> Any:
    return _whole(torch.remainder, left, right)


def power(left: Any, right: Any) -> Any:
    both = operands(left, right)
    for side in (left, right):
        if is_array(side) and elements_of(side).dtype is torch.bool:
            raise refuse("** of bools")
    if both[2] is torch.bool:
        raise refuse("** of bools")
    if not both[2].is_floating_point and not (isinstance(right, int) and right >= 0):
        raise Refused("integers are raised to a power that may be negative", "convert to float first")
    return as_result(laid_as(torch.pow(as_one(both[0], both[2]), both[1]), both))


def bitwise(function: Any, left: Any, right: Any) -> Any:
    both = operands(left, right)
    if both[2].is_floating_point:
        raise Refused("& | ^ of floats", "compare them first")
    return as_result(laid_as(function(as_one(both[0], both[2]), as_one(both[1], both[2])), both))


def negative(value: Any) -> Any:
    tensor = as_tensor(value, "-")
    if tensor.dtype is torch.bool:
        raise TypeError(
            "The numpy boolean negative, the `-` operator, is not supported, "
            "use the `~` operator or the logical_not function instead."
        )
    return as_result(-tensor)


def absolute(value: Any) -> Any:
    tensor = as_tensor(value, "abs")
    return as_result(tensor.clone() if tensor.dtype is torch.bool else tensor.abs())


def invert(value: Any) -> Any:
    tensor = as_tensor(value, "~")
    if tensor.dtype.is_floating_point:
        raise Refused("~ of floats", "compare them first")
    return as_result(~tensor)


def numpy_operator(left: Any, right: Any, special: Any) -> Any:
    """An operator between a number of Python's and something of numpy's."""
    return OPERATORS[special](left, right)


OPERATORS: Any = {
    "__add__": add,
    "__sub__": subtract,
    "__mul__": multiply,
    "__truediv__": divide,
    "__floordiv__": floor_divide,
    "__mod__": remainder,
    "__pow__": power,
    "__lt__": lambda left, right: combine(torch.lt, left, right),
    "__le__": lambda left, right: combine(torch.le, left, right),
    "__gt__": lambda left, right: combine(torch.gt, left, right),
    "__ge__": lambda left, right: combine(torch.ge, left, right),
    "__eq__": lambda left, right: combine(torch.eq, left, right),
    "__ne__": lambda left, right: combine(torch.ne, left, right),
    "__and__": lambda left, right: bitwise(torch.bitwise_and, left, right),
    "__or__": lambda left, right: bitwise(torch.bitwise_or, left, right),
    "__xor__": lambda left, right: bitwise(torch.bitwise_xor, left, right),
}
NAMES = "numpy_operator"
