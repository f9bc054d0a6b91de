# SPDX-License-Identifier: Apache-2.0
"""Containers, iteration and builtins of the rewriting machine, compared with eager on every path."""

import collections
import math

import dycl
import pytest
import torch


def chosen_from_a_list(x, i):
    layers = [x + 1, x * 2, x - 3]
    return layers[int(i)]


def index_error_is_caught(x, i):
    try:
        return [x, x + 1][int(i)]
    except IndexError:
        return x * 0


def list_is_written_at_an_index_from_the_input(x, i):
    values = [1, 2, 3]
    values[int(i)] = 7
    return values, x


def dict_with_a_key_from_the_input(x, i):
    table = {"a": x, 3: x + 1}
    table["b"] = table.pop("a") * 2
    copied = {key: value for key, value in table.items()}  # noqa: C416
    return copied.get(int(i), x), len(table), sorted([str(key) for key in table.keys()])  # noqa: SIM118


def keys_are_compared_as_sets(x, i):
    first, second = {"a": x, "b": x}, {"b": x, "a": i}
    return first.keys() == second.keys(), sorted(first.keys() & {"a"}), first.keys() == {"a"}


def values_written_while_iterated_are_seen(x, i):
    table = {"a": x, "b": x}
    seen = []
    for key, value in table.items():
        table["b"] = x * 5
        seen.append((key, value))
    return seen


def lists_are_sliced_and_written(x, i):
    acc = []
    for n, (a, b) in enumerate(zip(x, [1, 2, 3], strict=False)):
        acc.append(a * b + n)
    acc.reverse()
    acc[0:1] = [acc[1], acc[2]]
    del acc[-1]
    return torch.stack(acc), len(acc)


def numbers_of_math(x, i):
    v = float(x.sum())
    with torch.no_grad():
        whole = int(v)
    return math.floor(v), round(v, 2), abs(v), math.exp(-abs(v)), whole


def default_dict_and_set(x, i):
    groups = collections.defaultdict(list)
    groups["q"].append(x)
    groups["q"].append(x + 1)
    numbers = {1, 2}
    numbers.add(5)
    return groups["q"][1], 5 in numbers, len(numbers), isinstance(x, torch.Tensor), getattr(x, "nope", 7)


PROGRAMS = [
    chosen_from_a_list,
    index_error_is_caught,
    list_is_written_at_an_index_from_the_input,
    dict_with_a_key_from_the_input,
    keys_are_compared_as_sets,
    values_written_while_iterated_are_seen,
    lists_are_sliced_and_written,
    numbers_of_math,
    default_dict_and_set,
]


def outcome(function, *args):
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_equals_eager_on_every_path(program):
    x = torch.tensor([1.3, -2.2, 3.7])
    compiled = dycl.compile(program, (x, torch.tensor(1)))
    for i in (0, 1, -1, 2, 3, -3, -4, 9):
        args = (x, torch.tensor(i))
        assert outcome(compiled, *args) == outcome(program, *args), i
