# SPDX-License-Identifier: Apache-2.0
"""Random programs equal eager on every input, or are refused. `-m long` tries many more."""

import dycl
import pytest
import torch
from dycl_tools.compare import differences
from python.torch.random_programs import write

INPUTS = [
    torch.tensor(values)
    for values in (
        [1.0, 2.0, 3.0],
        [-1.0, -2.0, 0.5],
        [0.0, 0.0, 0.0],
        [3.0, -2.5, 0.25],
        [-0.5, 0.75, 1.5],
        [10.0, -4.0, 2.0],
    )
]


def outcome(function, x):
    try:
        with torch.no_grad():
            return function(x.clone()), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def check_seed(seed, folder):
    program = write(seed, folder).program
    try:
        compiled = dycl.compile(program, (INPUTS[0].clone(),), threads=1)
    except dycl.UnsupportedError as refusal:
        line = refusal.line
        assert line > 0
        return
    for x in INPUTS:
        (wanted, wanted_error), (given, given_error) = outcome(program, x), outcome(compiled, x)
        assert given_error == wanted_error, f"seed {seed}, input {x.tolist()}"
        found = list(differences(given, wanted, 1e-5))
        assert not found, f"seed {seed}, input {x.tolist()}: {found}"


@pytest.mark.parametrize("seed", range(30))
def test_random_program(seed, tmp_path):
    check_seed(seed, tmp_path)


@pytest.mark.long
def test_many_random_programs(tmp_path):
    for seed in range(100, 1100):
        check_seed(seed, tmp_path)
