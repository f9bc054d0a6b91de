# SPDX-License-Identifier: Apache-2.0
"""Memory that is written before it is read: torch.empty and its like."""

import torch
from python.torch.case import case, v
from torch.autograd import Variable

A, B = v(1.0, 2.0), v(-1.0, -2.0)


WEIGHT = torch.nn.Parameter(torch.ones(2))


@case(A, B)
def memory_like_that_of_a_weight(x):
    hidden = WEIGHT.data.new(2).zero_()
    return hidden + x + WEIGHT.new_tensor([1, 2]) + WEIGHT.data.new_empty(2).fill_(3.0)


@case(A, B)
def filled_at_once(x):
    mask = torch.empty(2, 2).fill_(float("-inf")).triu_(1)
    return mask + x


@case(A, B)
def every_kind_of_new_memory(x):
    a = torch.empty_like(x).zero_()
    b = x.new_empty((2,)).copy_(x)
    c = x.data.new(2).fill_(3.0)
    d = torch.Tensor(x.size()).zero_()
    e = torch.FloatTensor(2).fill_(0.5)
    f = Variable(torch.zeros(2))
    g = torch.LongTensor([1, 2])
    return a + b + c + d + e + f + g + torch.Tensor([4.0, 5.0]) + x.new([1, 2])


@case(A, B, v(1.0, -2.0))
def rows_written_one_by_one(x):
    out = torch.empty(2, 3)
    for row in range(2):
        if x[row] > 0:
            out[row] = x[row]
        else:
            out[row, :2] = -x[row]
            out[row, 2] = 0.0
    return out * 2


@case(A, B)
def two_halves(x):
    out = torch.empty(2, 4)
    out[:, :2] = x
    out[:, 2:] = x.flip(0)
    return out.sum(), out


@case(A, B)
def written_through_views_on_either_path(x):
    out = torch.empty(2, 3)
    flat = out.view(-1)
    if x.sum() > 0:
        flat.zero_()
    else:
        out.t()[:, 0] = x[0]
        out[1].fill_(7.0)
    return out + 1


@case(A, B)
def the_written_part_alone_is_read(x):
    out = torch.empty(2, 2)
    out[0] = x
    first, _ = out.unbind()
    return first + out[0].sum()


@case(A, B)
def sizes_of_memory_that_is_never_written(x):
    out = torch.empty(2, 3)
    return x * out.shape[1] + out.dim() + torch.ones_like(out).sum()


@case(A, B)
def a_result_goes_there(x):
    out = torch.empty(2)
    torch.mul(x, 3.0, out=out)
    return out


@case(A, B)
def nothing_to_begin_with(x):
    items = torch.empty(0)
    for place in range(2):
        if x[place] > 0:
            items = torch.cat([items, x[place : place + 1]])
    return items


@case(A, B)
def written_over_and_over_in_a_loop(x):
    buffer = torch.empty(2)
    total = x * 0.0
    while total.sum() < 9.5:
        buffer.copy_(x.abs() + 1)
        total = total + buffer
    return total


@case(A, B)
def the_variable_shares_memory(x):
    y = x.clone()
    z = Variable(y)
    z.add_(1.0)
    return y, z


@case(torch.ones(2, 3), torch.zeros(4, 3), dynamic_shapes={"x": {0: torch.export.Dim("n", min=2, max=8)}})
def rows_of_any_number(x):
    out = torch.empty(x.shape[0], 3)
    out[:] = x * 2
    mask = x.new_empty(x.shape).fill_(1.0)
    return out + mask
