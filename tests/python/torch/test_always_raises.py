# SPDX-License-Identifier: Apache-2.0
"""A model that raises whatever its input holds is refused, with the exception and its line."""

import subprocess
import sys

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn


class Typo(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.layer(x)  # raises here
        if y.sum() > 0:
            return y
        return -y


def both_ways(x):
    if x.sum() > 0:
        raise ValueError("positive")
    raise KeyError("negative")


def never_ends_well(x):
    while x.sum() > 0:
        x = x - 1
    if x.sum() <= 100:
        raise ArithmeticError(f"{x.shape[0]} rows in {{}} of {int(x[0])}")
    raise RuntimeError("always")


def ends_well_sometimes(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return x


def own_finally(x):
    try:
        return torch.zeros(2, 3) @ x
    finally:
        x = x + 1


def line_of(text):
    with open(__file__) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def refusal_of(model, *args):
    with pytest.raises(dycl.UnsupportedError) as caught:
        dycl.compile(model, args)
    assert caught.value.code == "python.always_raises"
    assert "example" in caught.value.hint
    return caught.value


def test_a_wrong_size_is_refused_with_eagers_words_and_the_line():
    model, x = Typo().eval(), torch.ones(2, 17)
    refusal = refusal_of(model, x)
    with pytest.raises(RuntimeError) as eager:
        model(x)
    assert refusal.message.endswith(f"RuntimeError: {eager.value}")
    assert (refusal.file, refusal.line) == (__file__, line_of("self.layer(x)  # raises here"))


def test_a_layer_alone_is_refused_alike():
    layer, x = nn.Linear(16, 4).eval(), torch.ones(2, 17)
    with pytest.raises(RuntimeError) as eager:
        layer(x)
    assert refusal_of(layer, x).message.endswith(f"RuntimeError: {eager.value}")


def test_the_first_of_several_is_quoted():
    assert refusal_of(both_ways, v(1.0)).message.endswith(": ValueError: positive")


def test_checks_and_loops_change_nothing():
    refusal = refusal_of(never_ends_well, v(1.0, 2.0))
    assert refusal.message.endswith("ArithmeticError: 2 rows in {} of {}")


def test_the_line_is_that_of_the_first_raise():
    refusal = refusal_of(own_finally, v(1.0, 2.0))
    assert refusal.line == line_of("torch.zeros(2, 3) @ x")


def test_one_path_that_returns_is_enough():
    program = dycl.compile(ends_well_sometimes, v(-1.0))
    assert torch.equal(program(v(-1.0)), v(-1.0))
    with pytest.raises(ValueError, match="positive"):
        program(v(1.0))


def test_explain_tells_it():
    explanation = dycl.explain(both_ways, v(1.0))
    assert explanation.error is not None
    assert explanation.error.code == "python.always_raises"
    assert [site.kind for site in explanation.sites] == ["branch", "raise", "raise", "refused"]


def test_the_command_refuses_it_and_writes_nothing(tmp_path):
    (tmp_path / "m.py").write_text("from torch import nn\n\n\ndef make():\n    return nn.Linear(16, 4)\n")
    done = subprocess.run(
        [sys.executable, "-m", "dycl", "compile", "m.py:make", "--input", "input=2x17xf32", "-o", "m.dycl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0
    assert "python.always_raises" in done.stderr
    assert not (tmp_path / "m.dycl").exists()
