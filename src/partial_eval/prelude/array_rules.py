# SPDX-License-Identifier: Apache-2.0
"""Which dtype numpy gives, asked of the installed numpy itself. CPython runs this while compiling."""

from __future__ import annotations

from typing import Any

import numpy
import torch

_NAMES = "bool int8 int16 int32 int64 uint8 float32 float64"
_NUMPY: dict[torch.dtype, numpy.dtype[Any]] = {
    getattr(torch, name): numpy.dtype(name) for name in _NAMES.split()
}
_TORCH = {kind: dtype for dtype, kind in _NUMPY.items()}
_WEAK = {"int": 0, "float": 0.0}  # Python's numbers take the dtype of what they meet


def torch_dtype(dtype: Any) -> torch.dtype | None:
    """The dtype of torch that `dtype=` of a numpy function means; None: there is none."""
    return _TORCH.get(numpy.dtype(dtype))


def numpy_dtype(dtype: torch.dtype) -> Any:
    return _NUMPY.get(dtype)


def common_dtype(*kinds: Any) -> torch.dtype | None:
    """What numpy computes in. A kind is a dtype of torch, or "int" or "float" for a number of Python's."""
    if numpy.lib.NumpyVersion(numpy.__version__) < "2.0.0" or any(
        not isinstance(kind, str) and kind not in _NUMPY for kind in kinds
    ):
        return None
    asked = [_WEAK[kind] if isinstance(kind, str) else _NUMPY[kind] for kind in kinds]
    return _TORCH.get(numpy.result_type(*asked))


def fits(number: int, dtype: torch.dtype) -> bool:
    """Whether numpy takes this int of Python's for a number of that dtype."""
    if dtype.is_floating_point:
        return abs(number) < 2**63
    bounds = torch.iinfo(dtype if dtype is not torch.bool else torch.uint8)
    return bounds.min <= number <= bounds.max
