# SPDX-License-Identifier: Apache-2.0
"""randomness="inputs": what cannot be drawn from inputs is refused, by line and with a way out."""

import re
from pathlib import Path

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn
from torch.nn import functional

X = v(0.5, -1.0, 2.0)
FILE = Path(__file__).name


def sized_by_a_value(x):
    return torch.rand(int(x[0]))


def sized_by_a_mask(x):
    return torch.rand_like(x[x > 0])


def of_a_generator(x):
    return torch.rand(3, generator=GENERATOR)


GENERATOR = torch.Generator()


def into_out(x):
    return torch.rand(3, out=torch.empty(3))


def with_gradients(x):
    return torch.rand(3, requires_grad=True)


def complex_numbers(x):
    return torch.randn(3, dtype=torch.complex64)


def without_a_formula(x):
    return torch.poisson(x.abs())


def seeded(x):
    torch.manual_seed(0)
    return torch.rand(3)


def large_range(x):
    return torch.randint(2**60, (3,))


def by_a_tensor(x):
    return torch.empty(3).normal_(0.0, x.abs().sum())


def writes_weights(x):
    return x + WEIGHTS.normal_()


WEIGHTS = torch.ones(3)


def attends(x):
    x = x.expand(1, 2, 3)
    return functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)


REFUSED = {
    sized_by_a_value: ("draws_size", "how many random numbers", "pass the random tensor"),
    sized_by_a_mask: ("draws_size", "how many random numbers", "pass the random tensor"),
    of_a_generator: ("builtin_limit", "torch.Generator", "leave it out"),
    into_out: ("builtin_limit", "out=", "assign"),
    with_gradients: ("builtin_limit", "gradients", "leave requires_grad out"),
    complex_numbers: ("builtin_limit", "no real floats", "draw floats"),
    without_a_formula: ("randomness", "poisson draws random numbers", "pass the random tensor"),
    seeded: ("impure_call", "manual_seed", "outside"),
    large_range: ("builtin_limit", r"2\*\*53", "smaller range"),
    by_a_tensor: ("builtin_limit", "tensor says", r"t\.item\(\)"),
    writes_weights: ("write_to_model", "writes to", "state=True"),
    attends: ("leaf_refused", "randomness", "pass the random tensor"),
}


@pytest.mark.parametrize("model", REFUSED, ids=lambda model: model.__name__)
def test_what_has_no_formula_is_refused_by_line(model):
    code, says, hint = REFUSED[model]
    with pytest.raises(dycl.UnsupportedError, match=says) as caught:
        dycl.compile(model, X.clone(), randomness="inputs")
    error = caught.value
    first = model.__code__.co_firstlineno
    assert error.code == f"python.{code}"
    assert error.file == __file__
    assert first < error.line <= first + 2
    assert re.search(hint, error.hint), error.hint


def one_line_of_two_shapes(x):
    return [torch.rand(size) for size in (3, x.shape[0])]


def half_of_a_size(x):
    return torch.rand(x.shape[0] // 2)


@pytest.mark.parametrize("model", [one_line_of_two_shapes, half_of_a_size])
def test_sizes_that_could_be_mistaken_are_refused(model):
    sizes = {"x": {0: torch.export.Dim("batch", min=2, max=8)}}
    with pytest.raises(dycl.UnsupportedError) as caught:
        dycl.compile(model, torch.zeros(4), randomness="inputs", dynamic_shapes=sizes)
    assert caught.value.code == "python.draws_size"
    assert caught.value.line == model.__code__.co_firstlineno + 1


def draws(x):
    return x + torch.rand(3)


LINE = f"{FILE}:{draws.__code__.co_firstlineno + 1}"


def drops_out(x):
    return functional.dropout(x, 0.5)


@pytest.mark.parametrize("model", [draws, drops_out, nn.Dropout()])
def test_without_the_option_the_way_out_names_it(model):
    with pytest.raises(dycl.UnsupportedError) as caught:
        dycl.compile(model, X)
    assert 'randomness="inputs"' in caught.value.hint


def test_wrong_options_are_named():
    for options, code in [
        ({"randomness": "input"}, "argument.randomness"),
        ({"draws": {"a.py:1": 2}}, "argument.draws"),
        ({"randomness": "inputs", "draws": {f"{FILE}:1": 2}}, "argument.draws"),
        ({"randomness": "inputs", "draws": {LINE: 0}}, "argument.draws"),
    ]:
        with pytest.raises(dycl.UsageError) as caught:
            dycl.compile(draws, X, **options)
        assert caught.value.code == code
