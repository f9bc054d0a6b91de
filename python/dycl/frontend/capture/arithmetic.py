# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of tensors with numbers of the run, where eager does not round the number to their dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.operators.guards import LeafRefused
from dycl.frontend.operators.weak import Weak, fitted

WIDE_FLOATS = (torch.float32, torch.float64)
HALF = (torch.float16, torch.bfloat16)
_REFLECTED_DIVIDES = {"__rtruediv__", "__rdiv__"}
_DIVIDES_IN_PLACE = {"div_", "divide_", "true_divide_", "itruediv", "__itruediv__", "__idiv__"}
DIVIDES = {"div", "divide", "true_divide", "truediv", "__truediv__", "__div__"}
DIVIDES |= _REFLECTED_DIVIDES | _DIVIDES_IN_PLACE


def divided(function: Callable[..., Any], args: tuple[Any, ...], dtype: torch.dtype) -> Any:
    """Eager divides ints, and numbers of 16 bits, as floats: no number is rounded to their dtype before."""
    result = dtype if dtype.is_floating_point else torch.get_default_dtype()
    wide = result if result in WIDE_FLOATS else torch.float32
    left, right = reversed(args) if function.__name__ in _REFLECTED_DIVIDES else args
    as_wide = [a.tensor.to(wide) if isinstance(a, Weak) else a.to(wide) for a in (left, right)]
    quotient = torch.div(*as_wide).to(result)
    return left.copy_(quotient) if function.__name__ in _DIVIDES_IN_PLACE else quotient


_MULTIPLIES = ("mul", "multiply", "__mul__", "__rmul__", "mul_", "multiply_", "__imul__", "imul")
_FLOOR_DIVIDES = ("floor_divide", "__floordiv__", "floordiv", "floor_divide_", "__ifloordiv__", "ifloordiv")
_COMPUTED_WIDE = {
    **dict.fromkeys(_MULTIPLIES, torch.mul),
    **dict.fromkeys(_FLOOR_DIVIDES, torch.floor_divide),
    **dict.fromkeys(("div", "divide", "div_", "divide_"), torch.div),  # with a rounding mode
}
_IN_PLACE = {"mul_", "multiply_", "__imul__", "imul", "floor_divide_", "__ifloordiv__", "ifloordiv"}
_IN_PLACE |= _DIVIDES_IN_PLACE


def is_computed_wide(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether eager computes with the number as it stands: any factor, and what a tensor is divided by."""
    operation = _COMPUTED_WIDE.get(function.__name__)
    return operation is torch.mul or (operation is not None and isinstance(args[-1], Weak))


def computed_wide(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype
) -> Any:
    """Eager multiplies and divides tensors of 16 bits by the number itself, which 16 bits need not hold."""
    operation = _COMPUTED_WIDE[function.__name__]
    numbers = [a.tensor if isinstance(a, Weak) else a for a in args]
    result = operation(*(number.to(torch.float32) for number in numbers), **kwargs).to(dtype)
    return args[0].copy_(result) if function.__name__ in _IN_PLACE else result


def scaled(
    function: Callable[..., Any], args: tuple[Any, ...], alpha: Weak, dtype: torch.dtype
) -> tuple[Any, ...]:
    """The operands of an addition or subtraction, with the second one times `alpha`."""
    if alpha.kind == "float" and not dtype.is_floating_point:
        raise LeafRefused("integers are scaled by a float as alpha=, for which eager raises", "use an int")
    left, right = args
    factor = fitted(alpha, dtype)
    return (left * factor, right) if function.__name__ == "rsub" else (left, right * factor)
