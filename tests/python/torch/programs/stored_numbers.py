# SPDX-License-Identifier: Apache-2.0
"""Numbers of the input that are stored in tensors whose dtype may not hold them."""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from python.torch.case import case, s, v

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


# ---- what is written to an operand is what the form without underscore gives

EXTREMES = [v(1.0, 2.0), v(math.inf, -math.inf), v(-1.0, math.nan)]


@case(*EXTREMES)
def infinities_pass_a_single_bound_in_place(x):
    low, high = x.clone().clamp_(0), x.clone().clamp_(max=1)
    out = x.clone()
    torch.clamp(x, min=0, out=out)
    return low, high, out, x.clone().clip_(0), torch.clip_(x.clone(), max=1), x.double().clamp_(min=0)


@case(*((v(1.0, 2.0), s(n)) for n in (3, 70000, -70000)), may_raise=True)
def a_bound_in_place_that_16_bits_do_not_hold(x, q):
    return x.half().clamp_(max=int(q))


@case(*((v(1, 2), s(n)) for n in (3, 300, -3)), may_raise=True)
def a_number_written_to_out(x, q):
    small = x.to(torch.uint8)
    torch.full((2,), int(q), out=small)
    return small


@case(*((v(1.0, 2.0), s(n)) for n in (3, -3, 70000)))
def numbers_in_place(x, q):
    n, y = int(q), x.clone()
    torch.add(y, n, out=y)
    y.addcmul_(x, x, value=n).lerp_(x, n)
    y = torch.mul(y, other=n, out=y)
    return y, F.leaky_relu_(-x, n), F.elu_(-x, n), F.threshold_(x.clone(), n, 2), x.clone().xlogy_(n)


@case(*((v(1.0, 2.0), s(n)) for n in (3, -3, 70000)))
def a_subtraction_the_other_way_round_scales_its_first_operand(x, q):
    return torch.rsub(x, 2 * x, alpha=int(q)), torch.sub(x, other=2 * x, alpha=float(q))


@case(*((v(0.5, -3.0), s(n)) for n in (3.0, 3.0004, 70000.0)))
def tensors_of_16_bits_are_multiplied_by_the_whole_number(x, q):
    n, halves = float(q), x.half()
    return halves * n, n * halves, halves.clone().mul_(n), halves // n, torch.lerp(halves, halves * 2, n)


@case(v(-10000.0, 60000.0), v(1.0, -3.0))
def known_numbers_of_a_sum_are_rounded_to_16_bits(x):
    halves = x.half()
    return halves + 70000, 70000 - halves, halves % 70000, halves > 70000, halves * 70000


@case(*((v(1.0), s(n)) for n in (3.0, 70000.0)))
def one_element_of_16_bits_is_filled_with_any_number(x, q):
    return x.half().fill_(float(q))


# ---- bounds


@case(*((v(1.0, 2.0), s(n)) for n in (3, -3, 0)), may_raise=True)
def the_bounds_of_hardtanh_are_compared(x, q):
    return F.hardtanh(x, -1, int(q))


@case(*((v(1.0, 2.0), s(n)) for n in (-3.0, 3.0, 0.5)), may_raise=True)
def the_lower_one_too(x, q):
    return F.hardtanh(x, q.item(), 2)


@case(*((v(1.0, 2.0), s(n)) for n in (3, -3, 0)))
def those_of_its_form_in_place_are_not(x, q):
    return F.hardtanh_(x.clone(), -1, int(q))


@case(*((v(1.0, 2.0), s(n)) for n in (3, 70000)), may_raise=True)
def a_bound_of_hardtanh_that_16_bits_do_not_hold(x, q):
    return F.hardtanh(x.half(), -1, int(q))


@case(*((v(1.0, 2.0, 3.0), s(n)) for n in (1, -4, -3, 3, 4)))
def where_a_narrowed_tensor_begins(x, q):
    try:
        return x.narrow(0, int(q), 1)
    except IndexError:
        return x + 1
    except RuntimeError:
        return x - 1


@case(*(s(n) for n in (3, 126, -200, 70000, 2**31, -(2**31) - 1)))
def a_range_in_a_dtype_that_does_not_hold_its_bounds(q):
    n = int(q)
    small = torch.arange(n, n + 3, dtype=torch.int8), torch.arange(n, n + 5, 2, dtype=torch.uint8)
    return small, torch.arange(n, n + 3, dtype=torch.int32), torch.arange(n, n + 3, dtype=torch.float16)
