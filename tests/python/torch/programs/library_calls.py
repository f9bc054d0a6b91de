# SPDX-License-Identifier: Apache-2.0
"""Calls of torch that published models make: numbers given as tensors, assertions, sizes put together."""

import torch
from python.torch.case import case, m, s, v

# ---- tensors where torch takes numbers


@case(*[(s(n), v(1.0, 2.0)) for n in (3, 0, 1, 7)], unreachable=1)  # n + 1 sizes are below 0 only where n are
def sizes_given_as_tensors(n, x):
    return torch.zeros(n), torch.ones(n + 1, 2), torch.arange(n), torch.full((n, 2), 0.5), x.new_zeros(n)


@case(*[(s(n), m([1.0, 2.0, 3.0, 4.0])) for n in (2, 1, 4, 3, 0, -1)], may_raise=True, every_path=False)
def shapes_given_as_tensors(n, x):
    return x.view(n, -1), x.reshape(-1, n), x.expand(n, 4), x.repeat(n, 1)


@case(*[(s(n), v(1.0, 2.0, 3.0)) for n in (2.0, 0.5, -1.0)])
def numbers_given_as_tensors(n, x):
    return torch.add(x, x, alpha=n), torch.clamp(x, max=n), x.masked_fill(x > 2, n), torch.full_like(x, n)


@case(*[(s(n), v(1.0, 2.0, 3.0)) for n in (2, 0, 1)])
def rows_given_as_tensors(n, x):
    return x.narrow(0, n, 1), x.select(0, n)


@case(*[(s(n), v(1.0, 2.0, 3.0)) for n in (2, -5)], may_raise=True)
def a_size_below_zero(n, x):
    return torch.zeros(n) if x.sum() > 0 else x


# ---- assertions


@case(v(1.0, 2.0), v(-1.0, 0.0), v(0.0, -1.0), may_raise=True)
def assertions_of_torch(x):
    torch._assert(x.sum() > 0, f"{x.shape[0]} numbers below 0")
    torch._assert(x.shape[0] == 2, "two")
    return x * 2


# ---- settings


@case(v(1.0, 2.0))
def deterministic_algorithms_are_asked_for(x):
    if torch.are_deterministic_algorithms_enabled():
        return x
    return x + 1
