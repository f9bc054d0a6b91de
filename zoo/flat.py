# SPDX-License-Identifier: Apache-2.0
"""Results as flat lists of tensors, to compare what no structure holds together any more."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

import torch
import torch.nn.functional as F


def leaves(result: Any) -> list[torch.Tensor]:
    """Every tensor and number of a result, in order; a list of numbers is one tensor. Texts are left out."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (bool, int, float)):
        return [torch.as_tensor(result)]
    if isinstance(result, dict):
        return [leaf for value in result.values() for leaf in leaves(value)]
    if is_dataclass(result) and not isinstance(result, type):
        return [leaf for field in fields(result) for leaf in leaves(getattr(result, field.name))]
    if isinstance(result, (list, tuple)):
        if all(isinstance(value, (bool, int, float)) for value in result):
            return [torch.tensor(result)]
        return [leaf for value in result for leaf in leaves(value)]
    return []


class Flat(torch.nn.Module):
    """A model that gives the tensors of its results only: all that tracing can return."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *args: Any) -> tuple[torch.Tensor, ...]:
        return tuple(leaves(self.model(*args)))


def error(actual: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """The largest max|a-b| / max(1, max|b|) of the floats; what one of them lacks counts as zeros."""
    floats = [[leaf for leaf in side if leaf.is_floating_point()] for side in (actual, expected)]
    pairs = zip_longest(*floats, fillvalue=torch.zeros(0))
    return max((_difference(a.double().flatten(), b.double().flatten()) for a, b in pairs), default=0.0)


def same_shapes(actual: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    return [tensor.shape for tensor in actual] == [tensor.shape for tensor in expected]


def _difference(a: torch.Tensor, b: torch.Tensor) -> float:
    length = max(len(a), len(b))
    if length == 0:
        return 0.0
    a, b = (F.pad(tensor, (0, length - len(tensor))) for tensor in (a, b))
    return float((a - b).abs().max() / max(1.0, float(b.abs().max())))


def prediction(result: list[torch.Tensor]) -> Any:
    """What the model says in the end: the class with the highest first output, or the words."""
    if not result:
        return None
    first = result[0]
    if first.is_floating_point() and first.dim() > 0 and first.shape[-1] > 1:
        first = first.argmax(dim=-1)
    elif first.is_floating_point():
        first = first > 0
    return first.tolist()
