# SPDX-License-Identifier: Apache-2.0
"""Tensors that are known at compile time, shared with what depends on the input, and then written to."""

import torch
from python.torch.case import case, v

THREE = [v(1.0, 1.0, 2.0), v(1.0, -11.0, 2.0), v(2.0, 1.0, 0.0)]


@case(*THREE)
def a_row_that_the_input_chooses_sees_the_write(x):
    table = torch.zeros(3, 3, 2)
    row = table[:, int(x[0])]
    table[0, 1, 0] = 5
    table += 1
    return table, row


@case(*THREE)
def a_slice_that_the_input_begins_sees_the_write(x):
    table = torch.zeros(3)
    part = table[int(x[0]) - 1 :]
    table[2] = 4
    return part * 1


@case(*THREE)
def one_path_has_the_tensor_itself(x):
    table = torch.zeros(3)
    if x.sum() > 0:
        y = table
    else:
        y = x * 1
    table += 1
    return y * 1, table


@case(*THREE)
def a_copy_on_one_path_only(x):
    table = torch.zeros(3)
    y = table.clone() if x.sum() > 0 else table
    table[2] = 4
    return y * 1


@case(*THREE)
def written_through_what_may_be_the_tensor(x):
    table = torch.zeros(3)
    y = table if x.sum() > 0 else x * 1
    y += 1
    return table * 1, y


@case(v(1.0, 1.0), v(-1.0, 0.0), v(3.0, 0.0))
def a_loop_may_leave_the_tensor_as_it_is(x):
    table = torch.zeros(2)
    y, n = table, 0
    while n < x.sum():
        n += 1
        y = y * 1
    table += 1
    return y * 1


@case(*THREE)
def a_dict_that_holds_it_on_one_path(x):
    table = torch.zeros(3)
    held = {"a": table}
    if x.sum() > 0:
        held["a"] = x * 1
    y = held["a"]
    table += 1
    return y * 1


@case(*THREE)
def one_of_two_that_the_input_chooses(x):
    tables = [torch.zeros(3), torch.ones(3)]
    y = tables[int(x[0]) - 1]
    tables[0] += 1
    y += 1
    return y, tables


@case(*THREE)
def parts_that_unbind_gave(x):
    parts = torch.unbind(torch.zeros(3))
    y = parts[0] if x.sum() > 0 else x[0]
    parts[0].add_(1)
    return y * 1


@case(*THREE)
def written_through_the_row(x):
    table = torch.zeros(3, 3, 2)
    row = table[:, int(x[0])]
    row[0, :] = 1
    row[1:, 0] = x[:2]
    return table


@case(*THREE)
def written_through_the_row_by_a_tensor(x):
    table = torch.zeros(3, 3, 2)
    whole, other = table.view(9, 2), table[1]
    table[:, int(x[0])][torch.tensor([0, 2])] = x[:2]
    return table, whole, other


@case(*THREE)
def a_place_among_other_indices(x):
    table = torch.zeros(3, 3, 2)
    n = int(x[0])
    table[n, 0, :] = 1
    table[0, n, 0:1] = x[0]
    table[:, n, 1] = x
    table[1:, n] = 7
    table[n, n, n - 1] = 9
    table[x[0].long(), 2] = -1
    return table


@case(v(1.0, -1.0, 2.0), v(-1.0, -1.0, -1.0), v(1.0, 1.0, 1.0), unreachable=1)  # there is a row
def rows_of_a_table_of_any_size(x):
    kept = x[x > 0]
    table = torch.zeros(len(kept), 3, 2)
    for i in range(len(kept)):
        table[i, 0, :] = kept[i]
        table[i, 2] = i
    return table


@case(v(1.0, -1.0, 2.0), v(-1.0, -1.0, -1.0), v(1.0, 1.0, 1.0))
def columns_of_a_turned_copy_of_any_size(x):
    kept = x[x > 0]
    y = (torch.zeros(len(kept), 3, 4) + 1).permute(0, 2, 1).clone()
    y[..., 0] *= 2
    turned = y.permute(0, 2, 1)
    turned[:, 1] += 3
    return y, turned


@case(v(0, 2, 1, 3), v(-3, 5, 0, 9), v(3, 1, 2, 2), v(-9, 9, -9, 9), v(1, -1, -4, -2), every_path=False)
def a_number_by_slices(x):
    top, bottom, left, right = x.tolist()
    image = torch.arange(30.0).view(5, 6)
    row = image[1]
    image[top:bottom, left:right] = 7
    image[left:, top:] = x[0]
    return image, row


PASTED = [v(0, 2, 1, 3), v(-2, 4, 3, 5), v(1, 1, 0, 3), v(3, 5, 4, 6), v(3, 9, 4, 12), v(2, 4, -6, -4)]


@case(*PASTED, v(0, 5, 0, 6), every_path=False)
def a_patch_by_slices(x):
    top, bottom, left, right = x.tolist()
    image, patch = torch.zeros(5, 6), torch.ones(5, 6).cumsum(0)
    try:
        image[top:bottom, left:right] = patch[max(top, 0) : bottom, left:right]
        image[0:2, left:right] = patch[:2, left:right] + 1
    except RuntimeError:
        return image - 1
    return image
