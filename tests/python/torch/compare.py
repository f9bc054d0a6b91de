# SPDX-License-Identifier: Apache-2.0
"""Compares what a compiled program gives with what eager gives: structure exactly, numbers within a bound."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import torch


def differences(actual: Any, expected: Any, tolerance: float, where: str = "result") -> Iterator[str]:
    """One sentence per difference; nothing when equal."""
    if type(actual) is not type(expected):
        yield f"{where}: is a {type(actual).__name__}, should be a {type(expected).__name__}"
    elif isinstance(expected, torch.Tensor):
        yield from _of_tensors(actual, expected, tolerance, where)
    elif isinstance(expected, dict):
        if list(actual) != list(expected):
            yield f"{where}: has the keys {list(actual)}, should have {list(expected)}"
        else:
            for key, value in expected.items():
                yield from differences(actual[key], value, tolerance, f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            yield f"{where}: has {len(actual)} elements, should have {len(expected)}"
        else:
            for index, value in enumerate(expected):
                yield from differences(actual[index], value, tolerance, f"{where}[{index}]")
    elif is_dataclass(expected) and not isinstance(expected, type):
        for entry in fields(expected):
            pair = getattr(actual, entry.name), getattr(expected, entry.name)
            yield from differences(*pair, tolerance, f"{where}.{entry.name}")
    elif isinstance(expected, float):
        yield from _of_tensors(
            *(torch.tensor(x, dtype=torch.float64) for x in (actual, expected)), tolerance, where
        )
    elif actual != expected:
        yield f"{where}: is {actual!r}, should be {expected!r}"


def _of_tensors(actual: torch.Tensor, expected: torch.Tensor, tolerance: float, where: str) -> Iterator[str]:
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        kinds = [f"{tensor.dtype}{list(tensor.shape)}" for tensor in (actual, expected)]
        yield f"{where}: is {kinds[0]}, should be {kinds[1]}"
        return
    if not expected.is_floating_point():
        if not torch.equal(actual, expected):
            yield f"{where}: is {actual.tolist()}, should be {expected.tolist()}"
        return
    a, b = actual.double(), expected.double()
    if not torch.equal(a.isnan(), b.isnan()) or not torch.equal(a[a.isinf()], b[b.isinf()]):
        yield f"{where}: NaN or infinity in other places"
        return
    finite = b.isfinite()
    a, b = a[finite], b[finite]
    if b.numel() and float((a - b).abs().max()) / max(1.0, float(b.abs().max())) > tolerance:
        yield f"{where}: is {actual.tolist()}, should be {expected.tolist()}"
