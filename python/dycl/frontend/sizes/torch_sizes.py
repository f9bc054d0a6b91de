# SPDX-License-Identifier: Apache-2.0
"""torch's symbolic sizes and storages: every private name of theirs that this package uses is here.

torch takes unknown sizes to be neither 0 nor 1 in places without saying so. Each environment therefore types
sizes from 2 on, and trial.py finds out what happens below.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.dynamic_shapes import _DerivedDim, _DimHint, _DimHintType
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ShapeEnv,
    constrain_range,
)
from torch.utils._sympy.functions import FloorDiv as FloorDiv
from torch.utils._sympy.functions import Max as TorchMax
from torch.utils._sympy.functions import Min as TorchMin
from torch.utils._sympy.functions import Mod as Mod
from torch.utils._sympy.functions import PythonMod
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

Size: TypeAlias = int | sympy.Expr
UNDECIDED = (GuardOnDataDependentSymNode,)
LARGEST = (1 << 62) - 1
MAXIMA = (TorchMax, sympy.Max)
MINIMA = (TorchMin, sympy.Min)
REMAINDERS = (Mod, PythonMod, sympy.Mod)


class SizeEnv:
    """One leaf call's private world of sizes: what it assumes must not leak into another path."""

    def __init__(self) -> None:
        self._shapes = ShapeEnv(allow_scalar_outputs=True, allow_dynamic_output_shape_ops=True)
        self.mode = FakeTensorMode(shape_env=self._shapes, allow_non_fake_inputs=True)

    def symbol(self, smallest: int, largest: int) -> sympy.Symbol:
        with self._shapes.ignore_fresh_unbacked_symbols():
            made = self._shapes.create_unbacked_symint()
        constrain_range(made, min=smallest, max=largest)
        symbol: sympy.Symbol = made.node.expr
        return symbol

    def value(self, size: Size) -> Any:
        """The number, or torch's SymInt of an expression over this environment's symbols."""
        if isinstance(size, int) or size.is_Integer:
            return int(size)
        return self._shapes.create_symintnode(size, hint=None)

    def size(self, value: Any) -> Size:
        if isinstance(value, int):
            return value
        expression = self._shapes.simplify(value.node.expr)
        return int(expression) if expression.is_Integer else expression

    def same(self, size: Size) -> Size:
        """With what torch has found out since."""
        return size if isinstance(size, int) else _number(self._shapes.simplify(size))

    def assertions(self) -> list[sympy.Basic]:
        """What torch took for granted of the sizes, and said so."""
        found = [a.expr for asserts in self._shapes.deferred_runtime_asserts.values() for a in asserts]
        found += [sympy.Eq(symbol, other) for symbol, other in self._shapes.replacements.items()]
        return found

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Fresh sizes made inside need no owner."""
        self._shapes.pending_fresh_unbacked_symbols.clear()
        with self._shapes.ignore_fresh_unbacked_symbols():
            yield

    def forget_pending(self) -> None:
        self._shapes.pending_fresh_unbacked_symbols.clear()


def _number(size: Any) -> Size:
    return int(size) if size.is_Integer else size


def storage_id(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def is_symbolic(value: object) -> bool:
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))


def bounds(size: Size, ranges: dict[sympy.Symbol, tuple[int, int]]) -> tuple[int, int]:
    """Smallest and largest value; LARGEST stands for no limit."""
    if isinstance(size, int):
        return size, size
    given = {symbol: ValueRanges(*ranges[symbol]) for symbol in size.free_symbols}
    found = bound_sympy(size, given)
    lower = int(found.lower) if found.lower.is_Integer else -LARGEST
    upper = int(found.upper) if found.upper.is_Integer else LARGEST
    return max(lower, -LARGEST), min(upper, LARGEST)


@dataclass(frozen=True, slots=True)
class DimHint:
    static: bool
    smallest: int
    largest: int


@dataclass(frozen=True, slots=True)
class DimRoot:
    dim: Any
    factor: int
    rest: int


def dim_hint(dim: Any) -> DimHint | None:
    """Of torch.export.Dim.AUTO, DYNAMIC and STATIC."""
    if not isinstance(dim, _DimHint):
        return None
    smallest, largest = getattr(dim, "min", None), getattr(dim, "max", None)
    return DimHint(
        dim.type == _DimHintType.STATIC,
        0 if smallest is None else int(smallest),
        LARGEST if largest is None else _limit(largest),
    )


def dim_limits(dim: Any) -> tuple[int, int]:
    return int(dim.min), _limit(dim.max)


def _limit(largest: Any) -> int:
    return LARGEST if largest == int_oo else min(int(largest), LARGEST)


def dim_root(dim: Any) -> DimRoot | None:
    """Of a dim such as 2 * batch + 1."""
    if not isinstance(dim, _DerivedDim):
        return None
    rest = int(dim.fn(0))
    return DimRoot(dim.root, int(dim.fn(1)) - rest, rest)
