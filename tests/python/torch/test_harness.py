# SPDX-License-Identifier: Apache-2.0
"""The judge itself: it must see every kind of difference, and say when it cannot know."""

from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch
from dycl.verification.compare import differences
from dycl.verification.eager import decisions_differ
from python.torch.case import Call, v
from python.torch.harness import run_eager

Row = namedtuple("Row", "a b")


@dataclass
class Box:
    a: object
    b: object = None


@dataclass
class OtherBox:
    a: object
    b: object = None


DIFFERENT = {
    "int and float": (1, 1.0),
    "bool and int": (True, 1),
    "number and tensor": (1.0, torch.tensor(1.0)),
    "list and tuple": ([1], (1,)),
    "tuple and named tuple": ((1, 2), Row(1, 2)),
    "classes": (Box(1), OtherBox(1)),
    "fields": (Box(1, 2), Box(1, 3)),
    "order of keys": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "lengths": ([1, 2], [1]),
    "strings": ("a", "b"),
    "none": (None, 0),
    "dtypes": (v(1.0), v(1)),
    "shapes": (v(1.0), v(1.0, 2.0)),
    "values": (v(1.0, 2.0), v(1.0, 2.001)),
    "ints": (v(1, 2), v(1, 3)),
    "nan": (v(1.0), v(float("nan"))),
    "infinities": (v(float("inf")), v(-float("inf"))),
    "nested": ({"a": [Box((1, v(1.0)))]}, {"a": [Box((1, v(2.0)))]}),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_differences_are_seen(name):
    a, b = DIFFERENT[name]
    assert list(differences(a, b, 1e-5))
    assert not list(differences(a, a, 1e-5))


def test_small_errors_are_allowed_relative_to_the_largest_value():
    assert not list(differences(v(1000.0, 1.0), v(1000.001, 1.005), 1e-5))
    assert list(differences(v(1.0), v(1.00005), 1e-5))
    assert not list(differences(v(float("nan"), 1.0), v(float("nan"), 1.0), 1e-5))


def reads(x):
    if x.sum() > 0:  # noqa: SIM108 - one line per read
        n = int(x[0])
    else:
        n = x[1].item()
    return n, x.tolist(), any(t > 0 for t in x)


def test_reads_are_recorded_with_their_lines():
    run = run_eager(reads, Call((v(1.0, -3.0),)), 1e-5)
    first = reads.__code__.co_firstlineno
    found = [(decision.line - first, decision.kind, decision.value) for decision in run.decisions]
    assert found == [(1, "bool", False), (4, "item", -3.0), (5, "tolist", [1.0, -3.0]), (5, "bool", True)]
    assert all(decision.file == __file__ for decision in run.decisions)


def close(x):
    return 1 if x.softmax(0).sum() > 1 - 1e-7 else 2


def exact(x):
    return 1 if x.sum() >= 0 else 2


def test_a_decision_next_to_its_threshold_is_undecided():
    run = run_eager(close, Call((v(0.3, 0.4),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [True]
    run = run_eager(close, Call((v(0.3, 0.4) * float("nan"),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [False]


def test_exact_arithmetic_is_decided_at_the_threshold():
    run = run_eager(exact, Call((v(1.0, -1.0),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [False]
    run = run_eager(exact, Call((v(0.3, -0.3),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [True]


def by_number(x):
    total = x.softmax(0).sum().item()
    return x * 2 if total > 1 - 1e-7 else x * 3


def by_numbers(x):
    first, second = x.softmax(0).tolist()
    if first > 0.2:
        x = x + 1
    if abs(first - second) < 1e-7:
        x = x * 2
    return x


def test_a_number_that_python_compares_next_to_its_threshold_is_undecided():
    run = run_eager(by_number, Call((v(0.3, 0.4),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [True]
    assert run.result.tolist() == (v(0.3, 0.4) * 2).tolist()
    run = run_eager(by_numbers, Call((v(0.3, 0.4),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [False]
    run = run_eager(by_number, Call((v(0.3, 0.4) * float("nan"),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [False]


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.runs = 0

    def forward(self, x):
        self.runs += 1
        return x if self.layer(x).sum().item() > 100 else -x


def test_looking_for_thresholds_leaves_the_model_as_one_run_does():
    model = Counting()
    run = run_eager(model, Call((v(0.3, 0.4),)), 1e-5)
    assert [decision.undecided for decision in run.decisions] == [False]
    assert model.runs == 1


def static_and_unused(x):
    if torch.ones(1) > 0:
        x = x + 1
    bool(x[0] > 0)
    if x[1] > 0:
        return x
    return -x


def test_decisions_are_compared_in_order():
    eager = run_eager(static_and_unused, Call((v(1.0, 3.0),)), 1e-5).decisions
    first = static_and_unused.__code__.co_firstlineno
    fine = [(__file__, first + 4, "bool", True)]
    assert decisions_differ(fine, eager, 1e-5) is None
    assert decisions_differ([(__file__, first + 3, "bool", True), *fine], eager, 1e-5) is None
    assert "eager went on to decide" in decisions_differ([], eager, 1e-5)
    assert "but eager had" in decisions_differ([(__file__, first + 4, "bool", False)], eager, 1e-5)
    assert "but eager had" in decisions_differ([(__file__, first + 5, "bool", True)], eager, 1e-5)
    assert "is not a decision of eager" in decisions_differ([*fine, *fine], eager, 1e-5)


def two_numbers(x):
    a, b = x[0].item(), int(x[1])
    if x[0] > 0:
        return a + b + x[2].item()
    return a


def test_numbers_between_branches_may_be_read_in_any_order():
    eager = run_eager(two_numbers, Call((v(1.0, 3.0, 5.0),)), 1e-5).decisions
    first = two_numbers.__code__.co_firstlineno
    item, whole = (__file__, first + 1, "item", 1.0), (__file__, first + 1, "int", 3)
    branch, last = (__file__, first + 2, "bool", True), (__file__, first + 3, "item", 5.0)
    assert decisions_differ([item, whole, branch, last], eager, 1e-5) is None
    assert decisions_differ([whole, item, branch, last], eager, 1e-5) is None
    assert "is not a decision of eager" in decisions_differ([whole, branch, item, last], eager, 1e-5)
    assert "but eager had" in decisions_differ([item, item, whole, branch, last], eager, 1e-5)


def truth_as_a_number(x):
    a, b = int(bool(x[0] > 0)), int(x[1])
    if x[0] > 2:
        return a + b
    return a


def test_a_truth_that_is_a_number_may_be_read_later_too():
    eager = run_eager(truth_as_a_number, Call((v(1.0, 3.0),)), 1e-5).decisions
    first = truth_as_a_number.__code__.co_firstlineno
    truth, whole = (__file__, first + 1, "bool", True), (__file__, first + 1, "int", 3)
    branch = (__file__, first + 2, "bool", False)
    assert decisions_differ([truth, whole, branch], eager, 1e-5) is None
    assert decisions_differ([whole, truth, branch], eager, 1e-5) is None
    assert "is not a decision of eager" in decisions_differ([whole, branch, truth], eager, 1e-5)
    assert "eager went on to decide" in decisions_differ([whole, truth], eager, 1e-5)


def test_lists_are_compared_element_by_element():
    eager = run_eager(reads, Call((v(1.0, -3.0),)), 1e-5).decisions
    first = reads.__code__.co_firstlineno
    ours = [
        (__file__, first + 1, "bool", False),
        (__file__, first + 4, "item", -3.0),
        (__file__, first + 5, "tolist", 1.0),
        (__file__, first + 5, "tolist", -3.0),
        (__file__, first + 5, "bool", True),
    ]
    assert decisions_differ(ours, eager, 1e-5) is None
    ours[2] = (__file__, first + 5, "tolist", 2.0)
    assert decisions_differ(ours, eager, 1e-5) is not None


def raises(x):
    raise ValueError("as it is")


def test_exceptions_are_kept():
    run = run_eager(raises, Call((v(1.0),)), 1e-5)
    assert isinstance(run.error, ValueError)
    assert str(run.error) == "as it is"


def ends_at_the_threshold(x):
    y = x / 3 * 3
    while y.max().item() > 2.5:
        y = y * 1.0 if y.max().item() > 2.50001 else y - 1
    return y


def test_a_run_that_does_not_end_with_moved_numbers_is_undecided():
    run = run_eager(ends_at_the_threshold, Call((v(2.500005, 1.0),)), 1e-5)
    assert any(decision.undecided for decision in run.decisions)
