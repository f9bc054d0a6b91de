# SPDX-License-Identifier: Apache-2.0
"""Complex numbers inside a call that takes and gives real ones, as pairs of reals: Fourier transforms.

A transform is a product with its matrix, in f64: its error is then far below that of eager's own f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.operators.rules import RULES, Tensor, _aten, refuse_if, rule

_LARGEST = 1024  # of a transform: its matrix has the square of this many elements
_EACH = frozenset({"aten::slice.Tensor", "aten::constant_pad_nd", "aten::clone"})
_CONJUGATES = frozenset({"aten::_conj", "aten::_conj_physical", "aten::conj_physical"})


class Complex:
    """Stands in a trace where torch has a complex tensor; what ATen operations do to it is said here."""

    def __init__(self, dtype: torch.dtype, real: Tensor, imaginary: Tensor) -> None:
        self.dtype = dtype  # of its parts in eager; here they are f64
        self.parts = (real, imaginary)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(function.name()) if hasattr(function, "name") else str(function)
        value, *rest = args
        refuse_if(not isinstance(value, Complex), name, "it is not lowered for complex numbers")
        if name in _EACH:
            return Complex(value.dtype, *(function(part, *rest, **(kwargs or {})) for part in value.parts))
        if name in _CONJUGATES:
            return Complex(value.dtype, value.parts[0], -value.parts[1])
        refuse_if(name not in RULES, name, "it is not lowered for complex numbers")
        return RULES[name](*args, **(kwargs or {}))


@rule("_to_copy")
def _to_copy(x: Any, *, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
    if dtype is None or not dtype.is_complex:
        return _aten("_to_copy")(x, dtype=dtype, **kwargs)
    wide = x.to(torch.float64)
    return Complex(dtype.to_real(), wide, torch.zeros_like(wide))


def _waves(rows: int, columns: int, size: int) -> tuple[Tensor, Tensor]:
    """cos and sin of 2 pi j k / size for j < rows, k < columns."""
    refuse_if(size > _LARGEST, "a Fourier transform", f"it is lowered for at most {_LARGEST} elements")
    product = torch.arange(rows).unsqueeze(1) * torch.arange(columns)
    turns = torch.remainder(product, size).to(torch.float64) * (2 * math.pi / size)
    return torch.cos(turns), torch.sin(turns)


def _along(x: Tensor, dim: int, call: Callable[[Tensor], Tensor]) -> Tensor:
    return call(x.movedim(dim, -1)).movedim(-1, dim)


def _scale(normalization: int, size: int) -> float:
    return (1.0, size**-0.5, 1.0 / size)[normalization]


@rule("_fft_c2c")
def _complex_to_complex(x: Complex, dims: list[int], normalization: int, forward: bool) -> Complex:
    for dim in dims:
        size = x.parts[0].shape[dim]
        cos, sin = _waves(size, size, size)
        sin = -sin if forward else sin
        a, b = (part.movedim(dim, -1) for part in x.parts)
        both = (a @ cos - b @ sin, a @ sin + b @ cos)
        x = Complex(x.dtype, *(part.movedim(-1, dim) * _scale(normalization, size) for part in both))
    return x


@rule("_fft_c2r")
def _complex_to_real(x: Complex, dims: list[int], normalization: int, size: int) -> Tensor:
    """Of the first half of a transform whose other half mirrors it."""
    x = _complex_to_complex(x, dims[:-1], normalization, False)
    half = size // 2 + 1
    cos, sin = _waves(half, size, size)
    k = torch.arange(half)
    twice = torch.where((k > 0) & (2 * k < size), 2.0, 1.0).to(torch.float64)
    a, b = (part.movedim(dims[-1], -1).narrow(-1, 0, half) * twice for part in x.parts)
    return ((a @ cos - b @ sin) * _scale(normalization, size)).movedim(-1, dims[-1]).to(x.dtype)
