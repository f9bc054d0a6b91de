# SPDX-License-Identifier: Apache-2.0
"""Writes to the caller's tensors, lists, dicts and objects what the model writes to its arguments."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dycl.calls.attributes import slots_in_use
from dycl.errors import UsageError


def write_to(target: Any, contents: Any) -> None:
    """Writes in place, whatever the target's strides are."""
    if hasattr(target, "copy_"):  # torch
        import torch

        with torch.no_grad():
            target.copy_(contents)
    else:
        target[...] = contents


def replace_items(target: Any, items: Any) -> None:
    """Lets a list or dict hold these items. Nothing of a class that derives from dict is called."""
    if isinstance(target, list):
        target[:] = items
        return
    base: Any = OrderedDict if isinstance(target, OrderedDict) else dict
    base.clear(target)
    for key, value in items.items():
        base.__setitem__(target, key, value)


def replace_attributes(target: Any, attributes: Mapping[str, Any]) -> None:
    """Lets an object have these attributes, in this order."""
    for name in slots_in_use(target):
        if name not in attributes:
            object.__delattr__(target, name)
    if hasattr(target, "__dict__"):
        vars(target).clear()
    for name, value in attributes.items():
        object.__setattr__(target, name, value)


def check_overlaps(values: Sequence[Any], written: Iterable[int], names: Sequence[str]) -> None:
    """Refuses inputs that share memory with one that is written to, and elements of one that share it."""
    for number in written:
        if _repeats_elements(values[number]):
            raise UsageError(
                f"the program writes to the input '{names[number]}', "
                "several of whose elements lie in one place",
                code="run.inputs_overlap",
                hint="give each element a place of its own: clone() it after expand()",
            )
        for other, value in enumerate(values):
            if other != number and _overlap(_span(values[number]), _span(value)):
                raise UsageError(
                    f"the program writes to the input '{names[number]}', "
                    f"whose memory the input '{names[other]}' shares",
                    code="run.inputs_overlap",
                    hint="give each of them memory of its own: clone() one",
                )


def _repeats_elements(value: Any) -> bool:
    """Whether it is expanded, or broadcast."""
    if not hasattr(value, "data_ptr") and not hasattr(value, "__array_interface__"):
        return False
    strides = value.stride() if hasattr(value, "data_ptr") else value.strides
    return any(size > 1 and stride == 0 for size, stride in zip(value.shape, strides, strict=True))


def _span(value: Any) -> tuple[int, int] | None:
    """Returns the addresses between which the elements lie."""
    if hasattr(value, "data_ptr"):
        if value.numel() == 0:
            return None
        last = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
        begin = value.data_ptr()
        return begin, begin + (last + 1) * value.element_size()
    if hasattr(value, "__array_interface__") and value.size:
        from numpy.lib.array_utils import byte_bounds

        begin, end = byte_bounds(value)
        return int(begin), int(end)
    return None


def _overlap(left: tuple[int, int] | None, right: tuple[int, int] | None) -> bool:
    return left is not None and right is not None and left[0] < right[1] and right[0] < left[1]
