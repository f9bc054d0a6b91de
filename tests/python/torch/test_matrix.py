# SPDX-License-Identifier: Apache-2.0
"""Every construct directly inside every other, five deep, on all 32 paths of signs."""

import itertools
import random

import pytest
from python.torch import matrix
from python.torch.case import Call
from python.torch.harness import check, run_eager

CHAINS = matrix.chains()
QUICK = sorted(random.Random(4).sample(range(len(CHAINS)), 24))


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    return matrix.write_module(tmp_path_factory.mktemp("matrix"), CHAINS)


def numbers(which):
    return [pytest.param(number, id="-".join(CHAINS[number])) for number in which]


def test_every_construct_is_inside_every_other():
    pairs = {pair for chain in CHAINS for pair in itertools.pairwise(chain)}
    assert pairs == set(itertools.product(matrix.TEMPLATES, repeat=2))
    assert all(len(chain) == matrix.DEPTH for chain in CHAINS)


def test_the_programs_run_in_eager_and_decide(module):
    for number, chain in enumerate(CHAINS):
        program = getattr(module, f"program_{number}")
        runs = [run_eager(program, Call((x,)), 1e-5) for x in matrix.inputs()[:: 31 if number % 8 else 5]]
        assert all(run.error is None for run in runs), (chain, [run.error for run in runs])
        assert all(run.decisions for run in runs), chain


def equals_eager(module, number):
    inputs = [(x,) for x in matrix.inputs()]
    check(getattr(module, f"program_{number}"), inputs, every_path=False)


@pytest.mark.suite("torch-matrix")
@pytest.mark.parametrize("number", numbers(QUICK))
def test_nested_constructs_equal_eager(module, number):
    equals_eager(module, number)


@pytest.mark.long
@pytest.mark.suite("torch-matrix")
@pytest.mark.parametrize("number", numbers(sorted(set(range(len(CHAINS))) - set(QUICK))))
def test_all_nested_constructs_equal_eager(module, number):
    equals_eager(module, number)
