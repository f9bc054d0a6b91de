# SPDX-License-Identifier: Apache-2.0
from . import Box, Truth, case, note


@case((3, 4), (-7, 2))
def arithmetic(a, b):
    return (
        a + b,
        a - b,
        a * b,
        a / b,
        a // b,
        a % b,
        a**2,
        a << 2,
        a >> 1,
        a | b,
        a ^ b,
        a & b,
        -a,
        +a,
        ~a,
        not a,
    )


@case((1, 2, 3), (1, 5, 3), (9, 1, 2))
def chained_comparison(a, b, c):
    return note("a", a) < note("b", b) < note("c", c)


@case((True,), (False,))
def chained_comparison_asks_once(value):
    x, y, z = Truth("x", value), Truth("y", value), Truth("z", value)
    result = x < y < z
    return result.name


@case((True,), (False,))
def chained_comparison_as_condition(value):
    x, y, z = Truth("x", value), Truth("y", value), Truth("z", value)
    if x < y < z:
        return "yes"
    return "no"


@case((1, [1, 2]), (3, [1, 2]))
def identity_and_membership(a, b):
    return a is b, a is not b, a in b, a not in b, a == a in b, None is None


@case((0, 5), (3, 0), (3, 5))
def short_circuit_keeps_values(a, b):
    return (note("a", a) and note("b", b)) or note("c", "none")


@case((True, True), (True, False), (False, True), (False, False))
def truth_is_asked_once(p, q):
    a, b = Truth("a", p), Truth("b", q)
    seen = (a and b).name, (a or b).name
    if a and not b or not (a or b):
        return seen, 1
    return seen, 2


@case((True,), (False,))
def conditional_expression(p):
    return note("yes") or 1 if note("test", p) else note("no") or 2


@case((5,), (50,))
def walrus(n):
    if (m := n * 2) > 20:
        return m
    return (n, (n := n + 1), n, m)


@case()
def walrus_does_not_change_what_was_read():
    x = 1
    y = x + (x := 10) + x
    f = [x, (x := 2), x]
    return y, f, x


@case((4,))
def walrus_in_comprehension(n):
    values = [last := i * i for i in range(n) if (double := 2 * i) >= 0]
    return values, last, double


@case(([1, 2, 3, 4, 5],))
def slices(x):
    return x[1:3], x[::2], x[:-1], x[-2:], x[:], x[4:0:-1], x[0]


@case()
def displays_with_stars():
    a, b = [1, 2], {"k": 1}
    return [0, *a, 3], (*a, *a), {*a, 5}, {**b, "m": 2, **{"k": 3}}, [], (), {}, {1: 2}


@case()
def order_of_a_dict_display():
    return {note("k1", 1): note("v1"), note("k2", 2): note("v2"), **note("m", {})}


@case((3.14159, 8))
def format_strings(x, width):
    name = "é"
    return (
        f"{x:.2f}|{x!r:>{width}}|{name!s}|{name!a}|{x=}|{width = :>4}|{{}}{'nested ' + f'{name}'}",
        f"",
        f"{x}",
    )


@case()
def order_of_subscripts():
    box = Box()
    note("container", box)[note("key", 3)] = note("value", 4)
    box[note("k", 5)] += note("right", 1)
    return box[note("last", 3)]


@case()
def constants():
    return 1, -1, 1.5, -0.0, 0.0, True, None, "s", b"b", ..., 2j, 10**30, -(-3)


@case((1,), (0,))
def not_and_conversions(a):
    return not a, not not a, bool(a)
