# SPDX-License-Identifier: Apache-2.0
"""Writes in place: through views, across branches and loops, to inputs. Arguments are compared afterwards."""

import torch
from python.torch.case import case, v

P = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
N = -P
A, B = v(1.0, 2.0, 3.0), v(-3.0, -1.0, 0.5)


@case(A, B)
def base_written_on_one_path_is_seen_by_a_view(x):
    y = x.clone()
    head = y[:2]
    if x.sum() > 0:
        y.add_(1)
    return head, y


@case(A, B)
def view_written_on_one_path_is_seen_by_the_base(x):
    y = x.clone()
    head = y[:2]
    if x.sum() > 0:
        head.mul_(3)
    return y


@case(P, N)
def rows_columns_and_a_transposed_view(x):
    y = x.clone()
    row, column, turned = y[0], y[:, 1], y.t()
    if x.sum() > 0:
        turned[2, 0] = 10.0
    row.mul_(2)
    column += 1
    return row, column, turned, y


@case(P, N)
def views_of_views(x):
    y = x * 1
    part = y[:, 1:][1]
    flat = y.view(-1)
    part.fill_(7)
    flat[0] = -1
    if x.sum() > 0:
        part.zero_()
    return y, part, flat


@case(P, N)
def a_reshape_that_copies_is_no_view(x):
    y = x * 1
    flat = y.t().reshape(-1)
    flat.add_(100)
    if x.sum() > 0:
        y.add_(1)
    return y, flat


@case(P, N)
def disjoint_parts(x):
    a, b, c = x.clone().chunk(3, dim=1)
    a.mul_(2)
    b += a
    if x.sum() > 0:
        c.zero_()
    return a, b, c


@case(P, N)
def diagonal_and_steps(x):
    y = x.clone()
    y.diagonal().fill_(9)
    y[:, ::2].mul_(-1)
    every = y.flatten()[::2]
    if x.sum() > 0:
        every.add_(3)
    return y, every


@case(P, N)
def augmented_items(x):
    y = x.clone()
    y[0] += 1
    y[:, 2] *= 3
    y[1, 1] -= 5
    if x.sum() > 0:
        y[0, 0] /= 2
    return y


@case((P, v(1)), (N, v(0)), (P, v(-1)))
def rows_at_a_computed_index(x, n):
    y = x.clone()
    i = int(n)
    y[i] += 10
    y[i] = y[i] * 2
    row = y[i]
    row.sub_(1)
    y[:, i] = 7
    return y, row


@case((P, v(1)), (N, v(0)))
def rows_at_an_index_tensor(x, n):
    y = x.clone()
    y[n.item()] += 10
    return y


@case(P, N)
def parts_copied_within_one_tensor(x):
    y = x.clone()
    y[0] = y[1]
    y[:, 0] = y[:, 1]
    if x.sum() > 0:
        y[1, 1:].copy_(y[0, :2])
    return y


@case(A, B)
def constant_and_its_view(x):
    base = torch.zeros(3)
    head = base[:2]
    base[0] = x[0]
    head.add_(1)
    if x.sum() > 0:
        base[1] = 5
    return head, base


@case(A, B)
def constant_written_on_one_path(x):
    base = torch.zeros(3)
    view = base[1:]
    if x.sum() > 0:
        base += 1
    return base + 0, view + 0


@case(P, N)
def results_go_where_told(x):
    y = torch.zeros_like(x)
    torch.add(x, 1, out=y)
    z = torch.zeros(2, 3)
    if x.sum() > 0:
        torch.mul(x, 2, out=z)
    return y, z


@case(P, N)
def many_kinds_of_writes(x):
    y = x.clone()
    y[y > 2] = 0
    y.masked_fill_(y < -2, 1.0).clamp_(0, 1)
    y.index_fill_(1, torch.tensor([0]), 4.0)
    if x.sum() > 0:
        y.scatter_(1, torch.tensor([[1], [2]]), 9.0)
    z = y.clone()
    z.copy_(x[:1])
    return y, z


@case(P, N, P * v(1.0, -1.0, 1.0), P * v(-1.0, 1.0, -1.0))
def filled_in_a_loop(x):
    y = torch.zeros(3)
    for i in range(3):
        place = y[i : i + 1]
        if x[0, i] > 0:
            place.add_(x[1, i : i + 1])
        else:
            y[i] = -1
    return y


@case(P, N)
def written_by_a_function(x):
    def grow(t):
        t += 1
        return t

    y = x * 2
    z = grow(y[0])
    if x.sum() > 0:
        z = grow(z)
    return y, z


@case(A, B)
def input_written(x):
    x.add_(1)
    return x * 2


@case(A, B)
def input_written_on_one_path(x):
    y = x * 2
    if x.sum() > 0:
        x.mul_(3)
    return y + x


@case((A, B), (B, A))
def one_of_two_inputs_written(x, y):
    if x.sum() > 0:
        y[0] = x[1]
    else:
        y[1:] = 0
    return x + y


@case(P, N, every_path=False)
def input_written_through_views(x):
    column = x[:, 1]
    column.fill_(3)
    turned = x.t()
    turned[0, 0] = 9
    if x.sum() > 0:
        x.view(-1)[5] = 1
    return turned + 0, column


@case(A, B)
def input_written_and_returned(x):
    x -= 1
    return x


@case(A, B)
def input_of_a_dict_written(x):
    def halve(batch):
        batch["x"].mul_(0.5)
        return batch["x"].sum()

    if x.sum() > 0:
        return halve({"x": x})
    return x.sum()


@case((P.t(),), (N.t(),))
def input_that_is_not_contiguous(x):
    x[0] += 1
    if x.sum() > 0:
        x.mul_(2)
    return x.sum()


@case(A, B)
def input_or_another_tensor_written(x):
    h = x
    if x.sum() > 0:
        h = x * 2
    h.add_(1)
    return h


@case((P, v(1)), (P, v(0)))
def input_written_at_a_computed_row(x, n):
    x[n.item()] = 0
    return x.sum()


@case(P, N)
def rows_written_while_iterating(x):
    y = x.clone()
    for number, row in enumerate(y):
        if x[number].sum() > 0:
            row.mul_(2)
        else:
            row.add_(number)
    first, second = y
    second.sub_(first)
    return y


@case(P, N)
def parts_of_unbind_and_split(x):
    y = x.clone()
    for column in y.unbind(1):
        column.add_(1)
    left, right = torch.split(y, [1, 2], dim=1)
    if x.sum() > 0:
        right.mul_(left)
    return y, list(y)[0]


@case(P, P * 100, N * 0)
def views_written_in_a_dynamic_loop(x):
    y = x + 1
    row = y[0]
    trips = 0
    while y.sum() < 100:
        row.add_(1)
        y[1] *= 2
        trips += 1
    return y, row, trips


@case(P, P * 100, N)
def input_written_in_a_dynamic_loop(x):
    while x.sum() < 50:
        x.add_(1)
    return x.sum()


@case(P, N, P * 0)
def items_counted_in_a_dynamic_loop(x):
    y = torch.zeros(4)
    i = 0
    while i < int(x[0, 0]) + 2:
        y[i] += i
        i += 1
    return y


@case(A, B)
def elements_of_a_list_that_grows_on_one_path(x):
    first, second = x * 1, x * 2
    head = second[:1]
    items = [first]
    if x.sum() > 0:
        items.append(second)
    items[0].add_(5)
    items[-1].mul_(3)
    return items, first, second, head


@case(A, B)
def an_element_that_differs_by_path_is_written(x):
    y = x * 1
    items = []
    if x.sum() > 0:
        items.append(y[:1])
    items.append(x * 3)
    items[0].add_(5)
    return items, y


@case(A, B)
def an_input_written_as_an_element(x):
    items = [x]
    if x.sum() > 0:
        items.append(x)
    items[-1].add_(5)
    return items
