# SPDX-License-Identifier: Apache-2.0
"""Dicts that answer for keys that they lack."""

import collections
import copy

import dycl
import pytest
import torch
from python.torch.case import v

X = v(1.0, -2.0)


def eager(model, *args):
    with torch.no_grad():
        return model(*copy.deepcopy(args))


COUNTS = collections.Counter(a=3)


class Squares(dict):
    def __missing__(self, key):
        return key * key


class Defaults(collections.Counter):
    def __missing__(self, key):
        return 7


SQUARES, DEFAULTS = Squares({1: 10}), Defaults(a=1)


def counted(x):
    return x * COUNTS["a"] + COUNTS["missing"], COUNTS["b"], COUNTS.get("b"), "b" in COUNTS


def squared(x):
    return x * SQUARES[1] + SQUARES[5] + DEFAULTS["a"] + DEFAULTS["b"]


NUMBERS = collections.Counter({1: 5, 2: 6})


def counted_by_a_number_of_the_input(x):
    return x * NUMBERS[int(x[0])]


@pytest.mark.parametrize("function", [counted, squared, counted_by_a_number_of_the_input])
def test_missing_keys_are_what_the_class_says(function):
    program = dycl.compile(function, X)
    for x in (X, v(2.0, 0.0), v(9.0, 1.0)):
        given, wanted = program(x), eager(function, x)
        if isinstance(wanted, tuple):
            assert given[1:] == wanted[1:]
            given, wanted = given[0], wanted[0]
        assert torch.equal(given, wanted)
    assert (dict(COUNTS), dict(SQUARES), dict(DEFAULTS)) == ({"a": 3}, {1: 10}, {"a": 1})
