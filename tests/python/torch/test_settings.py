# SPDX-License-Identifier: Apache-2.0
"""Settings of the process that a model asks for: listed, and asked again at every call."""

import os

import dycl
import pytest
import torch

NAME = "DYCL_TEST_SETTING"
X = torch.ones(2)


def scaled(x):
    return x * 2 if os.environ.get(NAME) == "double" else x


def in_default_dtype(x):
    return x.to(torch.get_default_dtype())


@pytest.fixture
def loaded(tmp_path):
    def through_a_file(program):
        program.save(tmp_path / "program.dycl")
        return dycl.load(tmp_path / "program.dycl")

    return through_a_file


@pytest.mark.parametrize("way", ["compiled", "loaded"])
def test_a_call_where_a_variable_has_changed_is_refused(way, loaded, monkeypatch):
    monkeypatch.setenv(NAME, "double")
    program = dycl.compile(scaled, X)
    program = loaded(program) if way == "loaded" else program
    assert torch.equal(program(X), scaled(X))
    for change in (lambda: monkeypatch.setenv(NAME, "plain"), lambda: monkeypatch.delenv(NAME)):
        change()
        with pytest.raises(
            dycl.UsageError, match=rf"where os\.environ\.get\(.{NAME}.\) is 'double'; it is"
        ) as raised:
            program(X)
        assert raised.value.code == "call.setting"
    monkeypatch.setenv(NAME, "double")
    assert torch.equal(program(X), 2 * X)


def test_a_call_under_another_default_dtype_is_refused():
    program = dycl.compile(in_default_dtype, X)
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(dycl.UsageError, match=r"torch\.float64 now"):
            program(X)
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(program(X), X)


def test_explain_lists_the_question_and_its_answer(monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    facts = dycl.explain(scaled, X).facts
    assert [(fact.question, fact.answer) for fact in facts] == [(f'os.environ.get("{NAME}")', "None")]
