# SPDX-License-Identifier: Apache-2.0
"""Numbers of numpy among the arguments of a call: torch takes most of them for Python's."""

from __future__ import annotations

from typing import Any

import numpy
import torch

# These look at the dtype of the number.
_MAKERS = frozenset(
    {torch.tensor, torch.as_tensor, torch.asarray, torch.scalar_tensor, torch.Tensor.new_tensor}
)
_STORES = frozenset({torch.Tensor.__setitem__})  # torch stores no number of numpy but a float64 or an integer


def as_python_numbers(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The arguments with Python's numbers in the place of numpy's, where torch treats both alike."""
    if function in _MAKERS:
        return args, kwargs
    taken = (numpy.float64, numpy.integer) if function in _STORES else (numpy.floating, numpy.integer)
    return _converted(args, taken), _converted(kwargs, taken)


def _converted(value: Any, taken: Any) -> Any:
    if isinstance(value, taken):
        return value.item()
    if type(value) in (tuple, list):
        return type(value)(_converted(item, taken) for item in value)
    if type(value) is slice:
        return slice(*(_converted(bound, numpy.integer) for bound in (value.start, value.stop, value.step)))
    if type(value) is dict:
        return {name: _converted(item, taken) for name, item in value.items()}
    return value
