# SPDX-License-Identifier: Apache-2.0
"""Runs a lowered fragment on made-up values, to see that it agrees with eager at the sizes tried."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from dycl._core import FragmentTrial, Runtime
from dycl.errors import Error
from dycl.frontend.sizes.structure import Lifted
from dycl.frontend.sizes.values import DTYPE_NAMES, Lowered

_TRIED = {"f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "bool"}
_ELEMENTS = {name: dtype for dtype, name in DTYPE_NAMES.items() if name in _TRIED}


class FragmentRun:
    """For types that numpy lacks, and what the reference cannot load, there is nothing to say."""

    def __init__(self, runtime: Runtime, lowered: Lowered) -> None:
        self._used = lowered.used
        self._checks = len(lowered.checks)
        self._dtypes = [_dtype(text) for text in lowered.fragment.input_types]
        self._trial = _open_trial(runtime, lowered)

    def agrees(self, operands: list[Any], expected: list[torch.Tensor], values_too: bool) -> bool | None:
        """None: it cannot be run."""
        if self._trial is None:
            return None
        found = self._run(operands)
        if found is None:
            return False
        for array, tensor in zip(found, expected, strict=False):
            if tuple(array.shape) != tuple(tensor.shape):
                return False
            wanted = tensor.to(torch.float64).numpy()
            if values_too and not numpy.allclose(
                array.astype("f8"), wanted, rtol=1e-2, atol=1e-3, equal_nan=True
            ):
                return False
        return not self._raised(found)

    def raises(self, operands: list[Any]) -> bool:
        """Some check finds what it looks for; what cannot be run is taken at its word."""
        found = self._run(operands) if self._trial is not None else []
        return self._trial is None or (found is not None and self._raised(found))

    def _run(self, operands: list[Any]) -> list[Any] | None:
        """None: the backend failed."""
        assert self._trial is not None
        pairs = zip(self._used, self._dtypes, strict=True)
        try:
            return self._trial.run([_tensor(operands[position], dtype) for position, dtype in pairs])
        except Exception:
            return None

    def _raised(self, found: list[Any]) -> bool:
        return any(bool(raised) for raised in found[len(found) - self._checks :])


def _dtype(text: str) -> str:
    return text.split("[")[0]


def _tensor(value: Any, dtype: str) -> torch.Tensor:
    value = value.value if isinstance(value, Lifted) else value
    tensor = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
    return tensor.to(_ELEMENTS[dtype])


def _open_trial(runtime: Runtime, lowered: Lowered) -> FragmentTrial | None:
    texts = [*lowered.fragment.input_types, *lowered.fragment.output_types]
    if any(_dtype(text) not in _ELEMENTS for text in texts):
        return None
    try:
        return FragmentTrial(runtime, lowered.fragment)
    except Error:
        return None
