# SPDX-License-Identifier: Apache-2.0
"""Numbers of the input that are stored in tensors whose dtype may not hold them."""

import torch
from python.torch.case import case, v

BYTES = [v(1, 2), v(2, 300), v(-1, 0), v(0, -200)]
HALVES = [v(1.0, 2.0), v(70000.0, 3.0), v(-1.0, -90000.0)]


@case(*BYTES, may_raise=True)
def at_one_place(x):
    table = torch.zeros(2, 2, dtype=torch.int8)
    table[0, 1] = x[1].item()
    return table


@case(*BYTES, may_raise=True)
def in_a_slice(x):
    table = torch.zeros(2, 2, dtype=torch.uint8)
    table[:1] = x[1].item()
    return table


@case(*BYTES, may_raise=True)
def everywhere(x):
    table = torch.zeros(2, 2, dtype=torch.int16)
    table[:] = x[1].item() * 1000
    return table


@case(*BYTES, may_raise=True)
def where_a_mask_is(x):
    table = torch.zeros(2, dtype=torch.int32)
    table[x > 5] = x[1].item() * 3_000_000_000
    return table


@case(*HALVES)
def one_element_of_16_bits_takes_any_number(x):
    table = torch.zeros(2, 2, dtype=torch.float16)
    table[0, 1] = x[0].item()
    table[1, :1] = x[1].item()
    return table, torch.full((1,), x[0].item(), dtype=torch.float16)


@case(*HALVES, may_raise=True)
def a_row_of_16_bits_does_not(x):
    table = torch.zeros(2, 2, dtype=torch.float16)
    table[0] = x[0].item()
    return table


@case(*HALVES, may_raise=True)
def nor_a_tensor_that_is_filled(x):
    return torch.full((2,), x[1].item(), dtype=torch.float16)


@case(v(2, 3), v(200, 3), v(-300, 2), v(70000, 1))
def ints_are_divided_as_floats(x):
    n = x[0].item()
    return torch.ones(2, dtype=torch.int8) / n, n / torch.ones(2, dtype=torch.uint8), torch.div(x, n)


@case(v(2.0, 3.0), v(70000.0, 3.0), v(2.7, 2.0))
def halves_are_divided_by_the_whole_number(x):
    n = x[0].item()
    halves = torch.ones(2, dtype=torch.float16)
    halves /= n
    return halves, torch.ones(2, dtype=torch.bfloat16) / n


@case(v(2.0, 3.0), v(70000.0, 3.0), may_raise=True)
def a_power_beyond_16_bits(x):
    return torch.ones(2, dtype=torch.float16) ** x[0].item()


@case(*(v(n, 3.0, dtype=torch.float64) for n in (2.0, 1e39, 1e300)))
def a_power_beyond_32_bits_is_infinite(x):
    return (torch.ones(2) * 2) ** x[0].item()
