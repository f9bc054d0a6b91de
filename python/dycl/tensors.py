# SPDX-License-Identifier: Apache-2.0
"""Gives back numbers of the native core as the tensors that the caller works with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def as_given(values: list[Any], outputs: list[Any]) -> list[Any]:
    """Returns torch tensors if one of the inputs is a torch tensor, else numpy arrays."""
    if any(_is_torch(value) for value in _leaves(values)):
        return [to_torch(output) for output in outputs]
    return outputs


def _leaves(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _is_torch(value: Any) -> bool:
    classes = type(value).__mro__ if hasattr(value, "data_ptr") else ()
    return any(c.__module__ == "torch" or c.__module__.startswith("torch.") for c in classes)


def to_torch(value: Any) -> Any:
    """Replaces numpy arrays of the native core, also inside lists, by torch tensors."""
    if isinstance(value, list):
        return [to_torch(item) for item in value]
    if not hasattr(value, "dtype") or value.dtype.kind == "O":
        return value
    import torch

    extension = getattr(torch, value.dtype.name, None) if value.dtype.kind == "V" else None
    if extension is not None:  # bfloat16 and the 8-bit floats: the same bits under torch's name
        bits = value.view("u2" if value.dtype.itemsize == 2 else "u1")
        return torch.from_numpy(bits).view(extension)
    return torch.from_numpy(value)
