# SPDX-License-Identifier: Apache-2.0
"""Constructs that are refused, each marked at the place that the message must name: <-."""


def class_statement():
    x = 1

    class Inside:  # <- 5 a class statement inside a function
        pass

    return x, Inside


async def async_function():  # <- 1 an async function
    pass


def async_inner():
    async def inner():  # <- 5 async
        pass

    return inner


def except_star():
    try:  # <- 5 except*
        pass
    except* ValueError:
        pass


def bare_raise():
    raise  # <- 5 raise without an exception outside an except block


def bare_raise_after_the_handler():
    try:
        pass
    except ValueError:
        pass
    raise  # <- 5 raise without an exception outside an except block


class Methods:
    def super_in_comprehension(self):
        return [super().x for _ in range(3)]  # <- 17 super() inside a comprehension

    def super_without_parameter():
        return super().x  # <- 16 super() in a function without a first parameter

    def super_of_nested_function(self):
        def inner(*args):
            return super().x  # <- 20 super() in a function without a first parameter

        return inner


def super_outside_a_class(x):
    return super().y  # <- 12 super() outside a class


def in_dead_code(x):
    return x

    class Inside:  # <- 5 a class statement inside a function
        pass


def in_an_inner_function(x):
    f = lambda y: (lambda: super())()  # <- 28 super() outside a class
    return f(x)
