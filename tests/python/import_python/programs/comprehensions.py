# SPDX-License-Identifier: Apache-2.0
from . import case, note


@case(([1, 2, 3, 4],), ([],))
def all_kinds(xs):
    return (
        [x * 2 for x in xs if x % 2],
        {x % 3 for x in xs},
        {x: x * x for x in xs if x > 1 if x < 4},
        list(x + 1 for x in xs),
        tuple((i, x) for i, x in enumerate(xs)),
    )


@case(([[1, 2], [3]],))
def nested_loops(rows):
    return [v for row in rows for v in row if v], [[v * 2 for v in row] for row in rows]


@case()
def variable_does_not_leak():
    x = "outer"
    values = [x for x in range(3)]
    return x, values


@case((3,))
def outermost_iterable_belongs_outside(n):
    n_list = range(n)
    return [n for n in n_list for n in range(n)], n


@case()
def order_of_evaluation():
    return {note(("key", i), i): note(("value", i)) for i in note("iterable", [1, 2])}


@case(([(1, [2, 3])],))
def targets(pairs):
    return [(a, b, rest) for a, (b, *rest) in pairs]


@case()
def generator_is_lazy():
    g = (note(i, i) for i in [1, 2, 3])
    note("made")
    first = next(g)
    note("pause")
    return first, sum(g)


@case((None,), (3,))
def iterable_is_taken_at_once(x):
    g = (i for i in x)
    note("not reached for None")
    return g is not None


@case(([1, 5, 9], 4))
def any_all(xs, limit):
    return any(x > limit for x in xs), all(x > limit for x in xs), max((x for x in xs), default=0)


@case((2,))
def captures(k):
    fs = [lambda: (i, k) for i in range(2)]
    return [f() for f in fs], [[i * j * k for i in range(j)] for j in range(3)]
