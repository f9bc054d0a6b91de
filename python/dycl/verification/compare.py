# SPDX-License-Identifier: Apache-2.0
"""Compares the results of a program with those of eager: structure exactly, numbers within a bound."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy
import torch

_PLAIN = (bool, int, str, bytes, type(None))
_FEW = 16  # elements that a message shows


def differences(actual: Any, expected: Any, tolerance: float) -> list[str]:
    """Returns one sentence per difference, and nothing if both are equal."""
    comparison = Comparison(tolerance)
    comparison.compare(actual, expected)
    return comparison.problems


def _is_plain_object(value: object) -> bool:
    """Whether objects of this class are equal if their attributes are."""
    return type(value).__eq__ is object.__eq__ and hasattr(value, "__dict__")


class Comparison:
    """Collects the differences, and `error`: the largest max|a-b| / max(1, max|b|) of tensors and floats."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.error = 0.0
        self.problems: list[str] = []
        self._skips_others = False
        self._pairs: set[tuple[int, int]] = set()
        self._kept: list[Any] = []

    def compare(self, actual: Any, expected: Any, where: str = "result") -> None:
        if self._is_compared(actual, expected):
            return
        if type(actual) is not type(expected):
            self._differ(where, f"a {type(actual).__name__}", f"a {type(expected).__name__}")
        elif isinstance(expected, torch.Tensor):
            self._tensors(actual, expected, where)
        elif isinstance(expected, (numpy.ndarray, numpy.generic)):
            a, b = (torch.from_numpy(numpy.array(x, ndmin=1)) for x in (actual, expected))
            self._tensors(a, b, where)
        elif isinstance(expected, dict):
            if list(actual) != list(expected):
                self._differ(where, f"a dict with the keys {list(actual)}", f"one with {list(expected)}")
            else:
                self._children([(actual[key], expected[key], f"{where}[{key!r}]") for key in expected])
        elif isinstance(expected, (list, tuple)):
            if len(actual) != len(expected):
                self._differ(where, f"{len(actual)} elements long", f"{len(expected)}")
            else:
                self._children([(*pair, f"{where}[{i}]") for i, pair in enumerate(zip(actual, expected))])
        elif is_dataclass(expected) and not isinstance(expected, type):
            names = [entry.name for entry in fields(expected)]
            self._children([(getattr(actual, n), getattr(expected, n), f"{where}.{n}") for n in names])
        elif _is_plain_object(expected):
            self.compare(vars(actual), vars(expected), where)
        elif isinstance(expected, float):
            a, b = (torch.tensor(x, dtype=torch.float64) for x in (actual, expected))
            self._tensors(a, b, where)
        elif (isinstance(expected, _PLAIN) or not self._skips_others) and actual != expected:
            self._differ(where, repr(actual), repr(expected))

    def _is_compared(self, actual: Any, expected: Any) -> bool:
        """Whether these objects are being compared already: an object may hold itself."""
        if not hasattr(expected, "__dict__"):
            return False
        pair = (id(actual), id(expected))
        known = pair in self._pairs
        self._pairs.add(pair)
        self._kept += [actual, expected]  # their addresses stay taken
        return known

    def compare_arguments(self, actual: Any, expected: Any) -> None:
        """Compares what a call has left in its arguments, given as (args, kwargs). An object that cannot be
        looked into is skipped, since its copies may differ from one another."""
        self._skips_others = True
        for ours, theirs, name in zip(actual, expected, ("args", "kwargs")):
            self.compare(ours, theirs, f"after the call, {name}")
        self._skips_others = False

    def _children(self, entries: list[tuple[Any, Any, str]]) -> None:
        for actual, expected, where in entries:
            self.compare(actual, expected, where)

    def _differ(self, where: str, actual: str, expected: str) -> None:
        self.problems.append(f"{where}: is {actual}, should be {expected}")

    def _tensors(self, actual: torch.Tensor, expected: torch.Tensor, where: str) -> None:
        if actual.dtype != expected.dtype or actual.shape != expected.shape:
            kinds = [f"{tensor.dtype}{list(tensor.shape)}" for tensor in (actual, expected)]
            self._differ(where, *kinds)
        elif not expected.is_floating_point():
            if not torch.equal(actual, expected):
                self._values(actual, expected, where, int((actual != expected).sum()))
        else:
            self._floats(actual, expected, where)

    def _floats(self, actual: torch.Tensor, expected: torch.Tensor, where: str) -> None:
        a, b = actual.double(), expected.double()
        if not torch.equal(a.isnan(), b.isnan()) or not torch.equal(
            a.isinf() * a.sign(), b.isinf() * b.sign()
        ):
            self.problems.append(f"{where}: NaN or infinity in other places")
            return
        a, b = a[b.isfinite()], b[b.isfinite()]
        if b.numel() == 0:
            return
        scale = max(1.0, float(b.abs().max()))
        distance = (a - b).abs() / scale
        self.error = max(self.error, float(distance.max()))
        if float(distance.max()) > self.tolerance:
            self._values(
                actual, expected, where, int((distance > self.tolerance).sum()), float(distance.max())
            )

    def _values(
        self, actual: torch.Tensor, expected: torch.Tensor, where: str, count: int, error: float | None = None
    ) -> None:
        if expected.numel() <= _FEW:
            self._differ(where, str(actual.tolist()), str(expected.tolist()))
        else:
            size = "" if error is None else f", by up to {error:.1e}"
            self.problems.append(f"{where}: {count} of {expected.numel()} elements differ{size}")
