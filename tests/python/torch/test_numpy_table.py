# SPDX-License-Identifier: Apache-2.0
"""Every expression of numpy_table by every dtype: what numpy gives, or refused."""

import contextlib
import io
import warnings

import dycl
import pytest
import torch
from dycl.verification.compare import differences
from python.torch.numpy_table import EXPRESSIONS, INPUTS

EQUAL_AT_LEAST = {"float32": 170, "float64": 150, "int64": 160, "int32": 150, "uint8": 90, "bool": 120}


def outcome(function, x):
    try:
        return function(x.clone())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def is_equal(expression, dtype):
    inputs = [torch.tensor(values, dtype=dtype) for values in INPUTS[dtype]]

    def model(x):
        return expression(x.numpy())

    try:
        program = dycl.compile(model, inputs[0])
    except dycl.Error:
        return False
    for x in inputs:
        problems = differences(outcome(program, x), outcome(model, x), 1e-5)
        assert not problems, (x.tolist(), problems)
    return True


@pytest.mark.long
@pytest.mark.parametrize("dtype", INPUTS, ids=lambda dtype: str(dtype).removeprefix("torch."))
def test_numpy_is_the_judge(dtype):
    equal, wrong = 0, []
    for name, expression in EXPRESSIONS.items():
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                equal += is_equal(expression, dtype)
        except AssertionError as error:
            wrong.append((name, str(error)))
    assert not wrong, wrong
    assert equal >= EQUAL_AT_LEAST[str(dtype).removeprefix("torch.")]
