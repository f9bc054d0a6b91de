# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass

from . import Truth, case, note


@dataclass
class Point:
    x: int
    y: int


class Holder:
    limit = 7


ANYTHING = (
    (0,), (1,), (2.5,), ("a",), ("bc",), (None,), (True,), (7,), (b"bytes",),
    ([],), ([1],), ([1, 2],), ((1, 2, 3),), ([5, 6, 7, 8],),
    ({},), ({"k": 1},), ({"k": 1, "m": 2},), ({"k": [1, 2]},), (Point(0, 3),), (Point(4, 4),),
)  # fmt: skip


@case(*ANYTHING)
def literals(x):
    match x:
        case 0 | 1:
            return "small"
        case -1 | 2.5 | "a" | b"bytes":
            return "literal"
        case None:
            return "none"
        case True:
            return "true"
        case Holder.limit:
            return "value"
        case _:
            return "other"


@case(*ANYTHING)
def sequences(x):
    match x:
        case []:
            return "empty"
        case [a]:
            return "one", a
        case [1, b]:
            return "two", b
        case (5, *middle, last):
            return "star", middle, last
        case [_, *_, third]:
            return "ends", third
        case [*everything]:
            return "all", everything
    return "none"


@case(*ANYTHING)
def mappings(x):
    match x:
        case {"k": [a, b]}:
            return a, b
        case {"k": 1, **rest} if rest:
            return "rest", rest
        case {"k": v}:
            return "k", v
        case {}:
            return "mapping"
    return "none"


@case(*ANYTHING)
def classes(x):
    match x:
        case Point(x=0, y=y):
            return "on axis", y
        case Point(a, b) if a == b:
            return "diagonal", a
        case str(s):
            return "text", s
        case bool() | int():
            return "int"
        case float() as f:
            return "float", f
    return "none"


@case(*ANYTHING)
def alternatives_bind(x):
    match x:
        case [a, b] | {"k": a, "m": b} | Point(b, a):
            return a, b
        case (int() | str()) as value:
            return "scalar", value
    return "none"


@case((1,), (5,), (9,))
def guards_in_order(x):
    y = "unbound by guard"
    match x:
        case y if note(("guard", y), y > 8):
            return "big", y
        case z if note("second", z > 4):
            return "middle", y, z
    return "small", y


@case(([1, 2],), ([1, 3],))
def names_are_bound_only_by_a_fit(x):
    a = "old"
    match x:
        case [a, 2]:
            return "fit", a
    return "no fit", a


@case()
def subject_is_evaluated_once():
    match note("subject", [1]), note("second", 2):
        case [[a], 3]:
            return "no"
        case [[a], b]:
            return a, b


@case((True,), (False,))
def guard_is_asked_once(p):
    match 1:
        case 1 if Truth("guard", p):
            return "yes"
        case _:
            return "no"


@case((3,), (4,))
def in_a_loop(n):
    for i in range(10):
        match i:
            case 1:
                continue
            case value if value == n:
                break
            case _:
                note(i)
    return i
