# SPDX-License-Identifier: Apache-2.0
"""Eager is the model without gradients: what it asks of them is answered so, listed, and checked."""

import copy
import json
import subprocess
import sys
import warnings

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn

X = v(1.0, -2.0)


def eager(model, *args):
    with torch.no_grad():
        return model(*copy.deepcopy(args))


def asks_for_gradients(x):
    if torch.is_grad_enabled():  # never here
        return x * 2
    return x + 1 if torch.is_inference_mode_enabled() else x - 1


def asks_the_input(x):
    y = x * 2
    return y if x.requires_grad else -y, y.requires_grad


class AsksItsWeight(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.weight if self.weight.requires_grad else x


def test_the_reference_is_the_model_without_gradients():
    program = dycl.compile(asks_for_gradients, X)
    assert torch.equal(program(X), eager(asks_for_gradients, X))
    assert torch.equal(dycl.compile(AsksItsWeight(), X)(X), X)


def test_explain_lists_what_was_asked():
    explanation = dycl.explain(asks_for_gradients, X)
    asked = [(fact.question, fact.answer, fact.source) for fact in explanation.facts]
    assert asked == [
        ("torch.is_grad_enabled()", "False", "if torch.is_grad_enabled():  # never here"),
        (
            "torch.is_inference_mode_enabled()",
            "False",
            "return x + 1 if torch.is_inference_mode_enabled() else x - 1",
        ),
    ]
    (row,) = [line for line in str(explanation).splitlines() if "never here" in line]
    assert row.split()[1:3] == ["torch.is_grad_enabled()", "False"]
    document = json.loads(json.dumps(explanation.to_dict()))
    assert document["facts"][0]["question"] == "torch.is_grad_enabled()"
    assert document["facts"][0]["line"] == explanation.facts[0].line


def test_a_model_that_asks_nothing_lists_nothing():
    explanation = dycl.explain(lambda x: x + 1, X)
    assert explanation.facts == []
    assert "what is asked" not in str(explanation)


def test_packages_tell_what_was_asked(tmp_path):
    dycl.compile(asks_for_gradients, X).save(tmp_path / "net.dycl")
    command = [sys.executable, "-m", "dycl", "inspect", str(tmp_path / "net.dycl")]
    text = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "torch.is_grad_enabled() is False, asked at " in text
    data = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, timeout=300, check=True
    ).stdout
    assert json.loads(data)["facts"][0]["answer"] == "False"


@pytest.mark.parametrize("wanted", [False, True])
def test_requires_grad_of_an_input_is_checked_at_each_call(wanted, tmp_path):
    example = X.clone().requires_grad_(wanted)
    program = dycl.compile(asks_the_input, (example,))
    program.save(tmp_path / "net.dycl")
    for net in (program, dycl.load(tmp_path / "net.dycl")):
        with torch.no_grad():
            given, expected = net(example), asks_the_input(example)
        assert torch.equal(given[0], expected[0])
        assert given[1:] == expected[1:]
        with pytest.raises(
            dycl.UsageError, match=f"'x' with requires_grad {wanted}; called with {not wanted}"
        ):
            net(X.clone().requires_grad_(not wanted))


def cuts(program, x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program(x)
    return [warning for warning in caught if issubclass(warning.category, dycl.GradientWarning)]


def test_cut_gradients_are_warned_of_once():
    program = dycl.compile(nn.Linear(2, 2).eval(), X)
    trained = X.clone().requires_grad_()
    assert cuts(program, X) == []
    with torch.no_grad():
        assert cuts(program, trained) == []
    (warning,) = cuts(program, trained)
    assert "torch.no_grad()" in str(warning.message)
    assert "call the model itself" in str(warning.message)
    assert warning.filename == __file__
    assert cuts(program, trained) == []
    assert len(cuts(dycl.compile(nn.Linear(2, 2).eval(), X), trained)) == 1
