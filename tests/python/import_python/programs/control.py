# SPDX-License-Identifier: Apache-2.0
from . import case, note


@case((0,), (1,), (2,), (3,))
def if_elif_else(n):
    if n == 0:
        return "zero"
    elif n == 1:
        x = "one"
    elif n == 2:
        x = "two"
    else:
        x = "many"
    return x


@case((0,), (3,), (10,))
def while_else(n):
    total = 0
    while n > 0:
        n -= 1
        if n == 1:
            continue
        if n == 7:
            break
        total += n
    else:
        total += 1000
    return total, n


@case(([],), ([1, 2],), ([1, -1, 5],), ([0, 0, 3],))
def for_else(values):
    seen = []
    for v in values:
        if v == 0:
            continue
        if v < 0:
            break
        seen.append(v)
    else:
        seen.append("else")
    return seen


@case((3,), (0,))
def nested_loops(n):
    found = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if i == j == 1:
                continue
            found.append((i, j))
        else:
            found.append("inner done")
        if i == 2:
            return found, "returned"
    return found


@case()
def endless():
    n = 0
    while True:
        n += 1
        if n > 5:
            return n
        while 1:
            n += 2
            break


@case((1,), (-1,), (0,))
def early_return(n):
    if n > 0:
        return "positive"
    if not n:
        return
    note("negative")


@case(([(1, 2), (3, 4)],))
def loop_over_pairs(pairs):
    total = 0
    for i, (a, b) in enumerate(pairs):
        total += i * a + b
    return total


@case()
def loop_into_items():
    values = {}
    for values["last"] in range(3):
        pass
    for values["a"], [values["b"], *values["c"]] in [(1, "xyz")]:
        pass
    return values


@case((1,), (0,))
def assertions(n):
    assert n, note("message", f"n is {n}")
    assert not not n
    return n


@case((0,))
def assertion_without_message(n):
    assert n > 0


@case((1,))
def code_after_return(n):
    return n
    n = yield_nothing
    while True:
        n += 1


@case((2,))
def conditions_on_constants(n):
    if 0:
        n = missing
    if "text" and not None:
        n += 1
    return n


@case((False,), (True,))
def imports(p):
    import json as data
    import math
    import os.path
    import os.path as path
    from math import floor
    from math import pi as number

    if p:
        from collections import abc
    return os.path is path, floor(number), data.dumps([1]), math.e > 2, p and abc.Sized.__name__


COUNTER = 0


@case()
def global_write():
    global COUNTER
    COUNTER += 1
    value = COUNTER
    COUNTER = 0
    return value


@case()
def missing_global():
    return no_such_name


@case(("text",))
def pass_and_docstring(x):
    """Nothing."""
    pass
    ...
    x
    return x
