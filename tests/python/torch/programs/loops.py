# SPDX-License-Identifier: Apache-2.0
"""Static loops of zero, one and many trips, with dynamic branches, breaks and continues inside."""

import torch
from python.torch.case import case, m, s, v


@case(v(1.0, 2.0))
def range_loop(x):
    for i in range(3):
        x = x + i
    return x


@case(v(1.0, 2.0))
def loop_of_zero_trips(x):
    for _ in range(0):
        x = x * 100  # static
    return x


@case(v(1.0, 2.0))
def loop_of_one_trip(x):
    for i in range(1):
        x = x * 100 + i
    return x


@case(v(1.0), v(-1.0), v(-7.0))
def branch_in_a_loop(x):
    for i in range(3):
        if x.sum() > 0:
            x = x - i
        else:
            x = x + 2 * i
    return x


@case(v(20.0), v(3.0), v(5.0), v(0.5))
def dynamic_break(x):
    taken = 0
    for i in range(4):
        if x.sum() < 1:
            break
        x = x / 4
        taken = i + 1
    return x, taken


@case(v(1.0), v(10.0), v(4.0), v(7.0))
def dynamic_continue(x):
    total = x * 0
    for i in range(3):
        x = x - 3
        if x.sum() > 0:
            continue
        total = total + x * i
    return total


@case(v(1.0), v(-9.0), unreachable=2)
def for_else(x):
    for i in range(3):
        if x.sum() + i < 0:
            x = x * 2
            break
    else:
        x = x + 100
    return x


@case(v(1.0))
def for_else_of_zero_trips(x):
    for _ in ():
        x = x * 9  # static
    else:
        x = x + 1
    return x


@case(v(1.0))
def static_while(x):
    count = 0
    while count < 3:
        x = x * 2
        count += 1
    return x, count


@case(v(1.0), v(100.0), v(3.0), v(12.0))
def static_while_with_dynamic_break(x):
    count = 0
    while count < 3:
        if x.sum() < 2:
            break
        x = x / 4
        count += 1
    else:
        count = -1
    return x, count


@case(v(1.0), v(100.0), v(3.0), v(12.0))
def while_true_with_a_static_bound(x):
    count = 0
    while True:
        if x.sum() < 2:
            break
        x = x / 4
        count += 1
        if count == 3:
            break
    return x, count


@case(v(1.0), v(-1.0), v(-3.0))
def return_inside_a_loop(x):
    for i in range(2):
        if x.sum() + 2 * i > 0:
            return x * 10, i
    return x, None


@case(m((1.0, 2.0), (3.0, 4.0)), m((1.0, -2.0), (3.0, 4.0)), m((1.0, 2.0), (-3.0, 4.0)))
def rows_of_a_tensor(x):
    kept = []
    for row in x:
        if (row > 0).all():
            kept.append(row)
    return kept


@case(v(1.0, -2.0), v(-1.0, 2.0), v(1.0, 2.0), v(-1.0, -2.0))
def elements_of_a_vector(x):
    total = 0
    for element in x:
        if element > 0:
            total = total + element
        else:
            total = total - 2 * element
    return total


@case(m((1.0, -2.0), (3.0, 4.0)), m((1.0, 2.0), (-3.0, 4.0)), m((-1.0, 2.0), (3.0, -4.0)))
def nested_loops(x):
    count = 0
    for row in x:
        for element in row:
            if element < 0:
                count = count + 1
    return x * count, count


@case(m((1.0, -2.0), (3.0, 4.0)), m((1.0, 2.0), (3.0, 4.0)), m((-1.0, 2.0), (-3.0, -4.0)))
def break_of_the_inner_loop_only(x):
    found = []
    for i in range(2):
        for j in range(2):
            if x[i, j] < 0:
                found.append((i, j))
                break
        else:
            found.append(None)
    return found


@case(
    m((1.0, -2.0), (3.0, 4.0)),
    m((1.0, 2.0), (3.0, 4.0)),
    m((1.0, 2.0), (-3.0, 4.0)),
    m((-1.0, 0.0), (0.0, 0.0)),
    m((1.0, 2.0), (3.0, -4.0)),
)
def break_of_both_loops(x):
    for i in range(2):
        for j in range(2):
            if x[i, j] < 0:
                break
        else:
            continue
        break
    return i, j


@case(v(1.0, 2.0, 3.0))
def enumerate_loop(x):
    for index, element in enumerate(x, 1):
        x = x + index * element
    return x


@case((v(1.0, 2.0), v(3.0, 4.0)))
def zip_loop(x, y):
    total = 0
    for a, b in zip(x, y):
        total = total + a * b
    return total


@case(v(1.0, 2.0), v(-1.0, -2.0))
def loop_over_a_dict(x):
    for name, factor in {"a": 2, "b": 3}.items():
        if x.sum() > 0:
            x = x * factor
        elif name == "b":
            x = x - factor
    return x


@case(v(1.0))
def loop_variable_after_the_loop(x):
    for i in range(4):
        pass
    return x + i


@case(v(2.0))
def reversed_range(x):
    for i in reversed(range(3)):
        x = x * 2 + i
    return x


@case(v(2.0), v(-2.0))
def range_with_a_step(x):
    picked = [i for i in range(10, 0, -3)]
    if x > 0:
        picked = picked[::-1]
    return picked, x


@case(v(8.0), v(0.5), v(3.0))
def loop_state_of_several_kinds(x):
    history, done, count = [], False, 0
    for _ in range(2):
        if x.sum() > 2:
            x = x / 4
            count += 1
            history.append(x)
        else:
            done = True
    return {"x": x, "history": history, "done": done, "count": count}


@case(v(1.0, 2.0), v(5.0, 2.0), v(1.0, -2.0))
def loop_with_try_and_break(x):
    for i in range(2):
        try:
            if x[i] > 4:
                break
            if x[i] < 0:
                raise ValueError("negative")
        except ValueError:
            x = x + 100
            break
        finally:
            x = x + 1
    return x


@case(v(1.0, 2.0, 3.0), v(-1.0, 2.0, 3.0))
def loop_over_slices(x):
    total = 0
    for start in range(0, 3, 2):
        part = x[start : start + 2]
        if part.sum() > 2:
            total = total + part.sum()
    return total


@case(v(4.0, 2.0), v(-4.0, 2.0))
def recurrent_cell(x):
    h = torch.zeros(2)
    for t in range(3):
        h = torch.tanh(x + h)
        if h[0] > 0:
            h = h * 0.5
    return h


@case(m((1.0, 2.0), (3.0, 4.0)), m((-1.0, -2.0), (-3.0, -4.0)))
def loop_over_unbind_chunk_split(x):
    total = 0
    for a in x.unbind(1):
        total = total + a
    for b in x.chunk(2):
        if b.sum() > 0:
            total = total + b[0]
    for c in torch.split(x, 1, dim=1):
        total = total + c[:, 0]
    return total


@case(v(1.0), v(-1.0))
def loop_over_a_list_chosen_by_a_branch(x):
    factors = [2, 3]
    if x.sum() > 0:
        factors = [5]
    for factor in factors:
        x = x * factor
    return x


@case(v(1.0), v(-1.0))
def list_grows_before_its_loop(x):
    steps = [1]
    if x.sum() > 0:
        steps.append(2)
    for step in steps:
        x = x + step
    return x, len(steps)


@case(s(1), s(2), s(3))
def loop_with_a_dynamic_choice(x):
    total = x * 0
    for i in range(4):
        if int(x) == i:
            total = total + 10 * i
        else:
            total = total - i
    return total


@case(v(1.0), v(-1.0), may_lack=True)
def continue_that_hangs_on_both(x):
    for k in range(2):
        if x > 0 and k == 0:  # decides nothing in the second trip, where eager reads it too
            continue
        x = x * 2
    return x
