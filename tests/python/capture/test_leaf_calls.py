# SPDX-License-Identifier: Apache-2.0
"""Every leaf call of the table, run in ONNX Runtime, equals eager; what cannot be is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from dycl.frontend.capture import Capture, LeafRefused
from python.capture import leaf_table, traps
from python.capture.leaf_runner import BackendLacks, check_leaf

# Refused, and why: the tables must not shrink silently.
REFUSED_CALLS = {
    "copysign": "sign of NaN",
    "embedding_bag": "Loop",
}
REFUSED_TRAPS = {
    "bpow",
    "emax",
    "u8neg",
    "u8300",
    "ipowneg",
    "ipowt",
    "rpow",
    "erfinv",
    "ohauto",
    "w4",
    "w12",
    "w23",
    "gs5",
    "mxi",
    "copysign",
    "signbit",
    "rangen",
    "normn",
    "i8ifill",  # this and the next: eager always raises
    "f32fill",
    "i8scatter",
    "i8scatteradd",
    "i8put",
    "maxpool",  # over NaN: a check says so
}


@pytest.fixture(scope="module")
def capture():
    with Capture() as made:
        yield made


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


CALLS = [
    pytest.param(*call, id=f"{group}-{number}-{_name(call[0])}")
    for group, calls in leaf_table.ALL.items()
    for number, call in enumerate(calls)
]


@pytest.mark.long
@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
def test_a_leaf_call_equals_eager(capture, function, args, kwargs):
    reason = REFUSED_CALLS.get(_name(function))
    if reason is None:
        check_leaf(capture, function, *args, **kwargs)
        return
    with pytest.raises(LeafRefused) as refusal:
        check_leaf(capture, function, *args, **kwargs)
    assert reason in refusal.value.reason


QUICK = set(list(traps.CASES)[::4])  # the rest runs in the long suite


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in traps.CASES]
)
def test_a_trap_equals_eager(capture, name):
    function, *args = traps.CASES[name]
    kwargs = args.pop() if isinstance(args[-1], dict) else {}
    if name in REFUSED_TRAPS:
        with pytest.raises((LeafRefused, BackendLacks)):
            check_leaf(capture, function, *args, **kwargs)
    else:
        check_leaf(capture, function, *args, **kwargs)


def test_ties_of_topk_may_come_in_another_order_but_name_the_same_values(capture):
    x = torch.tensor([1.0, 1, 1, 0, 0, 1])
    with pytest.raises(AssertionError):  # eager leaves the order open
        check_leaf(capture, torch.topk, x, 4)
    check_leaf(capture, lambda t: t.gather(0, torch.topk(t, 4)[1]), x)


def test_what_onnx_cannot_tell_apart_is_refused_at_run_time(capture):
    rows = torch.tensor([[1.0, float("nan")], [1.0, 2.0]])
    for function in (lambda x: torch.unique(x.double()), lambda x: torch.unique(x, dim=0)):
        with pytest.raises(AssertionError, match="DyCL cannot compute this unique of NaN"):
            check_leaf(capture, function, rows)
        check_leaf(capture, function, rows.nan_to_num())
