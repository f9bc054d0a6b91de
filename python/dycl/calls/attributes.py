# SPDX-License-Identifier: Apache-2.0
"""The attributes that an object of a plain class has of its own, as the machine counts them
(src/partial_eval/border/inputs.cpp)."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any


def attribute_names(value: Any) -> list[str]:
    """In the order in which they were set; then the slots."""
    names = list(getattr(value, "__dict__", ()))
    return names + [name for name in slots_in_use(value) if name not in names]


def slots_in_use(value: Any) -> list[str]:
    """The names in `__slots__`, of its class and those above, that have a value."""
    slots = [
        name
        for kind in type(value).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType)
    ]
    return [name for name in dict.fromkeys(slots) if hasattr(value, name)]
