# SPDX-License-Identifier: Apache-2.0
"""What random programs found: each was answered wrongly, crashed or was refused for no reason."""

import torch
from python.torch.case import case, v

T, F = True, False


@case(v(T, T, F), v(F, T, T), v(F, F, F))
def bools_compared_with_numbers(w):
    count = 0
    if w[0] < 1:
        count = count + 2
    return count, w < 2, w <= 3, w > -1, w >= -2, w == 2, w != 2, w > 0, w < 1, w == 1, w >= 0.5


@case(v(1.0, 2.0), v(-1.0, 0.5))
def tensors_of_many_dtypes_stacked(x):
    wide, whole = x.double(), x.long()
    return torch.stack([x, wide]), torch.stack([whole, x], dim=1), torch.cat([x, wide, whole])


@case(v(1.0), v(-1.0), every_path=False)  # decisions follow from one another
def remainder_of_a_number_that_differs(x):
    n = -2
    if x.sum() > 0:
        n = n + 1
    trips = 0
    while n % 2 == 0 and trips < 3:
        trips += 1
    return x + trips
