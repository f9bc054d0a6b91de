# SPDX-License-Identifier: Apache-2.0
"""torch's symbolic sizes and storages: every private name of theirs that this package uses is here, and so is
everything that is written for sympy, which torch's sizes are made of.

torch takes unknown sizes to be neither 0 nor 1 in places without saying so. Each environment therefore types
sizes from 2 on, and trial.py finds out what happens below.
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.dynamic_shapes import _DerivedDim, _DimHint, _DimHintType
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ShapeEnv,
    constrain_range,
)
from torch.utils._sympy.functions import (
    CeilToInt,
    FloorDiv,
    FloorToInt,
    IntTrueDiv,
    Mod,
    PowByNatural,
    PythonMod,
)
from torch.utils._sympy.functions import Max as TorchMax
from torch.utils._sympy.functions import Min as TorchMin
from torch.utils._sympy.numbers import int_oo

from dycl._core import (
    LARGEST_SIZE,
    SizeExpr,
    SizeSymbols,
    max_of_sizes,
    min_of_sizes,
    size_relation_holds,
    size_relation_splits,
)
from dycl.frontend.operators.guards import LeafRefused
from dycl.frontend.sizes.sizes import Size, range_of, symbols_of
from dycl.frontend.sizes.values import SizeSplit

UNDECIDED = (GuardOnDataDependentSymNode,)
Relation = tuple[str, Size, Size]
_RELATIONS: dict[Any, str] = {
    sympy.Eq: "==",
    sympy.Ne: "!=",
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
}
_MAXIMA = (TorchMax, sympy.Max)


class SizeEnv:
    """One leaf call's private world of sizes: what it assumes must not leak into another path. Ours go in and
    out; for sizes that torch made up there are symbols of its own."""

    def __init__(self, symbols: list[SizeExpr]) -> None:
        self._shapes = ShapeEnv(allow_scalar_outputs=True, allow_dynamic_output_shape_ops=True)
        self.mode = FakeTensorMode(shape_env=self._shapes, allow_non_fake_inputs=True)
        self._made = SizeSymbols(symbols)
        self._torch: dict[SizeExpr, sympy.Symbol] = {}
        self._ours: dict[sympy.Basic, Size] = {}

    def add(self, symbol: SizeExpr, smallest: int, largest: int) -> None:
        with self._shapes.ignore_fresh_unbacked_symbols():
            made = self._shapes.create_unbacked_symint()
        constrain_range(made, min=smallest, max=largest)
        self._torch[symbol] = made.node.expr
        self._ours[made.node.expr] = symbol

    def value(self, size: Size) -> Any:
        """The number, or torch's SymInt of an expression over this environment's symbols."""
        if isinstance(size, int):
            return size
        return self._shapes.create_symintnode(self._expression(size), hint=None)

    def size(self, value: Any) -> Size:
        return value if isinstance(value, int) else self._size(self._shapes.simplify(value.node.expr))

    def stride(self, value: Any) -> Size:
        """torch writes the stride over an unknown size as Max(1, size)."""
        if isinstance(value, int):
            return value
        expression = self._shapes.simplify(value.node.expr)
        for kind in _MAXIMA:
            expression = expression.replace(kind, _without_one)
        return self._size(sympy.expand(expression))

    def is_own(self, *sizes: Size) -> bool:
        """Over the symbols that were added, and nothing that torch made up."""
        return all(symbol in self._torch for symbol in symbols_of(*sizes))

    def condition(self, error: Exception) -> Relation | None:
        """What torch needs to know of the sizes, where they can say it."""
        asked = getattr(error, "cond", None)
        return None if asked is None else self._relation(asked)

    def assertions(self) -> Iterator[Relation]:
        """What torch took for granted of the sizes, and said so."""
        found = [a.expr for asserts in self._shapes.deferred_runtime_asserts.values() for a in asserts]
        found += [sympy.Eq(symbol, other) for symbol, other in self._shapes.replacements.items()]
        parts = [p for a in found for p in (a.args if isinstance(a, sympy.And) else (a,))]
        for part in dict.fromkeys(parts):
            if not part.free_symbols <= set(self._torch.values()):
                continue
            relation = self._either(part) if isinstance(part, sympy.Or) else self._relation(part)
            if relation is None:
                raise LeafRefused(f"torch takes for granted that {part}", "fix one of the sizes")
            yield relation

    def _either(self, condition: sympy.Or) -> Relation | None:
        """A size is 1, or what it is spread over: from 2 on it is the second."""
        possible = []
        for part in condition.args:
            relation = self._relation(part)
            if relation is None:
                return None
            if relation[0] == "==" and relation[2] == 1:
                _split_below_two(relation[1])
            if size_relation_holds(*relation) is not False:
                possible.append(relation)
        return possible[0] if len(possible) == 1 else None

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Fresh sizes made inside need no owner."""
        self._shapes.pending_fresh_unbacked_symbols.clear()
        with self._shapes.ignore_fresh_unbacked_symbols():
            yield

    def _relation(self, condition: sympy.Basic) -> Relation | None:
        relation = _RELATIONS.get(type(condition))
        if relation is None:
            return None
        left, right = (self._size(side) for side in condition.args)
        return (relation, left, right) if self.is_own(left, right) else None

    def _expression(self, size: Size) -> sympy.Expr:
        if isinstance(size, int):
            return sympy.Integer(size)
        if size.is_symbol:
            return self._torch[size]
        operation, operands = size.parts
        form = _TORCH_FORMS[operation]
        if operation == "%" and range_of(operands[0])[0] >= 0:
            form = Mod
        return form(*(self._expression(operand) for operand in operands))

    def _size(self, expression: sympy.Expr) -> Size:
        found = self._ours.get(expression)
        if found is None:
            try:
                found = self._translated(expression)
            except _NoSizeError:  # a size all the same: any
                found = self._made.fresh()
            self._ours[expression] = found
        return found

    def _translated(self, expression: sympy.Expr) -> Size:
        if expression.is_Symbol:
            if expression not in self._ours:
                self._ours[expression] = self._made.fresh()
            return self._ours[expression]
        if expression.is_Integer:
            return int(expression)
        for kinds, function in _OUR_FORMS:
            if isinstance(expression, kinds):
                return function(*(self._translated(part) for part in _operands_of(expression)))
        raise _NoSizeError


class _NoSizeError(Exception):
    """torch computes with sizes what sizes of ours do not."""


def _split_below_two(size: Size) -> None:
    """Also what it is the smallest of."""
    if isinstance(size, int):
        return
    if size_relation_splits("<", size, 2):
        raise SizeSplit("<", size, 2)
    if not size.is_symbol and size.parts[0] == "min":
        for operand in size.parts[1]:
            _split_below_two(operand)


def _without_one(*args: sympy.Expr) -> sympy.Expr:
    rest = [argument for argument in args if argument != 1]
    return rest[0] if len(rest) == 1 else sympy.Max(*args)


def _operands_of(expression: sympy.Expr) -> tuple[sympy.Expr, ...]:
    """Of ceil(a / b) and floor(a / b): a and b."""
    operands: tuple[sympy.Expr, ...] = expression.args
    if isinstance(expression, (CeilToInt, FloorToInt)):
        if not isinstance(operands[0], IntTrueDiv):
            raise _NoSizeError
        operands = operands[0].args
    return operands


def _sum_of(*sizes: Size) -> Size:
    return functools.reduce(operator.add, sizes)


def _product_of(*sizes: Size) -> Size:
    return math.prod(sizes)


def _power_of(base: Size, exponent: Size) -> Size:
    if not isinstance(exponent, int) or exponent < 1:
        raise _NoSizeError
    return math.prod([base] * exponent)


def _quotient_of(base: Size, divisor: Size) -> Size:
    return base // divisor


def _remainder_of(base: Size, divisor: Size) -> Size:
    return base % divisor


def _ceiling_of(base: Size, divisor: Size) -> Size:
    return -(-base // divisor)


_OUR_FORMS: list[tuple[Any, Callable[..., Size]]] = [
    (sympy.Add, _sum_of),
    (sympy.Mul, _product_of),
    ((sympy.Pow, PowByNatural), _power_of),
    ((FloorDiv, FloorToInt), _quotient_of),
    (CeilToInt, _ceiling_of),
    ((Mod, PythonMod, sympy.Mod), _remainder_of),
    (_MAXIMA, lambda *sizes: max_of_sizes(sizes)),
    ((TorchMin, sympy.Min), lambda *sizes: min_of_sizes(sizes)),
]
_TORCH_FORMS: dict[str, Any] = {
    "+": sympy.Add,
    "*": sympy.Mul,
    "//": FloorDiv,
    "%": PythonMod,
    "max": TorchMax,
    "min": TorchMin,
}


def storage_id(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def size_key(size: torch.SymInt) -> Any:
    """What is equal for two sizes that are one expression."""
    return size.node.expr


def is_symbolic(value: object) -> bool:
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))


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
        LARGEST_SIZE if largest is None else _limit(largest),
    )


def dim_limits(dim: Any) -> tuple[int, int]:
    return int(dim.min), _limit(dim.max)


def _limit(largest: Any) -> int:
    return LARGEST_SIZE if largest == int_oo else min(int(largest), LARGEST_SIZE)


def dim_root(dim: Any) -> DimRoot | None:
    """Of a dim such as 2 * batch + 1."""
    if not isinstance(dim, _DerivedDim):
        return None
    rest = int(dim.fn(0))
    return DimRoot(dim.root, int(dim.fn(1)) - rest, rest)
