# SPDX-License-Identifier: Apache-2.0
from . import case, note


def collect(generator):
    return list(generator)


@case((3,), (0,))
def in_a_function(n):
    def count(m):
        for i in range(m):
            note(i)
            yield i
        return "end"

    return list(count(n))


@case((3,))
def yield_from(n):
    def inner(m):
        yield from range(m)
        return "inner result"

    def outer():
        result = yield from inner(n)
        yield result
        nothing = yield from [7, 8]
        yield nothing

    return list(outer())


@case()
def send_and_value():
    def echo():
        got = yield 1
        while got is not None:
            got = yield got * 2

    g = echo()
    return next(g), g.send(5), g.send(6), list(g)


@case((0,), (1,), (2,))
def with_try(n):
    def inner():
        try:
            yield 1
            yield 1 // n
        except ZeroDivisionError:
            yield "zero"
        finally:
            note("finally")

    return list(inner())


@case()
def expression_forms():
    def g():
        x = yield
        y = [(yield 1), (yield 2)]
        yield x, y

    return list(g())
