# SPDX-License-Identifier: Apache-2.0
"""Every model of the prelude against the original, in plain CPython: results, errors and comparisons."""

import functools
import itertools
import math
import operator
import random

import pytest
from dycl.prelude import METHODS, MODELS, SEQUENCE_COMPARE, Refused

ROUNDS = 60
LOG: list[tuple[object, ...]] = []


class Traced:
    """A value that writes down comparisons and truth tests: decisions must be taken in CPython's order."""

    def __init__(self, value):
        self.value = value

    def _compare(self, symbol, other, outcome):
        LOG.append((symbol, self.value, getattr(other, "value", other)))
        return outcome

    def __lt__(self, other):
        return self._compare("<", other, self.value < other.value)

    def __gt__(self, other):
        return self._compare(">", other, self.value > other.value)

    def __le__(self, other):
        return self._compare("<=", other, self.value <= other.value)

    def __ge__(self, other):
        return self._compare(">=", other, self.value >= other.value)

    def __eq__(self, other):
        return self._compare("==", other, self.value == getattr(other, "value", other))

    def __ne__(self, other):
        return self._compare("!=", other, self.value != getattr(other, "value", other))

    def __bool__(self):
        LOG.append(("bool", self.value))
        return bool(self.value)

    def __add__(self, other):
        LOG.append(("+", self.value))
        return Traced(self.value + getattr(other, "value", other))

    def __radd__(self, other):
        return Traced(other + self.value)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"Traced({self.value})"


def plain(result):
    """Iterators drawn out (a bounded number of times), wrapped values unwrapped."""
    if isinstance(result, Traced):
        return "traced", repr(result.value)
    if isinstance(result, (list, tuple)):
        return type(result).__name__, [plain(item) for item in result]
    if isinstance(result, (set, frozenset)):
        return type(result).__name__, sorted(repr(plain(item)) for item in result)
    if isinstance(result, dict):
        return "dict", [(plain(key), plain(value)) for key, value in result.items()]
    if hasattr(result, "__next__"):
        return "iterator", [plain(item) for item in itertools.islice(result, 40)]
    return type(result).__name__, repr(result)


def outcome(function, arguments, keywords):
    LOG.clear()
    try:
        result = plain(function(*arguments, **keywords))
    except Refused:
        raise
    except Exception as error:
        result = type(error).__name__, str(error)
    after = [plain(argument) for argument in arguments if isinstance(argument, (list, dict, set))]
    return result, after, repr(LOG)


def agree(original, model, make_arguments, compare_logs=True):
    arguments, keywords = make_arguments()
    expected = outcome(original, arguments, keywords)
    arguments, keywords = make_arguments()
    actual = outcome(model, arguments, keywords)
    if not compare_logs:
        expected, actual = expected[:2], actual[:2]
    assert actual == expected, f"{original} on {make_arguments()}"


def numbers(rng, most=6, nan=True):
    pool = [-2, -1, 0, 1, 2, 3, 1.5, -0.5, *([math.nan] if nan else [])]
    return [rng.choice(pool) for _ in range(rng.randint(0, most))]


def traced(rng, most=6):
    return [Traced(value) for value in numbers(rng, most)]


def negated(item):
    return Traced(-item.value)


def is_positive(item):
    return item.value > 0


def pair(*items):
    return items


# name -> (original, rng -> (arguments, keywords))
CASES = {
    "any": (any, lambda r: ((traced(r),), {})),
    "all": (all, lambda r: ((traced(r),), {})),
    "sum": (sum, lambda r: ((traced(r),), {})),
    "sum from": (sum, lambda r: ((numbers(r), r.choice([0, 1.5, "", b"", bytearray()])), {})),
    "sum lists": (sum, lambda r: (([numbers(r), numbers(r)], []), {})),
    "min": (min, lambda r: ((traced(r),), {})),
    "max": (max, lambda r: ((traced(r),), {})),
    "min of several": (min, lambda r: (tuple(traced(r)), {"key": r.choice([None, negated])})),
    "max of several": (max, lambda r: (tuple(traced(r)), {"key": r.choice([None, negated])})),
    "min with default": (min, lambda r: ((traced(r, 1),), {"default": 7})),
    "max with default": (max, lambda r: ((traced(r, 1),), {"default": None, "key": negated})),
    "max with a useless default": (max, lambda r: ((1, 2), {"default": 3})),
    "sorted": (sorted, lambda r: ((traced(r, 12),), {"reverse": r.choice([True, False, 1])})),
    "sorted with key": (sorted, lambda r: ((traced(r, 12),), {"key": negated, "reverse": r.random() < 0.5})),
    "sorted nan": (sorted, lambda r: (([r.choice([1.0, 2.0, math.nan]) for _ in range(9)],), {})),
    "zip": (zip, lambda r: (tuple(numbers(r, 3) for _ in range(r.randint(0, 3))), {})),
    "zip strict": (zip, lambda r: (tuple(numbers(r, 2) for _ in range(r.randint(0, 3))), {"strict": True})),
    "zip of no iterable": (zip, lambda r: ((numbers(r), 3), {})),
    "enumerate": (enumerate, lambda r: ((numbers(r), r.randint(-2, 2)), {})),
    "map": (map, lambda r: ((negated, traced(r)), {})),
    "map of two": (map, lambda r: ((pair, numbers(r), numbers(r)), {})),
    "filter": (filter, lambda r: ((r.choice([None, bool, is_positive]), traced(r)), {})),
    "reversed": (reversed, lambda r: ((r.choice([list, tuple, dict.fromkeys])(numbers(r)),), {})),
    "reversed set": (reversed, lambda r: (({1, 2},), {})),
    "reversed range": (reversed, lambda r: ((range(r.randint(0, 4)),), {})),
    "divmod": (divmod, lambda r: (tuple(r.choice([-7, 7, 0, 2, -2, 2.5, 0.0, -1.5]) for _ in range(2)), {})),
    "divmod of a string": (divmod, lambda r: (("a", 1), {})),
    "pow": (pow, lambda r: ((r.randint(-9, 9), r.randint(0, 9), r.randint(-7, 7)), {})),
    "pow of two": (pow, lambda r: ((r.randint(1, 9), r.randint(-3, 9)), {})),
    "pow of floats": (pow, lambda r: ((1.5, 2, 3), {})),
    "reduce": (functools.reduce, lambda r: ((operator.add, numbers(r, 3)), {})),
    "reduce from": (functools.reduce, lambda r: ((operator.add, numbers(r, 3), 1), {})),
    "chain": (itertools.chain, lambda r: ((numbers(r), numbers(r)), {})),
    "chained": (itertools.chain.from_iterable, lambda r: (([numbers(r), numbers(r)],), {})),
    "accumulate": (itertools.accumulate, lambda r: ((traced(r),), {"initial": r.choice([None, 1])})),
    "accumulate max": (itertools.accumulate, lambda r: ((traced(r), max), {})),
    "count": (itertools.count, lambda r: ((r.randint(-3, 3), r.choice([1, 2, -1])), {})),
    "cycle": (itertools.cycle, lambda r: ((numbers(r, 3),), {})),
    "repeat": (itertools.repeat, lambda r: ((1, r.randint(-1, 3)), {})),
    "repeat for ever": (itertools.repeat, lambda r: ((1,), {})),
    "islice": (itertools.islice, lambda r: ((numbers(r), r.randint(-1, 5)), {})),
    "islice part": (
        itertools.islice,
        lambda r: (
            (numbers(r, 9), r.choice([0, 2, None]), r.choice([3, 0, None]), r.choice([1, 2, None])),
            {},
        ),
    ),
    "product": (itertools.product, lambda r: ((numbers(r, 2), numbers(r, 2)), {"repeat": r.randint(0, 2)})),
    "permutations": (itertools.permutations, lambda r: ((numbers(r, 4), r.choice([None, 0, 1, 2])), {})),
    "combinations": (itertools.combinations, lambda r: ((numbers(r, 4), r.randint(0, 3)), {})),
    "with replacement": (
        itertools.combinations_with_replacement,
        lambda r: ((numbers(r, 4), r.randint(0, 3)), {}),
    ),
    "starmap": (itertools.starmap, lambda r: ((pair, [(1, 2), (3,), ()]), {})),
    "takewhile": (itertools.takewhile, lambda r: ((is_positive, traced(r)), {})),
    "takewhile itself": (itertools.takewhile, lambda r: ((negated, traced(r)), {})),
    "dropwhile": (itertools.dropwhile, lambda r: ((negated, traced(r)), {})),
    "filterfalse": (itertools.filterfalse, lambda r: ((r.choice([None, is_positive]), traced(r)), {})),
    "zip_longest": (
        itertools.zip_longest,
        lambda r: (tuple(numbers(r, 3) for _ in range(r.randint(0, 3))), {"fillvalue": -9}),
    ),
    "pairwise": (itertools.pairwise, lambda r: ((numbers(r),), {})),
    "compress": (itertools.compress, lambda r: ((numbers(r), traced(r)), {})),
    "prod": (math.prod, lambda r: ((numbers(r),), {"start": r.choice([1, 2.5])})),
    "isclose": (
        math.isclose,
        lambda r: (
            (r.choice([1.0, 1.0 + 1e-10, math.inf, math.nan, 0]), r.choice([1.0, 1.1, math.inf, 1e-10])),
            {"rel_tol": r.choice([1e-9, 0.2, -1.0]), "abs_tol": r.choice([0.0, 1e-3])},
        ),
    ),
    "fromkeys": (dict.fromkeys, lambda r: ((numbers(r, nan=False), 3), {})),
}


@pytest.mark.parametrize("name", CASES)
def test_models_agree_with_the_originals(name):
    original, make = CASES[name]
    for seed in range(ROUNDS):
        agree(original, MODELS[original], lambda seed=seed: make(random.Random(seed)))


def elements(rng, most=4):
    return [rng.choice([Traced(0), Traced(1), Traced(2)]) for _ in range(rng.randint(0, most))]


def two(kind, rng):
    shared = elements(rng)
    return kind(shared + elements(rng, 2)), kind(shared + elements(rng, 2))


METHOD_CASES = {
    "list.index": (list, "index", lambda r: ((elements(r), Traced(1)), {})),
    "list.index from": (
        list,
        "index",
        lambda r: ((numbers(r, nan=False), 1, r.randint(-4, 4), r.randint(-4, 4)), {}),
    ),
    "list.count": (list, "count", lambda r: ((elements(r), Traced(1)), {})),
    "list.remove": (list, "remove", lambda r: ((elements(r), Traced(1)), {})),
    "list.sort": (list, "sort", lambda r: ((traced(r, 9),), {"reverse": r.random() < 0.5})),
    "in list": (list, "__contains__", lambda r: ((elements(r), Traced(1)), {})),
    "nan in list": (list, "__contains__", lambda r: (([math.nan, 1], math.nan), {})),
    "tuple.index": (tuple, "index", lambda r: ((tuple(elements(r)), Traced(1)), {})),
    "tuple.count": (tuple, "count", lambda r: ((tuple(elements(r)), Traced(1)), {})),
    "in tuple": (tuple, "__contains__", lambda r: ((tuple(elements(r)), Traced(1)), {})),
    "dict.setdefault": (dict, "setdefault", lambda r: (({1: 2}, r.choice([1, 3]), 4), {})),
    "dict.update": (
        dict,
        "update",
        lambda r: (({1: 2}, r.choice([{1: 3}, [(1, 4), "ab"], [(1, 2, 3)], [5], ()])), {"z": 1}),
    ),
    "dict |": (dict, "__or__", lambda r: (({1: 2}, r.choice([{1: 3, 2: 2}, 5])), {})),
    "dict |=": (dict, "__ior__", lambda r: (({1: 2}, r.choice([{1: 3, 2: 2}, [(3, 4)]])), {})),
    "dict ==": (
        dict,
        "__eq__",
        lambda r: (({1: Traced(0), 2: Traced(1)}, r.choice([{2: Traced(1), 1: Traced(0)}, {1: 0}, 5])), {}),
    ),
    "dict !=": (
        dict,
        "__ne__",
        lambda r: (
            ({1: Traced(0), 2: Traced(1)}, r.choice([{2: Traced(1), 1: Traced(2)}, {1: 0, 3: 0}])),
            {},
        ),
    ),
    "str.join": (
        str,
        "join",
        lambda r: ((",", r.choice([["a", "b"], ("a",), [], iter("xyz"), ["a", 1], 3])), {}),
    ),
}
METHOD_CASES |= {
    f"{kind.__name__} {name}": (kind, name, lambda r, kind=kind: (r.choice([two(kind, r), (kind(), 3)]), {}))
    for kind in (list, tuple)
    for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
}


@pytest.mark.parametrize("name", METHOD_CASES)
def test_methods_agree_with_the_originals(name):
    kind, method, make = METHOD_CASES[name]
    for seed in range(ROUNDS):
        agree(getattr(kind, method), METHODS[kind, method], lambda seed=seed: make(random.Random(seed)))


SET_METHODS = sorted(name for kind, name in METHODS if kind is set)


def small_set(rng, kind):
    return kind(rng.choice("abcd") for _ in range(rng.randint(0, 4)))


@pytest.mark.parametrize("name", SET_METHODS)
@pytest.mark.parametrize("kind", [set, frozenset])
def test_set_methods_agree_with_the_originals(name, kind):
    if (kind, name) not in METHODS:
        assert not hasattr(kind, name)
        return

    def make(seed):
        rng = random.Random(seed)
        other = small_set(rng, rng.choice([set, frozenset] if name.startswith("__") else [set, list, iter]))
        return (small_set(rng, kind), rng.choice([other, 5]) if name.startswith("__") else other), {}

    for seed in range(ROUNDS):
        agree(getattr(kind, name), METHODS[kind, name], lambda seed=seed: make(seed))


OPERATORS = [name for name in operator.__all__ if getattr(operator, name) in MODELS]
OPERANDS = [-3, 0, 2, 1.5, "ab", "c", [1, 2], [3], (1,), {1: 2}, {1, 2}, None, True]
NOT_MODELLED = {"countOf", "indexOf", "length_hint"}


class Multiplied:
    def __matmul__(self, other):
        return other + 1


def operands(name, seed):
    rng = random.Random(f"{name}{seed}")
    unary = name in ("abs", "index", "inv", "invert", "neg", "not_", "pos", "truth")
    if name == "call":
        return pair, *rng.sample(OPERANDS, 2)
    if name.endswith("matmul") and seed == 0:
        return Multiplied(), 3
    return tuple(rng.sample(OPERANDS, 1 if unary else 3 if name == "setitem" else 2))


@pytest.mark.parametrize("name", [name for name in OPERATORS if not name.endswith(("getter", "caller"))])
def test_operators_agree_with_the_originals(name):
    function = getattr(operator, name)
    agreed = 0
    for seed in range(ROUNDS):
        expected = outcome(function, copied(operands(name, seed)), {})
        actual = outcome(MODELS[function], copied(operands(name, seed)), {})
        assert actual == expected
        agreed += not expected[0][0].endswith("Error")
    assert agreed, f"no operands of {name} worked"


def copied(values):
    return tuple(type(value)(value) if isinstance(value, (list, dict, set)) else value for value in values)


def test_every_operator_has_a_model():
    assert set(operator.__all__) - set(OPERATORS) == NOT_MODELLED


def test_getters_and_callers_agree_with_the_originals():
    class Point:
        x = 3
        inner = complex(1, 2)

        def moved(self, by, times=1):
            return self.x + by * times

    makes = [
        (operator.itemgetter, (1,), {}, [5, 6, 7]),
        (operator.itemgetter, (1, 0), {}, (5, 6)),
        (operator.itemgetter, (9,), {}, [1]),
        (operator.attrgetter, ("x",), {}, Point()),
        (operator.attrgetter, ("inner.imag", "x"), {}, Point()),
        (operator.attrgetter, ("y",), {}, Point()),
        (operator.methodcaller, ("moved", 2), {}, Point()),
        (operator.methodcaller, ("moved", 2), {"times": 3}, Point()),
    ]
    for maker, arguments, keywords, value in makes:
        live = maker(*arguments, **keywords)
        expected = outcome(live, (value,), {})
        assert outcome(MODELS[maker](*arguments, **keywords), (value,), {}) == expected
        assert outcome(functools.partial(METHODS[maker, "__call__"], live), (value,), {}) == expected


def test_sequences_compare_with_their_own_kind_alone():
    assert METHODS[list, "__eq__"]([1], (1,)) is NotImplemented
    assert SEQUENCE_COMPARE["<"]([1, 2], [1, 3]) is True
    assert SEQUENCE_COMPARE[">="]((1,), (1,)) is True


def test_sorting_many_values_is_refused():
    assert MODELS[sorted](range(63, 0, -1)) == list(range(1, 64))
    with pytest.raises(Refused, match="64 or more"):
        MODELS[sorted](range(64))


TAKES = {
    "zip": lambda f, source: f[zip](source, [1]),
    "islice": lambda f, source: f[itertools.islice](source, 1, 4, 2),
    "takewhile": lambda f, source: f[itertools.takewhile](lambda item: item < 2, source),
    "any": lambda f, source: f[any](source),
    "zip_longest": lambda f, source: f[itertools.zip_longest]([1], source),
}


@pytest.mark.parametrize("name", TAKES)
def test_iterators_take_no_more_than_the_originals(name):
    left = []
    for table in ({original: original for original in MODELS}, MODELS):
        source = iter(range(8))
        result = TAKES[name](table, source)
        if hasattr(result, "__next__"):
            next(result)
        left.append(list(source))
    assert left[0] == left[1]
