# SPDX-License-Identifier: Apache-2.0
"""Loops that never end: a run stops at the step limit and names the loop."""

import inspect

import dycl
import pytest
import torch


def forever(x):
    while x.sum() > 0:
        x = x * 1
    return x


def test_an_endless_loop_is_stopped_and_named():
    program = dycl.compile(forever, (torch.ones(2),), step_limit=10_000, threads=1)
    assert torch.equal(program(-torch.ones(2)), -torch.ones(2))
    with pytest.raises(dycl.UsageError) as stopped:
        program(torch.ones(2))
    lines, first = inspect.getsourcelines(forever)
    assert stopped.value.code == "run.step_limit"
    assert "10000 steps" in stopped.value.message
    assert first < stopped.value.line < first + len(lines)
