# SPDX-License-Identifier: Apache-2.0
"""The order of int64 whose upper halves are equal: a backend compares the lower ones wrongly."""

import torch
import torch.nn.functional as F
from python.torch.case import case

HALF = 2**31
X = torch.tensor([HALF, 7, 1, 2, 3, HALF + 5, -HALF - 1, -1, 2**40 + HALF, 2**40 + 1])
Y = torch.tensor([5, HALF, 0, HALF, -HALF, HALF + 6, -1, -HALF - 1, 2**40 + 5, 2**40 + HALF])
ENDS = torch.tensor([-(2**63), 2**63 - 1, -(2**63) + HALF, 2**63 - 1 - HALF, 0, 1, 2, 3, 4, 5])


@case((X, Y), (Y, X), (ENDS, X))
def larger_and_smaller(x, y):
    return torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), torch.max(x, y), x.clamp(min=y, max=x)


@case(X, Y, ENDS)
def bounded(x):
    n = int(x[0])
    return x.clamp(min=0), x.clamp(0, 10), x.clamp(max=HALF), F.relu(x), x.sign(), x.clamp(n, n + 1)


@case(X, Y, ENDS)
def reduced(x):
    grid = x.view(2, 5)
    return x.max(), x.min(), grid.amax(1), grid.amin(0, keepdim=True), grid.amax((0, 1)), *torch.aminmax(x)


@case(X, torch.arange(10))
def a_branch_on_the_largest(x):
    if x.max() > 1000:
        return x + 1
    return x - 1


@case(torch.tensor([0, 1, HALF, 3]), torch.tensor([0, 1, 2, 3]), may_raise=True)
def classes_out_of_range(x):
    return F.one_hot(x, 4)


@case(
    X.double(), ENDS.double() / 2, torch.tensor([1e18, -1e18, 2.0**40, 2.0**31, 5, 6, 7, 8, 9, 10.0]).double()
)
def narrowed_behind_a_cast(x):
    wide = x.long()
    return wide.to(torch.int32), wide.to(torch.int8)
