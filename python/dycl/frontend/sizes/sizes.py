# SPDX-License-Identifier: Apache-2.0
"""Sizes that are known at run time only: expressions over symbols, each with the range it may lie in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy

from dycl.frontend.sizes.torch_sizes import LARGEST, MAXIMA, MINIMA, REMAINDERS, FloorDiv, Mod, bounds
from dycl.frontend.sizes.torch_sizes import Size as Size

Range = tuple[int, int]
_ranges: dict[sympy.Symbol, Range] = {}
_numbers = itertools.count(1)
_origins: dict[sympy.Symbol, frozenset[int]] = {}  # the meetings of paths that gave a size up


def fresh(smallest: int = 0, largest: int = LARGEST, given_up_at: frozenset[int] = frozenset()) -> Size:
    """A size of its own, or the only number in the range."""
    if smallest == largest:
        return smallest
    symbol = sympy.Symbol(f"s{next(_numbers)}", integer=True)
    _ranges[symbol] = (smallest, largest)
    if given_up_at:
        _origins[symbol] = given_up_at
    return symbol


def origins(size: Size) -> frozenset[int]:
    symbols = () if isinstance(size, int) else size.free_symbols
    return frozenset().union(*(_origins.get(symbol, frozenset()) for symbol in symbols))


class Joins:
    """Sizes where paths meet: those that differ alike are one size."""

    def __init__(self) -> None:
        self._made: list[tuple[list[Size], sympy.Symbol]] = []

    def made(self) -> list[sympy.Symbol]:
        return [symbol for _, symbol in self._made]

    def size(self, sides: list[Size], place: int | None) -> Size:
        if all(side == sides[0] for side in sides):
            return sides[0]
        for known, symbol in self._made:
            apart = {sympy.expand(a - sympy.sympify(b)) for a, b in zip(sides, known, strict=True)}
            if len(apart) == 1 and (difference := apart.pop()).is_Integer:
                return number(symbol + difference)
        smallest = min(range_of(side)[0] for side in sides)
        given_up = frozenset(() if place is None else (place,)).union(*(origins(side) for side in sides))
        made = fresh(smallest, LARGEST, given_up)
        assert not isinstance(made, int)
        self._made.append((list(sides), made))
        return made


def unlimited() -> Size:
    """For an int that may be anything."""
    return fresh(-LARGEST, LARGEST)


def inverse(size: Size, symbol: sympy.Symbol) -> tuple[int, int] | None:
    """(factor, rest) where the size is factor * symbol + rest."""
    if isinstance(size, int) or size.free_symbols != {symbol}:
        return None
    factor = size.coeff(symbol)
    rest = sympy.expand(size - factor * symbol)
    return (int(factor), int(rest)) if factor.is_Integer and rest.is_Integer and factor != 0 else None


def range_of(size: Size) -> Range:
    return bounds(size, _ranges)


def number(size: Any) -> Size:
    """Numbers as ints."""
    return size if isinstance(size, int) else int(size) if size.is_Integer else size


def substituted(size: Size, values: Mapping[sympy.Symbol, Size]) -> Size:
    if isinstance(size, int):
        return size
    found = size.xreplace({symbol: sympy.sympify(value) for symbol, value in values.items()})
    return number(simplified(found))


def simplified(size: Any) -> Any:
    """Max and Min that the ranges decide are gone."""
    if isinstance(size, int) or not size.has(*MAXIMA, *MINIMA):
        return size

    def decide(kind: Any, largest: bool) -> Callable[..., Any]:
        def choose(*args: Any) -> Any:
            kept = [a for a in args if not any(b is not a and _beats(b, a, largest) for b in args)]
            return kept[0] if len(kept) == 1 else kind(*args)

        return choose

    for kind in MAXIMA:
        size = size.replace(kind, decide(kind, True))
    for kind in MINIMA:
        size = size.replace(kind, decide(kind, False))
    return size


def _beats(left: Any, right: Any, largest: bool) -> bool:
    """Whether `left` is never the worse choice (of two equal ones the first in order of text)."""
    difference = sympy.expand(left - right if largest else right - left)
    lower = bounds(number(difference), _ranges)[0] if _known(difference) else -1
    return lower > 0 or (lower == 0 and (left - right != 0 or str(left) < str(right)))


def _known(size: Any) -> bool:
    return all(symbol in _ranges for symbol in size.free_symbols)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: sympy.expand(a + b),
    "-": lambda a, b: sympy.expand(a - b),
    "*": lambda a, b: sympy.expand(a * b),
}


def arithmetic(operation: str, left: Size, right: Size) -> Size | None:
    """The result as an expression; None where it would not be a size."""
    a, b = sympy.sympify(left), sympy.sympify(right)
    if operation in _ARITHMETIC:
        return number(simplified(_ARITHMETIC[operation](a, b)))
    divides = isinstance(right, int) and right > 0
    if divides and operation == "//":
        return number(FloorDiv(a, b))
    if divides and operation == "%" and range_of(left)[0] >= 0:
        return number(Mod(a, b))
    return None


def comparison(operation: str, left: Size, right: Size) -> bool | None:
    """What the ranges say."""
    lower, upper = range_of(number(sympy.expand(sympy.sympify(left) - sympy.sympify(right))))
    answers = {
        "<": (upper < 0, lower >= 0),
        "<=": (upper <= 0, lower > 0),
        ">": (lower > 0, upper <= 0),
        ">=": (lower >= 0, upper < 0),
        "==": (lower == upper == 0, lower > 0 or upper < 0),
        "!=": (lower > 0 or upper < 0, lower == upper == 0),
    }
    true, false = answers[operation]
    return True if true else False if false else None


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def consequence(operation: str, left: Size, right: Size, truth: bool) -> dict[sympy.Symbol, Size]:
    """What a path that knows the truth of a comparison may put in the place of a symbol."""
    operation = operation if truth else _OPPOSITE[operation]
    difference = sympy.expand(sympy.sympify(left) - sympy.sympify(right))
    if operation == "==":
        return _solved(difference)
    symbols = list(difference.free_symbols)
    if len(symbols) != 1 or (operation == "!=" and not _at_border(difference, symbols[0])):
        return {}
    symbol = symbols[0]
    factor = difference.coeff(symbol)
    rest = difference - factor * symbol
    if not (factor.is_Integer and rest.is_Integer) or factor == 0:
        return {}
    smallest, largest = _narrowed(operation, int(factor), int(rest), _ranges[symbol])
    if (smallest, largest) == _ranges[symbol] or smallest > largest:
        return {}
    return {symbol: fresh(smallest, largest, origins(symbol))}


def _at_border(difference: Any, symbol: sympy.Symbol) -> bool:
    factor = difference.coeff(symbol)
    rest = difference - factor * symbol
    return bool(factor in (1, -1) and rest.is_Integer and int(-rest / factor) in _ranges[symbol])


def _narrowed(operation: str, factor: int, rest: int, limits: Range) -> Range:
    """Of a symbol x with `factor * x + rest <operation> 0`."""
    smallest, largest = limits
    if operation == "!=":
        out = -rest // factor
        return (smallest + 1, largest) if out == smallest else (smallest, largest - 1)
    bound = -rest - (operation == "<") + (operation == ">")
    if operation in (">", ">="):
        factor, bound = -factor, -bound
    if factor > 0:  # factor * x <= bound
        return smallest, min(largest, bound // factor)
    return max(smallest, -(bound // -factor)), largest


def _solved(difference: Any) -> dict[sympy.Symbol, Size]:
    """A symbol that the equation `difference == 0` gives away."""
    for symbol in sorted(difference.free_symbols, key=lambda s: int(s.name[1:]), reverse=True):
        factor = difference.coeff(symbol)
        rest = sympy.expand(difference - factor * symbol)
        if factor in (1, -1) and not rest.has(symbol):
            return {symbol: number(sympy.expand(-rest / factor))}
    return {}


def question_of_one(shape: tuple[Size, ...]) -> tuple[str, Size, Size] | None:
    """What a path must know to say whether a tensor has one element; None: it has none or several."""
    for size in shape:
        if isinstance(size, int):
            if size != 1:
                return None
            continue
        smallest, largest = range_of(size)
        if smallest >= 2:
            return None
        return ("==", size, smallest) if largest < 2 else ("<", size, 2)
    return None


def recipe(size: Size) -> Any:
    """How the host computes it: a number, a symbol, or (operation, parts)."""
    if isinstance(size, int) or size.is_Integer:
        return int(size)
    if size.is_Symbol:
        return size
    if size.is_Pow and size.exp.is_Integer and size.exp > 0:
        return _folded("*", [recipe(number(size.base))] * int(size.exp))
    kinds: list[tuple[Any, str]] = [(sympy.Add, "+"), (sympy.Mul, "*"), (FloorDiv, "//")]
    kinds += [(REMAINDERS, "%"), (MAXIMA, "max"), (MINIMA, "min")]
    for kind, name in kinds:
        if isinstance(size, kind) and all(a.is_integer for a in size.args):
            return _folded(name, [recipe(number(argument)) for argument in size.args])
    return None


def _folded(operation: str, parts: Iterable[Any]) -> Any:
    total: Any = None
    for part in parts:
        if part is None:
            return None
        total = part if total is None else (operation, total, part)
    return total
