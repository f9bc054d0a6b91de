# SPDX-License-Identifier: Apache-2.0
"""What a compiled Python model says of its results, and what the package shows of itself."""

from pathlib import Path

import dycl
import pytest
import torch


def same(x):
    if x.sum() > 0:
        return {"logits": x * 2, "steps": 3}
    return {"logits": x, "steps": 4}


def different(x):
    if x.sum() > 0:
        return x * 2, x.sum()
    return x


def test_returns_that_agree_are_the_outputs():
    program = dycl.compile(same, (torch.ones(1, 3),), threads=1)
    assert [(port.name, port.type) for port in program.outputs] == [("logits", "f32[1,3]")]
    line = same.__code__.co_firstlineno + 2
    assert program.returns[0].place.startswith(f"{Path(__file__)}:{line}:")
    assert repr(program) == "<dycl.Program (x: f32[1,3]) -> (logits: f32[1,3])>"


def test_returns_that_differ_are_all_shown():
    program = dycl.compile(different, (torch.ones(3),), threads=1)
    assert [len(site.outputs) for site in program.returns] == [2, 1]
    assert program.outputs == ()
    assert repr(program) == "<dycl.Program (x: f32[3]) -> (0: f32[3], 1: f32[]) or (result: f32[3])>"


def test_outputs_cannot_be_asked_for_by_name():
    program = dycl.compile(different, (torch.ones(3),), threads=1)
    with pytest.raises(dycl.UsageError, match="lists no outputs") as refused:
        program.run(["nope"], {"x": torch.ones(3)})
    assert refused.value.code == "run.no_such_output"


def test_the_package_lists_what_people_call_and_no_more():
    assert dir(dycl) == sorted(dycl.__all__)
    assert {"compile", "explain", "verify", "load", "Call", "Return"} <= set(dir(dycl))
    assert all(hasattr(dycl, name) for name in dir(dycl))
