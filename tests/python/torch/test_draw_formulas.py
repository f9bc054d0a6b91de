# SPDX-License-Identifier: Apache-2.0
"""The formulas of random numbers (randomness="inputs") against torch: errors, layouts, distributions."""

import math

import pytest
import torch
from dycl.verification.replay import Replay
from torch.nn import functional

NAN, INFINITY = float("nan"), float("inf")
TURNED = torch.ones(2, 3).t()


class DrawsAnew(Replay):
    """Runs the formulas, on base draws of torch's generator."""

    def __init__(self):
        super().__init__([], {})

    def _take(self, kind, shape, dtype):
        made = torch.empty(shape, dtype=dtype)
        fill = {"uniform": made.uniform_, "normal": made.normal_, "exponential": made.exponential_}
        with torch._C.DisableTorchFunction():
            return fill[kind]()


def empty(*sizes, dtype=torch.float32):
    return torch.empty(*sizes, dtype=dtype)


RAISE = [
    lambda: empty(3).uniform_(2, 1),
    lambda: empty(3).uniform_(1.23456789, 0.1),
    lambda: empty(3).uniform_(-1e39, 0),
    lambda: empty(3).uniform_(0, 1e39),
    lambda: empty(3).uniform_(-3e38, 3e38),
    lambda: empty(3).uniform_(NAN, 1),
    lambda: empty(3, dtype=torch.float16).uniform_(0, 1e5),
    lambda: empty(3, dtype=torch.bfloat16).uniform_(-1e39, 1),
    lambda: empty(3, dtype=torch.float64).uniform_(0, INFINITY),
    lambda: empty(3).normal_(0, -1),
    lambda: empty(3).normal_(0, NAN),
    lambda: empty(3).exponential_(0),
    lambda: empty(3).exponential_(-1.5),
    lambda: torch.normal(torch.zeros(3), -1.0),
    lambda: torch.normal(torch.zeros(2), torch.tensor([1.0, -1.0])),
    lambda: torch.normal(torch.zeros(2), torch.tensor([1.0, NAN])),
    lambda: torch.normal(torch.zeros(2), torch.zeros(3)),
    lambda: torch.normal(0.0, -1.0, (2,)),
    lambda: torch.randint(0, (2,)),
    lambda: torch.randint(3, 2, (2,)),
    lambda: empty(3).random_(3, 3),
    lambda: empty(3).random_(-2),
    lambda: torch.rand(-1),
    lambda: torch.randperm(-1),
    lambda: torch.bernoulli(torch.tensor([1.5])),
    lambda: torch.bernoulli(torch.tensor([NAN])),
    lambda: torch.bernoulli(torch.ones(2), p=2.0),
    lambda: empty(3).bernoulli_(1.5),
    lambda: empty(3).bernoulli_(NAN),
    lambda: empty(2).bernoulli_(torch.tensor([2.0, 1.0])),
    lambda: empty(3).bernoulli_(torch.tensor([0.5, 0.5])),
    lambda: functional.dropout(torch.ones(3), 1.5),
    lambda: torch.dropout(torch.ones(3), 1.5, True),
    lambda: torch.dropout(torch.ones(3), NAN, True),
    lambda: torch.feature_dropout(torch.ones(3), 0.5, True),
    lambda: functional.dropout(torch.ones(3, dtype=torch.int64), 0.5),
    lambda: torch.multinomial(torch.ones(2, 2, 2), 1),
    lambda: torch.multinomial(torch.ones(2), 0),
    lambda: torch.multinomial(torch.ones(2), 3),
    lambda: torch.multinomial(torch.ones(0), 1),
    lambda: torch.multinomial(torch.tensor([-1.0, 1.0]), 1),
    lambda: torch.multinomial(torch.tensor([NAN, 1.0]), 2),
    lambda: torch.multinomial(torch.tensor([INFINITY, 1.0]), 1),
    lambda: torch.multinomial(torch.tensor([0.0, 0.0]), 1),
    lambda: torch.multinomial(torch.tensor([[0.0, 1.0], [0.0, 0.0]]), 2),
    lambda: torch.multinomial(torch.tensor([INFINITY, 1.0]), 3, True),
    lambda: torch.multinomial(torch.tensor([-1.0, 1.0]), 3, True),
    lambda: torch.multinomial(torch.tensor([0.0, 0.0]), 3, True),
    lambda: torch.multinomial(torch.tensor([[1.0, INFINITY], [-1.0, 1.0]]), 3, True),
]


def raised_by(call):
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("number", range(len(RAISE)))
def test_a_formula_raises_what_torch_raises(number):
    wanted = raised_by(RAISE[number])
    assert wanted is not None
    with DrawsAnew():
        assert raised_by(RAISE[number]) == wanted


COUNT = 20_000
WEIGHTS = torch.tensor([0.0, 1.0, 2.0, 5.0])
DISTRIBUTIONS = {
    "rand": lambda: torch.rand(COUNT),
    "rand of float64": lambda: torch.rand(COUNT, dtype=torch.float64),
    "rand of float16": lambda: torch.rand((COUNT,), dtype=torch.float16),
    "randn": lambda: torch.randn(COUNT, 1),
    "uniform_": lambda: empty(COUNT).uniform_(-2, 5),
    "normal_": lambda: empty(COUNT).normal_(1, 3),
    "exponential_": lambda: empty(COUNT).exponential_(2.5),
    "normal": lambda: torch.normal(torch.full((COUNT,), 2.0), 0.5),
    "randint": lambda: torch.randint(-3, 9, (COUNT,)),
    "randint of int8": lambda: torch.randint(0, 128, (COUNT,), dtype=torch.int8),
    "randint of bool": lambda: torch.randint(2, (COUNT,), dtype=torch.bool),
    "randint of float": lambda: torch.randint(4, (COUNT,), dtype=torch.float32),
    "randint_like": lambda: torch.randint_like(torch.ones(COUNT), 2, 7),
    "random_ of uint8": lambda: empty(COUNT, dtype=torch.uint8).random_(),
    "random_ of float": lambda: empty(COUNT).random_(),
    "bernoulli": lambda: torch.bernoulli(torch.full((COUNT,), 0.3)),
    "bernoulli_": lambda: empty(COUNT, dtype=torch.int64).bernoulli_(0.7),
    "dropout": lambda: functional.dropout(torch.ones(COUNT), 0.2),
    "dropout1d": lambda: functional.dropout1d(torch.ones(COUNT // 2, 2, 3), 0.4)[..., 0],
    "alpha_dropout": lambda: functional.alpha_dropout(torch.ones(COUNT), 0.2, training=True),
    "gumbel_softmax": lambda: functional.gumbel_softmax(WEIGHTS.expand(COUNT, 4), hard=True).argmax(-1),
    "multinomial": lambda: torch.multinomial(WEIGHTS.expand(COUNT, 4), 1),
    "multinomial of two": lambda: torch.multinomial(WEIGHTS.expand(COUNT, 4), 2)[:, 1],
    "multinomial with replacement": lambda: torch.multinomial(WEIGHTS, COUNT, replacement=True),
    "multinomial of float64": lambda: torch.multinomial(WEIGHTS.double().expand(COUNT, 4), 3, True)[:, 2],
    "randperm": lambda: torch.stack([torch.randperm(5) for _ in range(COUNT // 20)])[:, 1],
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_formula_draws_from_the_distribution_of_torch(name):
    torch.manual_seed(0)
    wanted = DISTRIBUTIONS[name]()
    with DrawsAnew():
        given = DISTRIBUTIONS[name]()
    assert (given.dtype, given.shape, given.stride()) == (wanted.dtype, wanted.shape, wanted.stride())
    ours, theirs = given.double().flatten().sort()[0], wanted.double().flatten().sort()[0]
    assert distance(ours, theirs) < 2.2 * math.sqrt(2 / len(ours))  # Kolmogorov and Smirnov, p < 0.0002


def distance(one, other):
    """The largest difference of two empirical distribution functions."""
    places = torch.cat([one, other])
    shares = [torch.searchsorted(sample, places, right=True) / len(sample) for sample in (one, other)]
    return float((shares[0] - shares[1]).abs().max())


LAYOUTS = {
    "rand_like": lambda: torch.rand_like(TURNED),
    "randn_like": lambda: torch.randn_like(TURNED, dtype=torch.float64),
    "randn_like in order": lambda: torch.randn_like(TURNED, memory_format=torch.contiguous_format),
    "randint_like": lambda: torch.randint_like(TURNED, 4),
    "bernoulli": lambda: torch.bernoulli(TURNED),
    "bernoulli of a number": lambda: torch.bernoulli(TURNED, p=0.5),
    "dropout": lambda: functional.dropout(TURNED, 0.5),
    "normal": lambda: torch.normal(TURNED, torch.ones(3, 1)),
    "normal of a number": lambda: torch.normal(1.0, TURNED),
    "multinomial": lambda: torch.multinomial(torch.ones(3, 2).t(), 2),
    "multinomial of one": lambda: torch.multinomial(torch.ones(3, 2).t(), 1),
    "multinomial of a row": lambda: torch.multinomial(torch.ones(3), 2),
    "multinomial with replacement": lambda: torch.multinomial(torch.ones(3, 2).t(), 5, True),
    "randperm": lambda: torch.randperm(4, dtype=torch.int32),
    "nothing": lambda: torch.rand(0, 3),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_formula_gives_the_layout_of_torch(name):
    wanted = LAYOUTS[name]()
    with DrawsAnew():
        given = LAYOUTS[name]()
    assert (given.dtype, given.shape, given.stride()) == (wanted.dtype, wanted.shape, wanted.stride())
