# SPDX-License-Identifier: Apache-2.0
"""Branches: if, elif, else, ternaries, and/or/not, chained comparisons, walrus, early returns."""

import torch
from python.torch.case import case, m, s, v


@case(v(1.0, 2.0), v(-1.0, -2.0))
def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@case(v(1.0, 2.0), v(-1.0, -2.0))
def if_without_else(x):
    y = x
    if x.sum() > 0:
        y = y + 10
    return y * 2


@case(v(5.0), v(1.0), v(-1.0), v(-5.0))
def elif_chain(x):
    if x > 3:
        y = x * 2
    elif x > 0:
        y = x * 3
    elif x > -3:
        y = x * 5
    else:
        y = x * 7
    return y


@case(v(1.0), v(-1.0))
def early_return(x):
    if x.sum() > 0:
        return x + 1
    y = x * 4
    return y - 1


@case(v(3.0, 1.0), v(3.0, -1.0), v(-3.0, 1.0), v(-3.0, -1.0))
def nested_branches(x):
    if x[0] > 0:
        if x[1] > 0:
            y = x + 1
        else:
            y = x + 2
    elif x[1] > 0:
        y = x + 3
    else:
        y = x + 4
    return y


@case(v(3.0, 1.0), v(3.0, -1.0), v(-3.0, 1.0), v(-3.0, -1.0))
def two_independent_branches(x):
    y = x
    if x[0] > 0:
        y = y * 2
    if x[1] > 0:
        y = y + 5
    return y


@case(v(1.0), v(-1.0))
def ternary(x):
    return x * 2 if x.sum() > 0 else x / 4


@case(v(2.0), v(0.5), v(-1.0))
def nested_ternary(x):
    return x if x > 1 else (x * 10 if x > 0 else x * 100)


@case(v(1.0, 1.0), v(1.0, -1.0), v(-1.0, 1.0))
def and_short_circuit(x):
    if x[0] > 0 and x[1] > 0:
        return x + 1
    return x - 1


@case(v(1.0, -1.0), v(-1.0, 1.0), v(-1.0, -1.0))
def or_short_circuit(x):
    if x[0] > 0 or x[1] > 0:
        return x + 1
    return x - 1


@case(v(1.0), v(-1.0))
def not_of_a_tensor(x):
    if not x.sum() > 0:
        return x * 3
    return x


@case(v(1.0, 1.0, 1.0), v(1.0, -1.0, 1.0), v(1.0, -1.0, -1.0), v(-1.0, 1.0, 1.0), v(-1.0, 1.0, -1.0))
def and_or_mixed(x):
    if (x[0] > 0 and x[1] > 0) or x[2] > 0:
        return x * 2
    return x


@case(v(0.0, 5.0), v(3.0, 5.0))
def or_gives_the_value(x):
    chosen = x[0] or x[1]
    return chosen + 1


@case(v(0.0, 5.0), v(3.0, 5.0))
def and_gives_the_value(x):
    chosen = x[0] and x[1]
    return chosen + 1


@case(v(0.5), v(2.0), v(-1.0))
def chained_comparison(x):
    if 0 < x.sum() < 1:
        return x * 100
    return x


@case(v(1.0, 2.0, 3.0), v(3.0, 2.0, 5.0), v(1.0, 4.0, 3.0))
def chain_evaluates_the_middle_once(x):
    calls = []

    def middle():
        calls.append(1)
        return x[1]

    ordered = bool(x[0] < middle() < x[2])
    return x, ordered, len(calls)


@case(v(4.0), v(1.0))
def walrus_in_condition(x):
    if (total := x.sum()) > 2:
        return x / total
    return x + total


@case(v(1.0, 4.0), v(4.0, 1.0))
def comparison_of_two_tensors(x):
    if x[0] >= x[1]:
        return x.flip(0)
    return x


@case(v(1.0, 1.0), v(1.0, 2.0))
def equality_of_tensors(x):
    if x[0] == x[1]:
        return x * 0
    return x


@case(v(1.0, 1.0), v(1.0, 2.0))
def inequality_of_tensors(x):
    if x[0] != x[1]:
        return x * 2
    return x


@case(v(1.0, -1.0), v(-1.0, -1.0))
def any_of_a_tensor(x):
    if (x > 0).any():
        return x.relu()
    return x


@case(v(1.0, -1.0), v(1.0, 1.0))
def all_of_a_tensor(x):
    if (x > 0).all():
        return x.sqrt()
    return x


@case(v(3.0), v(0.0))
def truth_of_a_float_tensor(x):
    if x:
        return 1 / x
    return x


@case(v(3), v(0))
def truth_of_an_int_tensor(x):
    if x:
        return x * 2
    return x - 1


@case(v(True), v(False))
def truth_of_a_bool_tensor(x):
    if x:
        return x.float() + 1
    return x.float()


@case(v(1.0), v(-1.0))
def truth_kept_in_a_variable(x):
    positive = x.sum() > 0
    y = x * 3
    if positive:
        y = y + 1
    if positive:
        return y * 2
    return y


@case(v(1.0), v(-1.0))
def bool_kept_in_a_variable(x):
    positive = bool(x.sum() > 0)
    if positive:
        return x, positive
    return -x, positive


@case(v(2.0, 1.0), v(2.0, -1.0), v(-2.0, 1.0), v(-2.0, -1.0))
def flags_decide_later(x):
    found = False
    if x[0] > 0:
        found = True
    if x[1] > 0:
        x = x * 2
    if found:
        return x + 1
    return x - 1


@case(v(1.0), v(-1.0))
def none_until_set(x):
    extra = None
    if x.sum() > 0:
        extra = x * 2
    if extra is None:
        return x
    return x + extra


@case(v(1.0), v(-1.0))
def is_not_none(x):
    y = None if x.sum() > 0 else x
    if y is not None:
        return y + 1
    return x


@case(m((1.0, 2.0), (3.0, 4.0)), m((-1.0, -2.0), (-3.0, -4.0)))
def shapes_differ_per_path(x):
    if x.sum() > 0:
        return x[:1]
    return x.flatten()


@case(v(1.0), v(-1.0))
def dtypes_differ_per_path(x):
    if x.sum() > 0:
        y = x.long()
    else:
        y = x.double()
    return y + 1


@case(v(1.0, 2.0), v(-1.0, -2.0))
def empty_branch(x):
    if x.sum() > 0:
        pass
    else:
        x = -x
    return x


@case(v(1.0), v(-1.0))
def branch_on_a_static_value_inside(x):
    if x.sum() > 0:
        if x.dim() == 1:
            return x + 1
        return x.flatten()  # static
    return x


@case(v(1.0), v(-1.0))
def variable_made_on_both_paths(x):
    if x.sum() > 0:
        a, b = x, x * 2
    else:
        b, a = x, x * 3
    return a - b


@case(v(1.0), v(-1.0), may_raise=True)
def variable_missing_on_one_path(x):
    if x.sum() > 0:
        y = x + 1
    return y


@case(v(3.0, 2.0), v(-3.0, -2.0), v(-2.0, 3.0), v(3.0, -2.0))
def xor_by_comparison(x):
    if (x[0] > 0) != (x[1] > 0):
        return x * 2
    return x


@case(v(3.0, 2.0), v(-3.0, 2.0))
def elementwise_and_of_conditions(x):
    if (x[0] > 0) & (x[1] > 0):
        return x * 2
    return x


@case(s(2.0), s(-2.0))
def tensor_without_dims(x):
    return x * 2 if x > 0 else x - 1


@case(m((1.0, 2.0), (3.0, 4.0)), m((2.0, 2.0), (2.0, 2.0)), m((0.0, 0.0), (0.0, 0.0)))
def condition_from_deep_arithmetic(x):
    h = (x @ x).relu().sum(0)
    if h.max() > 10 and (h - h.min()).sum() > 1:
        return torch.cat([h, x[0]])
    return h


@case(v(1.0), v(-1.0), may_lack=True)
def same_tensor_on_both_paths(x):
    if x.sum() > 0:
        y = x
    else:
        y = x
    return y + 1


@case(v(1.0), v(-1.0))
def implicit_none(x):
    if x.sum() > 0:
        return x


@case(v(1.0, 2.0), v(1.0, -2.0), may_raise=True)
def multi_element_truth_raises(x):
    if x[1] > 0:
        return x
    if x > 0:
        return x + 1  # static
    return x - 1  # static


@case(v(4.0), v(2.0), v(-1.0))
def condition_is_the_result(x):
    big, positive = x > 3, x > 0
    if big:
        return big
    if positive:
        return positive, big
    return {"big": big, "positive": positive}
