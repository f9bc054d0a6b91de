# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/scalar/python.txt: what CPython answers; scalar_python_test.cpp compares with it.

One case per line, fields separated by tabs: operation, operands (repr), the answer's repr or
"!Type: message".
"""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

INTS = [0, 1, -1, 2, -3, 7, 10, 15, 25, 255, -256, 2**31]
INTS += [2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, 1.5, -2.5, 2.675, 0.1, 1e-5, 123456.789, 1e16, 9007199254740993.0]
FLOATS += [2.0**63, -(2.0**63), 1e22, 1e300, 5e-324, -1e-300, math.pi, math.inf, -math.inf, math.nan]
SPECS = ["", ".3f", "5.2e", "+g", "%", ".1%", "10", "<8", "^9.2f", "*>12", "=+8.1f", "08.3f", "010", ","]
SPECS += ["_", "012,", ",.2f", "#g", "#.0f", ".3", ".10", "e", "E", "G", ".0e", " .2f", "+", "#.3", ".2g"]
SPECS += ["15,.1f"]
INT_SPECS = ["d", "5d", "+d", "x", "X", "#x", "o", "b", "#b", "_x", "08b", "#010x", ",d", "010,d", "^7d"]
INT_SPECS += ["é>6d"]
UNARY = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf", "erfc"]
UNARY += ["exp", "exp2", "expm1", "fabs", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2"]
UNARY += ["radians", "sin", "sinh", "sqrt", "tan", "tanh"]
BINARY = ["atan2", "copysign", "fmod", "hypot", "log", "nextafter", "pow", "remainder"]

DIVISIONS = {"floor_div": operator.floordiv, "mod": operator.mod, "true_div": operator.truediv}
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
BITS = {
    "shl": operator.lshift,
    "shr": operator.rshift,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
}
TO_INT = {"round": round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "to_int": int}
INT_DIGITS = (2, 0, -1, -2, -5, -18, -19, -20, -400)
FLOAT_DIGITS = (0, 1, 2, 5, 17, 323, 400, -1, -2, -16, -300, -308, -400)


def text(value: Any) -> str:
    if isinstance(value, float):
        return "f" + struct.pack(">d", value).hex() if value == value else "fnan"
    return repr(value)


def fits(value: Any) -> bool:
    return not isinstance(value, int) or isinstance(value, bool) or -(2**63) <= value < 2**63


def case(name: str, function: Callable[..., Any], operands: Sequence[Any]) -> str:
    try:
        result = function(*operands)
        if isinstance(result, complex):
            return ""
        answer = text(result) if fits(result) else "!OverflowError"
    except (ArithmeticError, ValueError) as error:
        if "complex" in str(error):
            return ""
        answer = f"!{type(error).__name__}: {error}"
    return "\t".join([name, *map(text, operands), answer])


def arithmetic() -> list[str]:
    lines: list[str] = []
    pairs = [*itertools.product(INTS, INTS), *itertools.product(FLOATS, FLOATS)]
    mixed = [*itertools.product(INTS, FLOATS), *itertools.product(FLOATS, INTS)]
    mixed += [(True, 1.0), (False, 0), (2, True)]
    for name in ("add", "sub", "mul"):
        lines += [case(name, getattr(operator, name), pair) for pair in pairs]
    for name, function in DIVISIONS.items():
        lines += [case(name, function, pair) for pair in pairs]
    small = [(a, b) for a, b in pairs if not isinstance(b, int) or abs(b) < 300]
    lines += [case("pow", operator.pow, pair) for pair in small]
    for name in COMPARISONS:
        lines += [case(name, getattr(operator, name), pair) for pair in [*pairs, *mixed]]
    return lines


def of_ints() -> list[str]:
    lines: list[str] = []
    for a in INTS:
        lines += [case(name, getattr(operator, name), (a,)) for name in ("neg", "abs", "invert")]
        lines.append(case("bit_length", int.bit_length, (a,)))
        for b in (*INTS[:8], 62, 63, 64):
            lines += [case(name, function, (a, b)) for name, function in BITS.items()]
        lines += [case("round", round, (a, digits)) for digits in INT_DIGITS]
    return lines


def of_floats() -> list[str]:
    lines: list[str] = []
    for a in FLOATS:
        lines += [case(name, getattr(operator, name), (a,)) for name in ("neg", "abs")]
        lines += [case(name, function, (a,)) for name, function in TO_INT.items()]
        lines += [case("round", round, (a, digits)) for digits in FLOAT_DIGITS]
        lines += [case("math." + name, getattr(math, name), (a,)) for name in UNARY]
    for name in BINARY:
        pairs = itertools.product(FLOATS, FLOATS)
        lines += [case("math." + name, getattr(math, name), pair) for pair in pairs]
    return lines


def formats() -> list[str]:
    lines: list[str] = []
    for value in [*INTS, *FLOATS, True, False]:
        specs = [*SPECS, *([] if isinstance(value, float) else INT_SPECS)]
        for spec in specs:
            try:
                lines.append("\t".join(["format", spec, text(value), format(value, spec)]))
            except ValueError:
                lines.append("\t".join(["format", spec, text(value), "!refused"]))
    return lines


def cases() -> list[str]:
    lines = [*arithmetic(), *of_ints(), *of_floats(), *formats()]
    return [line for line in lines if line]


if __name__ == "__main__":
    path = Path(__file__).parents[2] / "golden" / "scalar" / "python.txt"
    path.write_text("\n".join(cases()) + "\n", encoding="utf-8")
