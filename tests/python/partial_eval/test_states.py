# SPDX-License-Identifier: Apache-2.0
"""Join, meet and positions of the rewriting machine on states made by hand (tests/cpp/partial_eval)."""

import importlib.util
import os
from pathlib import Path

import dycl  # noqa: F401  (brings the packages that the machine asks)
import pytest
import torch
from dycl.frontend.capture import Capture, Declared

ROOT = Path(__file__).parents[3]
BUILD = Path(os.environ.get("DYCL_BUILD_FOLDER", ROOT / "build" / "release"))


def load_states():
    found = sorted((BUILD / "tests/cpp/partial_eval").glob("dycl_states*.so"))
    assert found, f"no test module in {BUILD}: scripts/build.sh --tests, or DYCL_BUILD_FOLDER"
    spec = importlib.util.spec_from_file_location("dycl_states", found[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.States


States = load_states()


@pytest.fixture
def states():
    def model(x):
        return x

    with Capture(Declared(model, (torch.zeros(1),), {}, None)) as capture:
        yield States(capture)


# Functions at whose beginning the states meet.
def reads_one(a):
    return a


def reads_first(a, b):
    return a


def reads_two(a, b):
    return a, b


# How states.cpp wants values described.
def known(value):
    return ("known", value)


def number(name, kind="int"):
    return ("number", kind, name)


def tensor(name, *sizes, identity=None):
    return ("tensor", identity or name, name, torch.zeros(*sizes))


def a_list(*items, identity="list"):
    return ("list", identity, list(items))


def a_tuple(*items):
    return ("tuple", list(items))


def a_dict(identity="dict", /, **entries):
    return ("dict", identity, entries)


class Thing:
    def __repr__(self):
        return "a thing"


ONE, TWO, HALF, TEXT, NONE = known(1), known(2), known(0.5), known("text"), known(None)
THING, OTHER = known(Thing()), known(Thing())
N, M, FLAG = number("n"), number("m"), number("flag", "bool")
X, Y, WIDE = tensor("x", 2), tensor("y", 2), tensor("wide", 3)
INNER = a_list(X, identity="inner")
WHOLE = ("tensor", "whole", "whole", torch.zeros(2, dtype=torch.int64))

# The variable `a` on two paths, and what it is where they meet.
MEETINGS = {
    "equal numbers stay known": (ONE, known(1), "1"),
    "equal texts stay known": (TEXT, known("text"), "'text'"),
    "one object stays known": (THING, THING, "a thing"),
    "None stays known": (NONE, NONE, "None"),
    "zeros of either sign are two numbers": (known(0.0), known(-0.0), "float given up"),
    "NaN is itself": (known(float("nan")), known(float("nan")), "nan"),
    "ints that differ become a number on the host": (ONE, TWO, "int given up"),
    "floats that differ become a number on the host": (HALF, known(1.5), "float given up"),
    "flags that differ become a flag on the host": (known(True), known(False), "bool given up"),
    "a known number and one of the run become one of the run": (ONE, N, "int given up"),
    "the same number of the run stays": (N, N, "n"),
    "two numbers of the run become a parameter": (N, M, "int"),
    "the same tensor stays": (X, X, "x"),
    "one object with two values becomes a parameter": (X, tensor("y", 2, identity="x"), "f32[2]"),
    "two tensors become a parameter": (X, Y, "f32[2]"),
    "tensors of two sizes have a size of their own": (X, WIDE, "f32[?]"),
    "a live tensor and one of the run become a parameter": (known(torch.zeros(2)), X, "f32[2]"),
    "live tuples are joined by element": (known((1, "t")), known((2, "t")), "(int given up, 't')"),
    "tuples are joined by element": (a_tuple(X, ONE), a_tuple(Y, ONE), "(f32[2], 1)"),
    "a live tuple and one of the run are joined": (known((1, 2)), a_tuple(N, TWO), "(int given up, 2)"),
    "lists are joined by element": (a_list(X, ONE), a_list(Y, ONE), "[f32[2], 1]"),
    "lists in lists are joined": (a_list(INNER, X), a_list(INNER, Y), "[[x], f32[2]]"),
    "lists made on two paths are one": (a_list(X), a_list(Y, identity="other"), "[f32[2]]"),
    "tensors in tuples of two lengths are a sequence": (a_tuple(X), a_tuple(X, Y), "sequence of f32[2]"),
    "tensors in lists of two lengths are a sequence": (a_list(X), a_list(X, Y), "sequence of f32[2]"),
    "numbers in lists of two lengths are a sequence": (a_list(N), a_list(), "sequence of int"),
    "texts in lists of two lengths are places": (a_list(TEXT), a_list(), "sequence of constants"),
    "dicts are joined by key": (a_dict(k=ONE, l=X), a_dict(k=TWO, l=X), "{'k': int given up, 'l': x}"),
}  # fmt: skip

# The variable `a` on two paths that stay apart.
APART = {
    "texts that differ": (TEXT, known("other")),
    "two objects": (THING, OTHER),
    "None and a number": (NONE, ONE),
    "None and a tensor": (NONE, X),
    "an int and a float": (ONE, HALF),
    "an int and a flag": (ONE, known(True)),
    "a number of the run and a float": (N, HALF),
    "a number and a tensor": (N, X),
    "a number beyond 64 bits": (known(2**70), ONE),
    "tensors of two dtypes": (X, WHOLE),
    "tensors of two ranks": (X, tensor("flat", 2, 2)),
    "tuples of two lengths that hold two kinds": (a_tuple(X, N), a_tuple(X, N, X)),
    "tuples with texts that differ": (known((1, "t")), known((1, "u"))),
    "a list and a tuple": (a_list(X), a_tuple(X)),
    "a list that holds two kinds, and a longer one": (a_list(X, N), a_list(X, N, X)),
    "dicts with other keys": (a_dict(k=X), a_dict(l=X)),
    "dicts with the same keys in another order": (a_dict(k=X, l=X), a_dict(l=X, k=X)),
}


@pytest.mark.parametrize(("left", "right", "joined"), MEETINGS.values(), ids=MEETINGS)
def test_states_meet(states, left, right, joined):
    assert states.meet(reads_one, [{"a": left}, {"a": right}]) == ["a = " + joined]


@pytest.mark.parametrize(("left", "right"), APART.values(), ids=APART)
def test_states_stay_apart(states, left, right):
    assert len(states.meet(reads_one, [{"a": left}, {"a": right}])) == 2


# Two variables on each of several paths, and what is left where they meet.
SHARED, ALONE = a_list(X, identity="shared"), a_list(X, identity="alone")
GROUPS = {
    "three paths become one": ([(ONE, X), (TWO, X), (N, Y)], ["a = int given up, b = f32[2]"]),
    "each path finds its group": (
        [(TEXT, ONE), (NONE, ONE), (TEXT, TWO)],
        ["a = 'text', b = int given up", "a = None, b = 1"],
    ),
    "one obstacle keeps the rest apart, too": ([(NONE, ONE), (X, TWO)], ["a = None, b = 1", "a = x, b = 2"]),
    "two names of one list stay so": ([(SHARED, SHARED)] * 2, ["a = [x], b = the same as a"]),
    "two lists are not one list": ([(SHARED, SHARED), (SHARED, ALONE)], None),
    "one tensor and two are two": ([(X, X), (X, Y)], ["a = x, b = f32[2]"]),
}


@pytest.mark.parametrize(("paths", "left"), GROUPS.values(), ids=GROUPS)
def test_groups_of_states_meet(states, paths, left):
    met = states.meet(reads_two, [{"a": a, "b": b} for a, b in paths])
    assert met == left if left is not None else len(met) == len(paths)


def test_what_nobody_reads_keeps_no_states_apart(states):
    assert states.meet(reads_first, [{"a": ONE, "b": TEXT}, {"a": ONE, "b": NONE}]) == ["a = 1"]


def test_a_variable_that_is_needed_keeps_its_states_apart(states):
    states.keep_apart(reads_two, "a")
    assert len(states.meet(reads_two, [{"a": ONE, "b": ONE}, {"a": TWO, "b": ONE}])) == 2
    assert len(states.meet(reads_two, [{"a": ONE, "b": ONE}, {"a": ONE, "b": TWO}])) == 1


def test_too_many_states_at_one_place_are_refused(states):
    apart = [{"a": known(f"text {number}")} for number in range(65)]
    assert len(states.meet(reads_one, apart[:64])) == 64
    with pytest.raises(RuntimeError, match=r"python\.states_limit: more than 64 paths meet here .*, in a"):
        states.meet(reads_one, apart)


# Whether a loop that came back with the right value of `a` in the place of the left one goes on forever.
STATICS = {
    "the same number": (ONE, ONE, True),
    "a number that counts": (ONE, TWO, False),
    "tensors that differ": (X, Y, True),
    "tensors of other sizes": (X, WIDE, False),
    "numbers of the run that differ": (N, M, True),
    "a list that grows": (a_list(X), a_list(X, X), False),
    "a list with another tensor": (a_list(X), a_list(Y), True),
}


@pytest.mark.parametrize(("earlier", "later", "same"), STATICS.values(), ids=STATICS)
def test_what_is_static_is_compared(states, earlier, later, same):
    assert states.same_statics(reads_one, {"a": earlier}, {"a": later}) == same


# The lines of these are counted from their def.
def callee(x):
    y = x + 1
    return y * 2


def loops(rows, flag):
    total = 0
    for row in rows:
        for item in row:
            total = callee(item)
        total = total + 1
    if flag:  # noqa: SIM108
        total = total + 2
    else:
        total = total - 3
    return total + 4


def at(line, *trips):
    return (loops, line, list(trips))


def inside(line):
    return (callee, line, [])


# Calls, innermost last: what stands on the left is explored before what stands on the right.
ORDER = {
    "lines follow each other": ([at(1)], [at(10)]),
    "what is before a loop comes first": ([at(1)], [at(4, 0, 0)]),
    "a trip comes before the next": ([at(4, 0, 0)], [at(4, 0, 1)]),
    "a loop comes before what follows it": ([at(4, 0, 99)], [at(5, 0)]),
    "a trip of the outer loop before the next": ([at(5, 0)], [at(4, 1, 0)]),
    "all trips of a trip before the next": ([at(4, 0, 99)], [at(4, 1, 0)]),
    "all trips before what follows the outer loop": ([at(5, 99)], [at(6)]),
    "one way of a branch before what follows both": ([at(7)], [at(10)]),
    "the other way of a branch before what follows both": ([at(9)], [at(10)]),
    "a call before its callee": ([at(4, 0, 0)], [at(4, 0, 0), inside(1)]),
    "a callee in its order": ([at(4, 0, 0), inside(1)], [at(4, 0, 0), inside(2)]),
    "a callee before what follows its call": ([at(4, 0, 99), inside(2)], [at(5, 0)]),
    "a callee before the next trip": ([at(4, 0, 0), inside(2)], [at(4, 0, 1)]),
    "callees in the order of trips": ([at(4, 0, 1), inside(2)], [at(4, 0, 2), inside(1)]),
    "callees in the order of outer trips": ([at(4, 0, 9), inside(2)], [at(4, 1, 0), inside(1)]),
}


@pytest.mark.parametrize(("earlier", "later"), ORDER.values(), ids=ORDER)
def test_positions_are_in_the_order_of_exploration(states, earlier, later):
    assert states.position(earlier) < states.position(later)


def test_equal_places_have_equal_positions(states):
    assert states.position([at(4, 2, 3), inside(1)]) == states.position([at(4, 2, 3), inside(1)])
