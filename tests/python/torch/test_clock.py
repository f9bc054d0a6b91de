# SPDX-License-Identifier: Apache-2.0
"""clock="stopped": time limits do not end a model; whatever else it does with the time is refused."""

import time

import dycl
import pytest
import torch
from python.torch.case import v
from python.torch.harness import check

XS = [v(1.0, 2.0), v(-1.0, 2.0), v(-3.0, -2.0)]


def limited_since_the_start(x):
    start, limit = time.time(), 500.5 + 0.05 * len(x)
    for _ in range(5):
        x = x * 2
        if x.sum() > 10:
            break
        if (time.time() - start) > limit:
            break
    return x


def limited_by_a_deadline(x):
    deadline = time.monotonic() + 1000
    while x.sum() > 0:
        x = x - 1
        if time.monotonic() >= deadline:
            raise TimeoutError("late")
    return x


def time_is_added_up(x):
    spent, start = [0.0], time.perf_counter()
    spent[0] += time.perf_counter() - start
    share = 1000 * (time.perf_counter() - start) / 3
    in_time = spent[0] < 900 and share < 5e9 and max(share, 7e9) == 7e9
    return x if in_time and isinstance(start, float) else -x


@pytest.mark.parametrize("function", [limited_since_the_start, limited_by_a_deadline])
def test_time_limits_end_nothing(function):
    check(function, XS, clock="stopped", may_lack=True)  # a test in the last trip decides nothing
    with pytest.raises(dycl.UnsupportedError, match="depends on more than its arguments") as caught:
        dycl.compile(function, XS[0])
    assert 'clock="stopped"' in caught.value.hint


def test_time_is_computed_with():
    check(time_is_added_up, XS, clock="stopped")


REFUSED = {
    "returned": (lambda x: (x, time.time()), "the returned value"),
    "a number": (lambda x: x * (time.time() % 2), "__mod__ of float"),
    "compared to nothing": (lambda x: x if time.time() - time.time() > 0 else -x, "any time has passed"),
    "another clock": (lambda x: x if time.time() - time.monotonic() < 9 else -x, "two clocks meet"),
    "the time of day": (lambda x: x if time.time() > 5.0 else -x, "the time of day is compared"),
    "a tensor": (lambda x: x * (time.time() - time.time()), "is passed to mul"),
    "an integer": (lambda x: x if int(time.time()) % 2 else -x, "__int__ of float"),
    "a truth": (lambda x: x if time.time() else -x, "__bool__ of float"),
    "equal": (lambda x: x if time.time() == 5.0 else -x, "__eq__ of float"),
    "a text": (lambda x: (x, str(time.time())), "__repr__ of float"),
    "a tensor of it": (lambda x: torch.tensor(time.time()), "is passed to tensor"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_else_is_done_with_the_time_is_refused(name):
    function, says = REFUSED[name]
    with pytest.raises(dycl.UnsupportedError, match=says):
        dycl.compile(function, XS[0], clock="stopped")


def test_other_clocks_are_refused():
    with pytest.raises(dycl.UsageError, match="clock cannot be 'slow'") as caught:
        dycl.compile(limited_by_a_deadline, XS[0], clock="slow")
    assert caught.value.code == "argument.clock"


def test_explain_takes_the_clock():
    explanation = dycl.explain(limited_by_a_deadline, XS[0], clock="stopped")
    assert explanation.ok
    assert [fact.question for fact in explanation.facts] == ["time.monotonic()"] * 2
    assert {fact.answer for fact in explanation.facts} == {"'stands still'"}
    assert not dycl.explain(limited_by_a_deadline, XS[0]).ok
