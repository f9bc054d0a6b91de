# SPDX-License-Identifier: Apache-2.0
"""Writes to inputs before an exception leaves: the caller sees them. Arguments are compared afterwards."""

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0, 3.0), v(-3.0, -1.0, 0.5)


@case(A, B, may_raise=True)
def an_exception_after_a_write(x):
    x.add_(1)
    if x.sum() > 0:
        raise ValueError("too much")
    return x


@case(A, B, v(0.0, 0.0, 0.0), may_raise=True)
def an_exception_between_two_writes(x):
    x.add_(1)
    if x.sum() > 4:
        raise ValueError("too much")
    x.mul_(2)
    if x.sum() > 0:
        raise KeyError("still too much")
    return x - 1


@case(A, B, v(5.0, 5.0, 5.0), may_raise=True)
def a_write_on_one_path_before_an_exception_on_all(x):
    if x.sum() > 0:
        x.neg_()
    if x[0] < -4:
        raise RuntimeError(f"it is {x[0].item()}")
    return x * 2


TABLE = v(10.0, 20.0, 30.0, 40.0)


@case(*((A, TABLE, torch.tensor([n])) for n in (0, 3, 4, -4, -5)), may_raise=True)
def an_index_that_fails_after_a_write(x, table, n):
    x.add_(1)
    return x * table.index_select(0, n)


@case(*((A, TABLE, torch.tensor([n])) for n in (0, 3, 4, -4, -5)), may_raise=True)
def an_index_that_fails_before_a_write(x, table, n):
    y = table.index_select(0, n)
    x.add_(y)
    if y > 30:
        raise ValueError("a large one")
    return x


@case(
    *((A, TABLE, torch.tensor([n]), torch.tensor([m])) for n, m in ((0, 1), (4, 1), (0, 4), (4, 4))),
    may_raise=True,
)
def two_writes_and_two_indices(x, table, n, m):
    x.add_(table.index_select(0, n))
    table.mul_(2)
    return x + table.index_select(0, m)


@case((A, v(0.0)), (A, v(2.0)), (B, v(0.0)), may_raise=True)
def a_division_that_fails_after_a_write(x, n):
    x.add_(1)
    return x * (1 / n.item())


@case(*((A, v(float(n))) for n in (0, 1, 2, 4, 9)), may_raise=True)
def a_write_in_each_trip_until_an_exception(x, n):
    k = 0
    while k < n.sum():
        x.add_(k)
        k += 1
        if x.sum() > 20:
            raise OverflowError("at last")
    return x * k


@case(*((A, v(float(n))) for n in (0, 1, 2, 4, 9)), may_raise=True)
def an_exception_in_each_trip_that_is_caught(x, n):
    for k in range(3):
        try:
            x.add_(1)
            if x.sum() > 9 + n.sum():
                raise OverflowError("caught")
        except OverflowError:
            x.zero_()
    if n.sum() > 3:
        raise ValueError("not caught")
    return x + n.sum()


@case((A, B), (B, A), may_raise=True)
def what_is_left_is_the_contents_and_not_a_view(x, y):
    x[1:].copy_(y[:2])
    if y.sum() < 0:
        raise ValueError("after a write through a view")
    y.zero_()
    return x


@case(
    *((torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor(rows)) for rows in ([1, 2], [0, -1], [-2, 1])),
    may_raise=True,
    unreachable=4,
)
def counts_that_fail_after_a_write(x, counts):
    counts[counts.sum(0, keepdim=True).eq(-1).expand(2)] = 1
    out = torch.zeros(int(counts.sum()), 2)
    repeated = torch.repeat_interleave(x, counts, dim=0)
    out[: repeated.size(0)] = repeated
    return out
