# SPDX-License-Identifier: Apache-2.0
"""Numbers read from tensors: Python's arithmetic, weak scalars, rounding, NaN."""

import math

import torch
from python.torch.case import case, m, s, v

NAN, INF = float("nan"), float("inf")


@case(v(3.0), v(-2.0), v(0.0))
def item_int_float_bool(x):
    return x.item(), int(x), float(x), bool(x), x


@case(v(3), v(-2), v(0))
def int_of_an_int_tensor(x):
    return int(x), float(x), bool(x), x.item()


@case(v(2.75), v(-2.75))
def int_truncates(x):
    return int(x), int(x.item()), x.int(), math.floor(x.item()), math.ceil(x.item()), math.trunc(x.item())


@case(m((1.0, 2.0), (3.0, 4.0)))
def tolist(x):
    return x.tolist(), x[0].tolist(), x[0, 1].tolist()


@case(v(1, 2), v(-5, 7))
def tolist_of_ints_decides(x):
    a, b = x.tolist()
    return x + a if a > 0 else x * b


@case(v(7, 2), v(-7, 2), v(7, -2), v(-7, -2))
def floor_division_and_modulo_of_ints(x):
    a, b = x.tolist()
    return a // b, a % b, divmod(a, b), a / b, x


@case(v(7.5, 2.0), v(-7.5, 2.0), v(7.5, -2.0), v(-7.5, -2.0), v(6.0, -2.0), unreachable=1)
def floor_division_and_modulo_of_floats(x):
    a, b = x.tolist()
    return a // b, a % b, divmod(a, b), a / b


@case(v(0.5), v(1.5), v(2.5), v(-0.5), v(-1.5), v(2.25))
def bankers_rounding(x):
    n = x.item()
    return round(n), round(n, 1), round(n, 0), x.round()


@case(v(15), v(25), v(-15))
def rounding_of_ints(x):
    return round(int(x)), round(int(x), -1), x


@case(v(3, 4), v(-3, 2))
def int_arithmetic(x):
    a, b = x.tolist()
    return a + b, a - b, a * b, a**2, -a, +b, abs(a), a & b, a | b, a ^ b, ~a, a << 2, b >> 1


@case(v(1.5, 2.0), v(-1.5, 3.0))
def float_arithmetic(x):
    a, b = x.tolist()
    return a + b, a - b, a * b, a / b, -a, abs(a), b**0.5, a**2, x


@case(v(5.0), v(1.0), v(-1.0), unreachable=1)
def comparisons_of_numbers(x):
    n = x.item()
    if n > 3:
        y = x * 2
    elif 0 <= n <= 3:
        y = x * 3
    else:
        y = x * 5
    return y, n == 5, n != 5, n < 2


@case(v(1.0), v(NAN), v(INF), v(-INF))
def nan_comparisons(x):
    n = x.item()
    return n == n, n < 1, n > 1, n <= 1, n != n, math.isnan(n), math.isinf(n), math.isfinite(n), x


@case(v(1.0), v(NAN), v(-1.0))
def nan_takes_the_else(x):
    if x > 0:
        return x, "positive"
    elif x <= 0:
        return x, "not"
    return x, "neither"


@case(v(NAN), v(1.0), v(0.0))
def truth_of_nan(x):
    return x * 0 + 1 if x else x


@case(v(NAN), v(INF), v(2.0), may_raise=True)
def int_of_nan_raises(x):
    return int(x.item()), x


@case(v(2.0), v(-3.0))
def weak_float_times_f32(x):
    return x * x.item(), x + x.item(), x / x.item()


@case(v(2), v(-3))
def weak_float_times_int_tensor(x):
    f = x.item() * 0.5
    return x * f, x + f, (x * f).dtype == torch.float32


@case((v(2.0), v(3)), (v(-2.0), v(-3)))
def weak_int_times_tensors(x, k):
    n = int(k)
    return x * n, k * n, k + n, x.double() * n, x.half() * n


@case((v(2.0), s(3.0)), (v(-2.0), s(-3.0)))
def tensor_without_dims_against_a_number(x, t):
    return x * t, x.half() * t, x.half() * t.item(), x.long() * t, x.long() * t.item()


@case(v(True), v(False))
def bool_arithmetic(x):
    flag = bool(x)
    return flag + 1, flag * 3, -flag, not flag, flag & True, flag | False, flag ^ True, int(flag)


@case(v(4.0, 2.0), v(1.0, 3.0))
def number_into_a_tensor(x):
    n = x[0].item()
    return (
        torch.tensor(n),
        torch.full((2,), n),
        torch.tensor([n, 1.0]),
        x.clamp(max=n),
        torch.where(x > n, x, n),
    )


@case(v(2.0), v(-2.0))
def number_as_a_scale_argument(x):
    a = float(x)
    return (
        torch.add(x, x, alpha=a),
        torch.nn.functional.leaky_relu(x, abs(a)),
        x.clone().fill_(1.0) if a > 1 else x,
    )


@case(v(9.0), v(0.25))
def math_functions(x):
    n = x.item()
    return [math.sqrt(n), math.exp(-n), math.log(n), math.sin(n), math.tanh(n), math.pow(n, 2), math.fabs(n)]


@case(v(3), v(200))
def large_ints_are_exact(x):
    n = int(x) * 10**15 + 1
    return n, n * 2 - 1, x


@case(v(1.0, 2.0), v(2.0, 1.0))
def numbers_compared_with_each_other(x):
    a, b = x[0].item(), x[1].item()
    smaller = a if a < b else b
    return smaller, a == b, x


@case(v(1), v(2), v(4))
def number_times_sequence_length(x):
    items = [x, x]
    n = len(items) * int(x)
    return n, x * n


@case(v(2.5), v(-2.5))
def float_methods_and_conversions(x):
    n = x.item()
    return int(n), float(int(n)), bool(n), bool(int(n) == 2), n.is_integer() if n > 99 else None


@case(v(2.0), v(-2.5), v(-1e-30), v(1e30), v(math.inf), v(-math.inf), v(math.nan))
def whole_numbers_are_told_from_others(x):
    n = x.item()
    try:
        return n.is_integer(), x
    except ValueError:  # static
        return None, x  # static


@case(v(5.0), v(0.0), v(-9.0), v(64.0), v(65.0))
def next_power_of_two(x):
    n = int(x.item())
    return x * (1 << (abs(n) - 1).bit_length()), n.bit_length(), (n > 9).bit_length()


@case(v(3e9, -3e9, 1.5), v(-1.0, 70000.0, 2.0))
def floats_are_narrowed_in_two_steps(x):
    wide = x.to(torch.int64)
    return wide.to(torch.int32), (wide + 0).to(torch.int16), wide.to(torch.int8) if x[0] > 0 else wide


@case(v(3.0), v(-3.0))
def conditional_number_becomes_a_tensor_operand(x):
    k = 2 if x > 0 else 0.5
    return x * k


@case(v(3), v(-3))
def conditional_number_keeps_int_and_float_apart(x):
    k = 2 if x > 0 else 0.5
    return x * k


@case(v(5.0, 3.0), v(3.0, 5.0), v(-1.0, -2.0))
def argmax_as_a_number(x):
    i = x.argmax().item()
    if i == 0:
        return x[0] * 10, i
    return x[1], i


@case(m((1.0, 4.0), (2.0, 3.0)), m((5.0, 4.0), (2.0, 3.0)))
def max_with_indices(x):
    values, indices = x.max(dim=1)
    if indices[0] == 1:
        return values
    return indices


@case(s(2.0), s(-2.0))
def python_functions_of_a_tensor_without_dims(x):
    return abs(x), -x, x**2, 2**x, 1 - x, 10 / x, 7 // x, x % 2


@case(v(2.0), v(-2.0))
def sign_by_hand(x):
    n = x.item()
    sign = (n > 0) - (n < 0)
    return sign, x * sign


@case(v(0.1), v(0.7))
def f32_item_is_the_double_of_the_f32(x):
    n = x.item()
    return n, n == 0.1, n * 3, torch.tensor(n, dtype=torch.float64)


@case(v(300), v(-300))
def int8_wraps_as_in_eager(x):
    return x.to(torch.int8), x.to(torch.uint8) if x > 0 else x


@case(v(2, 3), v(-2, 3))
def shape_arithmetic_is_static(x):
    n = x.shape[0] * 2 + x.numel() - x.dim()
    return x.new_zeros(n) if x[0] > 0 else torch.arange(n)


@case(v(5.0), v(-2.0), v(0.0))
def int_to_a_dynamic_int(x):
    n = int(x)
    return 2**n


@case(m((3, 1), (2, 3), dtype=torch.uint8), m((0, 1), (0, 0), dtype=torch.uint8))
def all_and_any_of_bytes(x):
    rows = x.all(1), x.any(0), torch.any(x, 1, keepdim=True)
    return (*rows, x.any()) if x.all() else (*rows, x.all())


@case(v(-1.0, 0.0, 1.0), v(2.0, 0.0, 1.0), v(-3.0, 0.0, 1.0))
def element_at_a_known_and_at_a_computed_place(x):
    return x[int(x[0])], x[0], x[int(x[0]) :].sum()


@case(v(-1.0, 0.5, 2.0), v(1.0, -0.5, 2.0))
def a_choice_of_bools_and_numbers(x):
    positive, large = x > 0, x > 1
    chosen = torch.where(positive, large, True), torch.where(positive, False, large)
    return *chosen, torch.where(positive, large, 2), torch.where(large, True, False) if x[0] > 0 else positive


@case(v(1.0, 2.0), v(-1.0, 3.0))
def a_number_that_a_tensor_is_added_to(x):
    total = count = 0
    for row in (x, x * 2):
        total += row
        count -= row.sum()
        count *= 2
    return total, count
