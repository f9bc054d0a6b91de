# SPDX-License-Identifier: Apache-2.0
"""docs/limits.md: what it says a program does not see, does not compute and refuses."""

from pathlib import Path

import dycl
import pytest
import torch

X = torch.tensor([1.0, 2.0])
SCALE = 2.0


def scaled(x, mode="double"):
    return x * SCALE if mode == "double" and x.sum() > 0 else x


def test_a_program_does_not_see_what_changes_later(monkeypatch):
    layer = torch.nn.Linear(2, 2).eval()
    before = layer(X)
    programs = dycl.compile(layer, X), dycl.compile(scaled, X)
    with torch.no_grad():
        layer.weight.zero_()
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    with torch.no_grad():
        torch.testing.assert_close(programs[0](X), before)
    assert programs[1](X).tolist() == [2.0, 4.0]


def test_settings_and_arguments_that_differ_are_named():
    program = dycl.compile(scaled, (X, "double"))
    with pytest.raises(dycl.UsageError, match=r"mode='double'; called with 'half' \[call.frozen\]"):
        program(X, "half")
    with pytest.raises(dycl.UsageError, match=r"'x' has size 3 in dim 0"):
        program(torch.ones(3), "double")
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(dycl.UsageError, match=r"\[call.setting\]"):
            program(X, "double")
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    "refused",
    [
        lambda x: torch.view_as_real(torch.complex(x, x)) + 1,
        lambda x: x.to_sparse().coalesce().values(),
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8).dequantize(),
        lambda x: Path("numbers.txt").read_text() and x,
        lambda x: {x.sum().item(): 1},
        lambda x: str(int(x[0])) + "!",
    ],
)
def test_what_a_program_does_not_compute_is_refused(refused):
    with pytest.raises(dycl.UnsupportedError, match=r"test_limits_page\.py:\d+"):
        dycl.compile(refused, X)


def test_integers_have_64_bits():
    program = dycl.compile(lambda n: n.item() * 2**40, torch.tensor(1))
    assert program(torch.tensor(5)) == 5 * 2**40
    with pytest.raises(OverflowError):
        program(torch.tensor(2**30))


def test_a_program_gives_no_gradients_and_says_so():
    program = dycl.compile(lambda x: x * 2, X)
    with pytest.warns(dycl.GradientWarning):
        assert not program(X.clone().requires_grad_()).requires_grad
