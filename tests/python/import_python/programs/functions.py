# SPDX-License-Identifier: Apache-2.0
from . import case, note


@case((1,), (1, 2), (1, 2, 3, 4), (1, 2, 3, 4, 5))
def signature(a, b=2, /, c=3, *rest, d=4, **more):
    return a, b, c, rest, d, more


@case()
def call_forms():
    args, more = [2, 3], {"d": 5}
    return signature(1, *args, 9, *[8], **more, e=6), signature(1, d=7), signature(*args, **{"f": 1})


@case()
def order_of_arguments():
    return note("f", signature)(note("a"), *note("s", [1]), note("b"), d=note("d"), **note("m", {}))


@case((2,))
def closure(n):
    total = 0

    def add(k):
        nonlocal total
        total += k * n
        return total

    add(1)
    add(2)
    n = 10
    return add(1), total


@case()
def defaults_are_evaluated_once():
    x = 1

    def f(a=note("a", x), *, k=note("k", [x])):
        k.append(a)
        return k

    x = 2
    return f(), f(5), f(k=[])


@case()
def lambdas():
    fs = [lambda x, k=i: (x, k) for i in range(3)]
    late = [lambda: i for i in range(3)]
    return [f(1) for f in fs], [f() for f in late], (lambda *a, **k: (a, k))(1, b=2), (lambda: lambda: 7)()()


def twice(f):
    note("twice")
    return lambda *a: f(f(*a))


def plus(n):
    note(f"plus {n}")
    return lambda f: lambda *a: f(*a) + n


@case((3,))
def decorators(x):
    @twice
    @plus(10)
    def f(v):
        return v * 2

    return f(x)


@case((5,))
def recursion(n):
    def fact(k):
        return 1 if k < 2 else k * fact(k - 1)

    return fact(n)


@case((True,), (False,))
def free_variable_may_be_unbound(p):
    def read():
        return value

    if p:
        value = 1
    return read()


@case((True,), (False,))
def cell_may_be_unbound(p):
    if p:
        value = 1
    f = lambda: value
    return value, f()


@case()
def delete_a_cell():
    x = 1
    f = lambda: x
    y = f()
    del x
    try:
        f()
    except NameError as e:
        return y, str(e)


@case((1, 2))
def parameter_as_cell(a, b):
    def inner():
        return a + b

    a += 10
    return inner()


@case()
def three_levels():
    x = 1

    def middle():
        def inner():
            nonlocal x
            x += 1
            return x

        return inner

    return middle()(), x


@case((2,))
def nested_names(n):
    def helper(x: "int" = 1, *args: int, **kwargs: str) -> None:
        """With annotations."""
        return x + n

    return helper(3), helper.__name__


def make(k):
    def made(x):
        return x + k

    class Inside:
        def method(self, y):
            return y * k

    return made, Inside().method


made, method = make(5)
