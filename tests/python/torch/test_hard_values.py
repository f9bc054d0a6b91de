# SPDX-License-Identifier: Apache-2.0
"""Values on which a backend's own optimisations or kernels are wrong: equal to eager, or an error."""

import math

import dycl
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

MAGIC = 12582912.0  # 1.5 * 2**23: adding it rounds to integers
BACKENDS = ("onnxruntime", "openvino")
ONES = torch.ones(4, 4)
NUMBERS = torch.tensor([[0.3, 1.7, -2.4, 2.5]])
HARD = torch.tensor([[math.nan, math.inf, -math.inf, -0.0]])

# Each relies on rounding, overflow or NaN between two operators.
CHAINS = {
    "added and subtracted": lambda x: (x + MAGIC) - MAGIC,
    "subtracted and added": lambda x: (x - MAGIC) + MAGIC,
    "after a product": lambda x: (F.linear(x, ONES) + MAGIC) - MAGIC,
    "after a bias": lambda x: F.linear(x, ONES, torch.full((4,), MAGIC)) - MAGIC,
    "before a normalization": lambda x: F.batch_norm(
        x + MAGIC, torch.full((4,), MAGIC), torch.ones(4), eps=1e-12
    ),
    "after a reshape": lambda x: (x + MAGIC).view(2, 2).t() - MAGIC,
    "negated between": lambda x: -(x + MAGIC) + MAGIC,
    "multiplied and divided": lambda x: x * 1e30 * 1e10 / 1e30 / 1e10,
    "multiplied before a product": lambda x: F.linear(x * 1e30 * 1e10, ONES * 1e-30),
    "clamped": lambda x: x.clamp(0, 2),
    "clamped in two steps": lambda x: torch.maximum(torch.minimum(x, torch.tensor(2.0)), torch.tensor(0.0)),
    "clamped after a product": lambda x: F.linear(x, torch.eye(4)).clamp(0, 2),
    "softplus by hand": lambda x: torch.log(1 + torch.exp(x * 50)),
    "gelu by hand": lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
    "rounded quotient": lambda x: torch.floor((x * 0 + 41) / 41),
    "leaking": lambda x: torch.maximum(x, x * 0),
    "bounded by tensors": lambda x: torch.minimum(torch.maximum(x, x * 0), x + 1),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CHAINS)
def test_operators_in_a_row_are_not_merged(name, backend):
    program = dycl.compile(CHAINS[name], (NUMBERS,), backend=backend, threads=1)
    for x in (NUMBERS, HARD):
        torch.testing.assert_close(program(x), CHAINS[name](x), rtol=1e-6, atol=1e-6, equal_nan=True)


POOLS = {
    "max_pool1d": (lambda x: F.max_pool1d(x, 2), (1, 1, 4)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 1, 2, 2)),
    "max_pool2d with padding": (lambda x: F.max_pool2d(x, 3, 2, 1), (1, 1, 2, 2)),
    "max_pool2d of relu": (lambda x: F.max_pool2d(F.relu(x), 2), (1, 1, 2, 2)),
    "max_pool3d": (lambda x: F.max_pool3d(x, (1, 2, 2)), (1, 1, 1, 2, 2)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, 1), (1, 1, 2, 2)),
    "with indices": (lambda x: F.max_pool1d(x, 2, return_indices=True), (1, 1, 4)),
}
LOWEST = torch.finfo(torch.float32).min
WINDOWS = [
    [1.0, 2.0, 3.0, 4.0],
    [-math.inf] * 4,
    [-math.inf, 1.0, LOWEST, LOWEST],
    [math.inf, 1.0, 2.0, 3.0],
    [1.0, math.nan, math.nan, 2.0],
    [math.nan, 1.0, 2.0, math.nan],
]


def may_fail(name, backend, x):
    """Does the backend give up: where the place of such a maximum is asked for, and onnxruntime on NaN?"""
    if name == "with indices":
        return bool(x.isnan().any() or x.min() <= LOWEST)
    return bool(x.isnan().any()) and backend == "onnxruntime" and name != "adaptive_max_pool2d"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", POOLS)
def test_a_maximum_over_a_window_is_that_of_eager_or_an_error(name, backend):
    pool, shape = POOLS[name]
    program = dycl.compile(pool, (torch.zeros(shape),), backend=backend, threads=1)
    for window in WINDOWS:
        x = torch.tensor(window).view(shape)
        if may_fail(name, backend, x):
            with pytest.raises(dycl.BackendError, match=r"maximum over (NaN|-inf alone)"):
                program(x)
        else:
            torch.testing.assert_close(program(x), pool(x), rtol=0, atol=0, equal_nan=True)


BIG = 2**53 + 1
SUMS = [
    (lambda i: i.sum(), [BIG, 2]),
    (lambda i: i.sum(0), [[BIG, 1], [2, 1]]),
    (lambda i: i.sum(1), [[BIG, 2], [1, 1]]),
    (lambda i: i.sum(), [BIG, -BIG, 1]),
    (lambda i: i.sum(), [-(2**63), 1]),
    (lambda i: i.sum(), [2**62, 2**62, 2**62]),
    (lambda i: i.prod(), [94906267, 94906267]),
    (lambda i: i.prod(0), [[94906267, 1], [94906267, 1]]),
    (lambda i: i.sum(dtype=torch.int32), [2**31 - 1, 1]),
]


@pytest.mark.parametrize(("reduce", "values"), SUMS)
def test_integer_sums_and_products_that_onnxruntime_rounds_are_errors(reduce, values):
    x = torch.tensor(values)
    program = dycl.compile(reduce, (x.sign(),), backend="onnxruntime", threads=1)
    assert torch.equal(program(x.sign()), reduce(x.sign()))
    with pytest.raises(dycl.BackendError, match="is not exact on this backend"):
        program(x)


def test_integer_sums_below_the_limit_are_exact():
    x = torch.tensor([2**52, 2**50, -(2**50), 3])
    program = dycl.compile(lambda i: (i.sum(), i[2:].prod()), (x,), backend="onnxruntime", threads=1)
    total, product = program(x)
    assert total == 2**52 + 3
    assert product == -3 * 2**50


def entropy(x):
    p = torch.sigmoid(x)
    return -(p * torch.log(p))


def beside_silu(x):
    p = torch.sigmoid(x)
    return torch.log(p), x * p + 1


# Each lays bare what is left of a number near zero.
SMALL = {
    "log of sigmoid": lambda x: torch.log(torch.sigmoid(x)),
    "entropy": entropy,
    "shares": lambda x: torch.sigmoid(x) / torch.sigmoid(x).sum(-1, keepdim=True),
    "cross entropy": lambda x: F.binary_cross_entropy(torch.sigmoid(x), torch.ones_like(x), reduction="none"),
    "log of sigmoid of f16": lambda x: torch.log(torch.sigmoid(x.half()).float()),
    "log of sigmoid of bf16": lambda x: torch.log(torch.sigmoid(x.bfloat16()).float()),
    "sigmoid beside silu": beside_silu,
    "log of softplus": lambda x: torch.log(F.softplus(x)),
    "log of expm1": lambda x: torch.log(torch.expm1(-x * 1e-7)),
    "log of expm1 of f64": lambda x: torch.log(torch.expm1(-x.double() * 1e-7)),
    "log of erfc": lambda x: torch.log(torch.special.erfc(-x / 5)),
}
NEGATIVE = torch.tensor(
    [[-1e-3, -0.7, -3.0, -9.0], [-12.0, -15.0, -17.5, -19.0], [-20.0, -26.0, -40.0, -44.0]]
)


REFUSED_DTYPES = {"onnxruntime": (), "openvino": ("f16", "bf16", "f64"), "tvm": ("bf16",)}


@pytest.mark.parametrize("backend", REFUSED_DTYPES)
@pytest.mark.parametrize("name", SMALL)
def test_small_numbers_are_not_lost(name, backend):
    if name.split()[-1] in REFUSED_DTYPES[backend]:
        with pytest.raises(dycl.Error, match=f"{backend} cannot run this"):
            dycl.compile(SMALL[name], (NEGATIVE,), backend=backend, threads=1)
        return
    program = dycl.compile(SMALL[name], (NEGATIVE,), backend=backend, threads=1)
    torch.testing.assert_close(program(NEGATIVE), SMALL[name](NEGATIVE), rtol=1e-4, atol=1e-6)
