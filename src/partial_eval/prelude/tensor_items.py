# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors read and written by indices that hold numbers of the input."""

from __future__ import annotations

import operator
from typing import Any

import torch

from . import unseen
from .refused import Refused


def _with_bounds(container: Any, key: Any) -> Any:
    """An index with numbers in the place of tensors that bound its slices, read in CPython's order."""
    if isinstance(key, tuple):
        return tuple([_with_bounds(container, part) for part in key])
    if not isinstance(key, slice):
        return key
    read = unseen.index if isinstance(container, torch.Tensor) else operator.index
    step, start, stop = [
        read(bound) if isinstance(bound, torch.Tensor) else bound for bound in (key.step, key.start, key.stop)
    ]
    return slice(start, stop, step)


def item_by_bounds(container: Any, key: Any) -> Any:
    return container[_with_bounds(container, key)]


def set_item_by_bounds(container: Any, key: Any, value: Any) -> None:
    container[_with_bounds(container, key)] = value


def _with_indices(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple([_with_indices(part) for part in key])
    return torch.tensor(key, dtype=torch.int64) if isinstance(key, list) else key


def item_by_indices(tensor: Any, key: Any) -> Any:
    return tensor[_with_indices(key)]


def set_item_by_indices(tensor: Any, key: Any, value: Any) -> None:
    tensor[_with_indices(key)] = value


def _index_of_part(key: Any) -> Any:
    """The first number of an index as an index of its own, and the rest as an index of what that selects."""
    place = 0
    while key[place] is None or isinstance(key[place], slice):
        place += 1
    before = [part for part in key[:place] if part is not None]
    return tuple([slice(None) for _ in before] + [key[place]]), key[:place] + key[place + 1 :]


def set_item_in_part(tensor: Any, key: Any, value: Any) -> None:
    index, rest = _index_of_part(key)
    tensor[index][rest] = value


def set_item_in_parts(tensor: Any, key: Any, value: Any) -> None:
    """With several numbers of the input in the index: where a part of a part lies is not followed."""
    index, rest = _index_of_part(key)
    part = tensor[index].clone()
    part[rest] = value
    tensor[index] = part


def _place_in(bound: Any, default: Any, size: Any) -> Any:
    if bound is None:
        return default
    return min(max(bound + size * (bound < 0), 0), size)


def _listed(numbers: Any) -> Any:
    text = f"{numbers[0]}"
    for number in numbers[1:]:
        text = f"{text}, {number}"
    return text


def set_item_by_slices(tensor: Any, key: Any, value: Any) -> None:
    """Every element of the tensor is written: with one of the value's, or with what it is."""
    sizes = tensor.shape[: len(key)]
    starts = [_place_in(part.start, 0, size) for part, size in zip(key, sizes)]
    stops = [_place_in(part.stop, size, size) for part, size in zip(key, sizes)]
    lengths = [max(stop - start, 0) for start, stop in zip(starts, stops)] + list(tensor.shape[len(key) :])
    spread = torch.as_tensor(value, dtype=tensor.dtype)
    lacking = tensor.dim() - spread.dim()
    if lacking < 0:
        raise Refused("a value with more dimensions is stored by slices whose bounds depend on the input")
    for dim in range(spread.dim() - 1, -1, -1):
        there, wanted = spread.shape[dim], lengths[dim + lacking]
        if there != 1 and there != wanted:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({there}) at "
                f"non-singleton dimension {dim + lacking}.  Target sizes: [{_listed(lengths)}].  "
                f"Tensor sizes: [{_listed(list(spread.shape))}]"
            )
    inside = torch.ones([1 for _ in range(tensor.dim())], dtype=torch.bool)
    for dim in range(len(key)):
        if lengths[dim] == 0:
            return
        places = torch.arange(sizes[dim])
        shape = [-1 if other == dim else 1 for other in range(tensor.dim())]
        inside = inside & ((places >= starts[dim]) & (places < stops[dim])).view(shape)
        if dim >= lacking:
            of_value = (places - starts[dim]).clamp(0, spread.shape[dim - lacking] - 1)
            spread = spread.index_select(dim - lacking, of_value)
    tensor[...] = torch.where(inside, spread, tensor)


NAMES = """item_by_bounds set_item_by_bounds item_by_indices set_item_by_indices set_item_in_part
set_item_in_parts set_item_by_slices"""
