# SPDX-License-Identifier: Apache-2.0
"""Builtins and library functions over dynamic values: min, max, sum, sorted, any, zip, math, itertools …"""

import functools
import itertools
import math
import operator
import types

import torch
from python.torch.case import case, m, v

A, B = v(1.0, 2.0), v(3.0, -2.0)
ORDERS = [v(*order) for order in itertools.permutations((1.0, 2.0, 3.0))]


@case(A, B)
def min_and_max_of_numbers(x):
    a, b = x.tolist()
    return min(a, b), max(a, b), min([a, b]), max(a, b, 2.5)


@case(A, B)
def min_and_max_of_tensors(x):
    return min(x[0], x[1]), max(x), min(x, key=lambda t: -t)


@case(A, B)
def max_with_a_key(x):
    names = {"a": x[0], "b": x[1]}
    return max(names, key=lambda name: names[name].item()), x


@case(A, B)
def min_with_a_default(x):
    empty = [t for t in [] if t]
    return min(empty, default=None), max((t for t in x if t > 1), default=x[0])


@case(A, B)
def sum_of_tensors_and_numbers(x):
    return sum(x), sum(x.tolist()), sum([x, x], x), sum(x.tolist(), 10)


@case(*ORDERS)
def sorted_numbers(x):
    return sorted(x.tolist()), sorted(x.tolist(), reverse=True)


@case(*ORDERS)
def sorted_tensors_by_key(x):
    return sorted(x, key=lambda t: -t)


@case(v(1.0, 1.0), v(2.0, 1.0), v(1.0, 2.0))
def sorting_is_stable(x):
    pairs = list(zip(x.tolist(), ["first", "second"]))
    pairs.sort(key=lambda pair: pair[0])
    return pairs


@case(A, B, v(-1.0, -2.0))
def any_and_all_of_conditions(x):
    return any(t > 0 for t in x), all(t > 0 for t in x), any([]), all([])


@case(v(1.0, 0.0), v(0.0, 0.0), v(0.0, 3.0), v(1.0, 2.0))
def any_and_all_of_tensors(x):
    return any(x), all(x)


@case(A, B)
def map_and_filter(x):
    doubled = list(map(lambda t: t * 2 if t > 0 else t, x))
    positive = list(filter(lambda t: t > 0, x))
    return doubled, positive


@case(A, B)
def map_of_two_iterables(x):
    return list(map(lambda a, b: a * b, x, x.flip(0))), tuple(map(float, x))


@case(v(1.0, 0.0), v(0.0, 2.0))
def filter_by_truth(x):
    return list(filter(None, x))


@case(A, B)
def enumerate_zip_reversed(x):
    out = []
    for i, (a, b) in enumerate(zip(x, reversed(x))):
        out.append(a - b if a > b else a + i)
    return out


@case(A)
def zip_strict_and_unpacked(x):
    pairs = list(zip(x, [1, 2], strict=True))
    left, right = zip(*pairs)
    return left, right


@case(v(2), v(3), v(0))
def abs_round_divmod_pow(x):
    n = int(x) - 2
    return abs(n), round(n), divmod(n, 3), pow(n, 2), x


@case(v(2.0), v(-2.0))
def len_isinstance_type(x):
    n = x.item()
    return isinstance(n, float), type(n) is float, isinstance(x, torch.Tensor), len([n]), type(x).__name__


@case(v(2.0), v(-2.0), may_lack=True)
def issubclass_callable_getattr(x):
    y = x * 2 if x > 0 else x
    return issubclass(bool, int), callable(y), getattr(y, "ndim"), hasattr(y, "foo")


class Box:
    pass


@case(v(2.0), v(-2.0))
def setattr_and_delattr(x):
    box = Box()
    setattr(box, "value", x if x > 0 else -x)
    value = box.value
    delattr(box, "value")
    return value, hasattr(box, "value")


@case(v(2), v(7))
def str_and_repr_of_static_values(x):
    n = 3 if x > 5 else 4
    return str(n), repr([n]), "n=" + str(n * 2), f"{n:03d}", "{}-{}".format(n, "z"), x


@case(v(2.0), v(-2.0), may_lack=True)
def print_is_dropped(x):
    if x > 0:
        print("positive", x.shape)
    return x


@case(v(4.0, 3.0), v(0.5, 2.0))
def math_of_numbers(x):
    a, b = x.tolist()
    return (
        math.sqrt(a),
        math.hypot(3.0, 4.0),
        math.floor(b),
        math.copysign(a, -1.0),
        math.pi,
    )


@case(
    v(4.0, 3.0),
    v(0.5, 2.0),
    v(float("inf"), 2.25),
    v(1.0, float("inf")),
    v(-8.0, -3.0),
    v(0.0, 0.0),
    unreachable=4,
)
def math_prod_and_isclose(x):
    a, b = x.tolist()
    return math.prod([a, b, 2]), math.isclose(a, 4.0), math.isclose(b, 2.25, abs_tol=0.5)


@case(v(4.0, 3.0), v(-0.5, 2.0))
def operators_as_functions(x):
    a, b = x.tolist()
    results = [f(a, b) for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt)]
    return results, operator.neg(x), operator.getitem(x, 0), operator.not_(a > 0), operator.add(x, 1)


@case(v(4.0, 3.0), v(-0.5, 2.0))
def getters(x):
    first, both = operator.itemgetter(0), operator.itemgetter(1, 0)
    total = operator.methodcaller("sum")
    return first(x), both([x, 2]), total(x), operator.attrgetter("shape")(x)[0], max(x, key=total)


@case(v(4.0, 3.0), v(-0.5, 2.0))
def reduce_and_partial(x):
    biggest = functools.reduce(lambda a, b: a if a > b else b, x)
    add = functools.partial(torch.add, alpha=2)
    return biggest, add(x, x), functools.reduce(operator.mul, x.tolist(), 2.0)


@functools.lru_cache(maxsize=None)
def table(n):
    return [i * i for i in range(n)]


@case(v(4.0), v(-4.0))
def cached_static_function(x):
    return x * sum(table(3)) if x > 0 else x * table(2)[1]


@case(A, B)
def itertools_chain_and_islice(x):
    chained = list(itertools.chain(x, [x * 2]))
    first = list(itertools.islice((t * 2 for t in x), 1))
    return chained, first, list(itertools.chain.from_iterable([[x], [1]])) if x[1] > 0 else None


@case(A, B)
def itertools_accumulate_and_pairwise(x):
    return (
        list(itertools.accumulate(x)),
        list(itertools.pairwise([*x, 3])),
        list(itertools.accumulate(x.tolist(), max)),
    )


@case(A, B, unreachable=4)
def itertools_product_and_combinations(x):
    items = [x[0], x[1], x.sum()]
    pairs = [a + b for a, b in itertools.combinations(items, 2)]
    return pairs, [a * b for a, b in itertools.product(items[:2], repeat=2) if a > b]


@case(A, B, v(-1.0, 5.0))
def itertools_takewhile_and_dropwhile(x):
    taken = list(itertools.takewhile(lambda t: t > 0, x))
    dropped = list(itertools.dropwhile(lambda t: t > 0, x))
    return taken, dropped


@case(A, B)
def itertools_zip_longest_and_repeat(x):
    pairs = list(itertools.zip_longest(x, [1], fillvalue=0))
    return pairs, [t * n for t, n in zip(x, itertools.repeat(3))], next(itertools.count(5)), x[1] > 0


@case(A, B)
def itertools_starmap_compress_cycle(x):
    products = list(itertools.starmap(operator.mul, [(x[0], x[1]), (x[1], 2)]))
    kept = list(itertools.compress(["a", "b"], x > 0))
    names = [name for name, _ in zip(itertools.cycle("ab"), range(3))]
    return products, kept, names


@case(m((1.0, 2.0), (3.0, 4.0)), m((1.0, -2.0), (3.0, 4.0)), m((1.0, 2.0), (-3.0, 4.0)))
def builtins_of_rows(x):
    rows = [row for row in x if all(row > 0)]
    best = max(x, key=lambda row: row.sum())
    return rows, best


@case(
    v(1, 0, 2),
    v(2, 2, 2),
    v(0, 0, 0),
    v(1, 1, 1),
    v(-1, -1, -1),
    v(-2, -2, -2),
    v(-3, -3, -3),
    v(9, 0, 0),
    v(0, 9, 0),
    v(0, 0, 9),
    may_raise=True,
    unreachable=17,
)
def counting_by_hand(x):
    counts = [0, 0, 0]
    for n in x.tolist():
        counts[n] += 1
    return counts, x


@case(v(1.0, 5.0), v(5.0, 1.0))
def sorted_indices(x):
    values = x.tolist()
    order = sorted(range(len(values)), key=lambda i: values[i])
    return order, [values[i] for i in order]


@case(A, B)
def next_with_a_default(x):
    found = next((t for t in x if t > 1.5), None)
    return x if found is None else found


@case(v(2.0, 3.0), v(3.0, 2.0))
def range_of_static_and_vars(x):
    total = 0
    for i in range(len(x)):
        if x[i] > 2:
            total += i + 1
    return total


@case(*[torch.tensor(n) for n in (5, 0, 1, 2, -3, 8)], every_path=False)
def ranges_of_the_input(n):
    numbers = range(1, int(n), 2)
    size = len(numbers)
    return size, numbers == range(1, 5, 2), list(numbers[1:]), 3 in numbers, numbers.stop


@case(*[torch.tensor(n) for n in (5, 0, 1)])
def truth_of_a_range(n):
    return "some" if range(int(n)) else "none"


@case(*[torch.tensor(n) for n in (5, 3, -4)], may_raise=True, every_path=False)
def element_of_a_range(n):
    return range(4)[int(n)] if n > 3 else range(int(n) + 2)[-2]


@case(A, B)
def a_list_that_shrinks_while_it_is_read_backwards(x):
    items, shorter = [1, 2, 3], [4, 5, 6]
    backwards, others = reversed(items), reversed(shorter)
    first = next(others)
    if x[1] > 0:
        items.pop()
        shorter.pop()
    return list(backwards), first, list(others)


class Endless:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        if index == 1:
            raise IndexError
        return index


@case(A)
def a_sequence_says_where_it_ends_backwards(x):
    return x, list(reversed(Endless()))


class Indexed:
    def __getitem__(self, index):
        return (1, 2)[index]


@case(A, B)
def the_classes_of_iterators(x):
    made = zip([x], [1]), map(abs, [x]), enumerate([x]), filter(None, [x.sum()]), (t for t in [x])
    tools = itertools.chain([x]), itertools.count(), itertools.islice([x], 1), itertools.product([x], [1])
    known = isinstance(made[0], zip), isinstance(made[1], map), isinstance(made[0], types.GeneratorType)
    walks = (
        iter([x]), iter((x,)), iter({"a": x}), iter("ab"), iter(range(2)), iter(x), iter({1}),
        iter(Indexed()),
    )  # fmt: skip
    backwards = reversed([x]), reversed((x,)), reversed(range(2))
    named = [type(value).__name__ for value in (*made, *tools, *walks, *backwards, iter(int, 1))]
    sent = hasattr(made[0], "send"), hasattr(made[4], "send")
    return named, known, sent, [list(value) for value in backwards]
