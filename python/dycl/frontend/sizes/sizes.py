# SPDX-License-Identifier: Apache-2.0
"""Sizes: an int, or where it is known at run time only an expression over symbols (src/base/size_expr.h).

A symbol is an expression too. It has the range that it may lie in, and the number that SizeSymbols gave it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from dycl._core import SizeExpr, symbols_of_sizes

Size: TypeAlias = int | SizeExpr
Range = tuple[int, int]


def range_of(size: Size) -> Range:
    """Smallest and largest value; LARGEST_SIZE stands for no limit."""
    return (size, size) if isinstance(size, int) else size.range


def symbols_of(*sizes: Size) -> tuple[SizeExpr, ...]:
    return symbols_of_sizes(sizes)


def product_of(sizes: Iterable[Size]) -> Size:
    return math.prod(sizes)


def substituted(size: Size, values: Mapping[SizeExpr, Size]) -> Size:
    """With other sizes in the place of symbols."""
    return size if isinstance(size, int) else size.substituted(dict(values))


def value_at(size: Size, values: Mapping[SizeExpr, int]) -> int | None:
    """None: it has no value there, as a quotient by 0 has none, or `values` lacks a symbol."""
    return size if isinstance(size, int) else size.value_at(dict(values))
