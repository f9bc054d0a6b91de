# SPDX-License-Identifier: Apache-2.0
"""What is known of one kind of leaf call: the same for all calls with its key, in other processes too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dycl.frontend.sizes.values import Check, Fragment, Requirement, SizeExpr, TensorSpec


@dataclass(eq=False, slots=True)
class Out:
    """A TensorResult before it is told which slots its operands are."""

    index: int
    spec: TensorSpec
    same: int | None
    views: list[int]
    at: int | None  # from the first element of what it views; None: depends on a value


@dataclass(eq=False, slots=True)
class Entry:
    fragment: Fragment
    used: list[int]
    result: Any
    mutated: list[tuple[int, int]]  # an operand, and the output that is written to it
    checks: list[Check]
    requirements: list[Requirement]
    symbols: list[SizeExpr]  # of the call that was lowered; others in the specs are sizes that torch made up
