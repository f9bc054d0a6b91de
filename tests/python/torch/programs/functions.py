# SPDX-License-Identifier: Apache-2.0
"""Functions: lambdas, closures, arguments of every kind, decorators, recursion, generators, methods."""

import functools
from dataclasses import dataclass

import torch
from python.torch.case import case, v
from python.torch.programs.support import helpers
from python.torch.programs.support.helpers import halve_if_large, scaled


@case(v(1.0), v(-1.0))
def lambda_with_a_branch(x):
    pick = lambda t: t * 2 if t.sum() > 0 else t - 1
    return pick(x) + pick(-x)


@case(v(1.0), v(-1.0))
def lambda_chosen_by_a_branch(x):
    f = (lambda t: t + 1) if x.sum() > 0 else (lambda t: t * 3)
    return f(x)


@case(v(1.0), v(-1.0))
def two_lambdas_on_a_line(x):
    f, g = lambda t: t + 1, lambda t: t * 2
    return f(x) if x > 0 else g(x)


@case(v(1.0), v(-1.0))
def closure_over_a_tensor(x):
    def add(y):
        if x.sum() > 0:
            return y + x
        return y - x

    return add(x * 2)


@case(v(1.0), v(-1.0))
def closure_sees_later_assignments(x):
    factor = 2

    def times(y):
        return y * factor

    if x.sum() > 0:
        factor = 5
    return times(x)


@case(v(1.0), v(-1.0))
def nonlocal_counter(x):
    count = 0

    def bump(t):
        nonlocal count
        count += 1
        return t + count

    x = bump(x)
    if x.sum() > 1:
        x = bump(x)
    return bump(x), count


@case(v(1.0), v(-1.0))
def nonlocal_tensor(x):
    state = x

    def step():
        nonlocal state
        state = state * 2 if state.sum() > 0 else state - 1

    step()
    step()
    return state


@case(v(1.0))
def closures_made_in_a_loop_share_the_variable(x):
    functions = [lambda t: t + i for i in range(3)]
    return [f(x) for f in functions]


@case(v(1.0))
def closures_with_defaults(x):
    functions = [lambda t, i=i: t + i for i in range(3)]
    return [f(x) for f in functions]


@case(v(1.0), v(-1.0))
def default_and_keyword_arguments(x):
    def f(a, b=2, *, c=3, d):
        return a * b + c - d

    if x.sum() > 0:
        return f(x, d=1)
    return f(x, 7, d=2, c=0)


@case(v(1.0))
def mutable_default_is_shared(x):
    def f(t, seen=[]):
        seen.append(1)
        return t * len(seen)

    return f(x), f(x)


@case(v(1.0), v(-1.0))
def star_arguments(x):
    def total(first, *rest, scale=1, **named):
        result = first
        for item in rest:
            result = result + item
        for name, item in named.items():
            result = result + item * len(name)
        return result * scale

    args = [x, x * 2] if x.sum() > 0 else [x]
    return total(*args, *(x,), scale=2, ab=x, **{"abc": x})


@case(v(1.0))
def positional_only_arguments(x):
    def f(a, /, b, *, c):
        return a - b * c

    return f(x, c=2, b=3)


@case(v(1.0), v(-1.0), may_raise=True)
def wrong_arguments_raise(x):
    def f(a, b):
        return a + b

    return f(x) if x > 0 else f(x, x)


@case(v(8.0), v(2.0), v(0.5))
def static_recursion(x):
    def shrink(t, depth):
        if depth == 0 or t.sum() < 1:
            return t
        return shrink(t / 4, depth - 1)

    return shrink(x, 2)


@case(v(1.0, 1.0), v(1.0, -1.0), v(-1.0, 1.0), v(-1.0, -1.0))
def recursion_of_a_depth_that_the_path_knows(x):
    def grow(t, n):
        if n == 0:
            return t
        if x[1] > 0:
            t = t * 2
        return grow(t + 1, n - 1)

    return grow(x, 3 if x[0] > 0 else 1)


@case(v(3.0), v(-3.0))
def mutual_recursion(x):
    def even(t, n):
        return t if n == 0 else odd(t + 1, n - 1)

    def odd(t, n):
        return -t if n == 0 else even(t * 2, n - 1)

    return even(x, 4) if x > 0 else odd(x, 3)


def doubling(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


def times(factor):
    def decorate(function):
        def wrapper(t):
            return function(t) * factor if t.sum() > 0 else function(t)

        return wrapper

    return decorate


@doubling
def plus_one(t):
    return t + 1


@case(v(1.0), v(-1.0))
def decorated_function(x):
    if x.sum() > 0:
        return plus_one(x)
    return x


@case(v(1.0), v(-1.0))
def decorator_with_arguments(x):
    @times(3)
    @doubling
    def f(t):
        return t - 5

    return f(x)


@case(v(1.0), v(-1.0))
def partial_application(x):
    def f(a, b, c=1):
        return a * b + c

    g = functools.partial(f, x, c=5)
    if x.sum() > 0:
        return g(2)
    return g(3, c=x)


@case(v(1.0), v(-1.0))
def generator_function(x):
    def parts(t):
        yield t
        if t.sum() > 0:
            yield t * 2
        yield t * 3

    return list(parts(x))


@case(v(1.0), v(-1.0))
def generator_by_hand(x):
    def parts():
        y = x
        for i in range(3):
            if y.sum() > 0:
                yield y * i
            else:
                yield y - i
            y = y + 1

    g = parts()
    first = next(g)
    second = next(g)
    return first, second, next(g, None), next(g, None)


@case(v(1.0), v(-1.0))
def yield_from(x):
    def inner(t):
        yield t
        return t * 10

    def outer():
        last = yield from inner(x)
        if last.sum() > 0:
            yield last
        yield from [x, x]

    return [t + 1 for t in outer()]


@case(v(1.0), v(-1.0))
def generator_send(x):
    def running():
        total = x
        while True:
            added = yield total
            total = total + added if total.sum() > 0 else total - added

    g = running()
    next(g)
    g.send(x * 2)
    return g.send(x)


@case(v(1.0), v(-1.0))
def helpers_of_another_file(x):
    y = halve_if_large(x * 8)
    return scaled(y, by=3) + helpers.OFFSET


@case(v(1.0), v(-1.0), v(8.0))
def method_of_a_helper_object(x):
    thing = helpers.Scaler(3)
    return thing(x) + thing.shifted(x)


@dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor
    weight: float = 0.5

    def mixed(self):
        if self.left.sum() > 0:
            return self.left * self.weight + self.right * (1 - self.weight)
        return self.right

    @property
    def difference(self):
        return self.left - self.right

    @classmethod
    def of(cls, t):
        return cls(t, t * 2)

    @staticmethod
    def unit(t):
        return t / 2 if t > 0 else t


@case(v(1.0), v(-1.0))
def dataclass_with_methods(x):
    pair = Pair(x, x + 1)
    return pair.mixed(), pair.difference, Pair.of(x).mixed(), Pair.unit(x), pair.weight


class Base:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, t):
        return t * self.factor

    def name(self):
        return "base"


class Derived(Base):
    def __init__(self, factor):
        super().__init__(factor + 1)
        self.calls = 0

    def apply(self, t):
        self.calls += 1
        if t.sum() > 0:
            return super().apply(t) + 1
        return super().apply(t)

    def name(self):
        return "derived of " + super().name()


@case(v(1.0), v(-1.0))
def inheritance_and_super(x):
    thing = Derived(2)
    y = thing.apply(x)
    return thing.apply(y), thing.calls, thing.name(), isinstance(thing, Base), type(thing) is Base


class Counter:
    def __init__(self):
        self._n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = value * 2

    def __add__(self, other):
        return self._n + other

    def __getitem__(self, index):
        return self._n + index

    def __len__(self):
        return self._n

    def __bool__(self):
        return self._n > 2

    def __eq__(self, other):
        return self._n == other._n


@case(v(1.0), v(-1.0), v(-9.0), may_raise=True)  # a length below zero
def special_methods(x):
    counter = Counter()
    counter.n = 1 if x.sum() > 0 else 3 if x.sum() > -5 else -1
    size = len(counter)
    kind = "many" if counter else "few"
    return x + (counter + 1), counter[5], size, kind, counter == Counter()


@case(v(1.0), v(-1.0))
def function_attribute_and_getattr(x):
    name = "relu" if x.sum() > 0 else "abs"
    return getattr(torch, name)(x), getattr(x, "missing", None), hasattr(x, "shape"), callable(x.sum)


@case(v(1.0), v(-1.0))
def functions_in_a_dict(x):
    table = {"up": lambda t: t + 1, "down": lambda t: t - 1}
    key = "up" if x.sum() > 0 else "down"
    return table[key](x), key


@case(v(1.0), v(-1.0))
def bound_method_kept(x):
    scale = x.mul
    return scale(3) if x.sum() > 0 else scale(x)


def named(*values, **options):
    return list(options.items()), len(values)


KNOWN = functools.partial(named, a=1, b=2)


@case(v(1.0), v(-1.0))
def partials_of_partials(x):
    inner = functools.partial(named, 1, a=x, b=2)
    outer = functools.partial(inner, 2, c=3, a=4)
    known = functools.partial(KNOWN, c=x)
    parts = outer.func is named, len(outer.args), list(outer.keywords)
    parts = (*parts, known.func is named, list(known.keywords))
    return parts, outer(b=5), inner(a=6), KNOWN(a=7), known()


@case(v(1.0), v(-1.0))
def the_keywords_of_a_partial_are_one_dict(x):
    scaled = functools.partial(lambda t, factor: t * factor, factor=3)
    scaled.keywords["factor"] = 4 if x.sum() > 0 else 5
    return scaled(x), scaled.keywords is scaled.keywords


@case(v(1.0), v(-1.0))
def defaults_that_are_set_later(x):
    def scaled(t, factor=2):
        return t * factor

    if x.sum() > 0:
        scaled.__defaults__ = (5,)
    scaled.__name__ = "rescaled"
    return scaled(x), scaled.__defaults__, scaled.__name__


@case(v(1.0), v(-1.0))
def stars_are_walked_before_what_stands_behind_them(x):
    seen = []

    def noted():
        for value in (x, x + 1):
            seen.append(value)
            yield value

    table = {"a": 1}
    return named(*noted(), len(seen)), len(seen), named(**table, b=table.pop("a"))


@case(v(1.0), v(-1.0))
def a_keyword_given_twice(x):
    first = {"a": x} if x.sum() > 0 else {"c": x}
    try:
        return named(**first, **{"a": 1})
    except TypeError as error:
        return str(error)
