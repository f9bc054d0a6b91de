# SPDX-License-Identifier: Apache-2.0
"""What goes into a program and comes out of it, by name and type."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Port:
    """One input or output of a program. `shape` and `dtype` are None unless it is a tensor."""

    name: str
    type: str  # "f32[batch,3]", "f32[batch=1..8,3]", "seq<i64[*]>"
    dtype: str | None
    shape: tuple[int | str, ...] | None  # also None for a tensor of any rank
    optional: bool
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict, hash=False)  # limits of named sizes


@dataclass(frozen=True)
class Return:
    """What one `return` of a Python model gives: tensors and numbers, named by their places in it."""

    place: str  # "model.py:31:9"
    outputs: tuple[Port, ...]


def given_by_all(returns: tuple[Return, ...]) -> tuple[Port, ...]:
    """The ports that every return gives, with the same type."""
    first = returns[0].outputs if returns else ()
    return tuple(port for port in first if all(port in site.outputs for site in returns))
