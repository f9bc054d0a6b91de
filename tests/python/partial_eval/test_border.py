# SPDX-License-Identifier: Apache-2.0
"""The border between the machine and Python: what is not of the protocol is told there, with the question."""

import pickle

import dycl
import pytest
import torch
from dycl import _core
from dycl.frontend.capture.border import Border


def model(x):
    return torch.relu(x) + 1


@pytest.mark.parametrize("answer", [7, None, torch.zeros(2)])
def test_an_answer_of_another_class_is_an_internal_error_that_names_the_question(monkeypatch, answer):
    monkeypatch.setattr(Border, "call", lambda *_: answer)
    with pytest.raises(dycl.InternalError, match=r"Border\.call answered with a '\w+'"):
        dycl.compile(model, (torch.zeros(2),), cache=False)


def test_a_member_of_another_class_is_refused_where_it_is_made():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.Check("first", "IndexError", "out of range")
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.LeafCall(None, [], None, [], [], [])


def test_what_is_remembered_between_processes_is_pickled_by_its_members():
    fragment = _core.Fragment("relu", ["f32[2]"], ["f32[2]"], b"\x00\xff", "{}", "key")
    check = _core.Check(1, "IndexError", "out of range")
    requirement = _core.Requirement("==", 3, 4, "RuntimeError", "{} is not {}", [3, 4])
    read = pickle.loads(pickle.dumps([fragment, check, requirement], protocol=5))
    for made, again in zip([fragment, check, requirement], read, strict=True):
        assert type(made) is type(again)
        assert made.__reduce__() == again.__reduce__()
