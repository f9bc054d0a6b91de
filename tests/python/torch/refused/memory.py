# SPDX-License-Identifier: Apache-2.0
"""Refused: memory that may be read before it is written."""

import torch
from python.torch.refused.case import refused

UNWRITTEN = r"reads a tensor with elements that may not have been written yet"
WAY_OUT = r"torch\.zeros\(\)"


@refused("return out", "the caller " + UNWRITTEN, WAY_OUT)
def a_row_is_missing(x):
    out = torch.empty(2, 2)
    out[0] = x
    return out


@refused("out.sum()", r"sum\(\) " + UNWRITTEN, WAY_OUT)
def a_column_is_missing(x):
    out = torch.empty(2, 4)
    out[:, :2] = x
    out[:, 2:3] = 1.0
    return out.sum()


@refused("out + 1", r"add\(\) " + UNWRITTEN, WAY_OUT)
def written_on_one_path(x):
    out = torch.empty(2)
    if x.sum() > 0:
        out.zero_()
    return out + 1


@refused("out.item()", r"item\(\) " + UNWRITTEN, WAY_OUT)
def a_number_is_read(x):
    out = torch.empty(1)
    return x + out.item()


@refused("out.copy_(out)", r"copy_\(\) " + UNWRITTEN, WAY_OUT)
def it_is_written_with_itself(x):
    out = torch.empty(2)
    out.copy_(out)
    return out + x


@refused("out[0] += 1", UNWRITTEN, WAY_OUT)
def it_is_added_to(x):
    out = torch.empty(2)
    out[0] += 1
    return out[0] + x


@refused("return out", "the caller " + UNWRITTEN, WAY_OUT)
def the_input_says_where(x):
    out = torch.empty(2)
    out[x.argmax()] = 1.0
    return out


@refused("return out", "the caller " + UNWRITTEN, WAY_OUT)
def a_mask_says_where(x):
    out = torch.empty(2)
    out.masked_fill_(x > 0, 1.0)
    return out


@refused("return second", "the caller " + UNWRITTEN, WAY_OUT)
def the_other_view_is_returned(x):
    out = torch.empty(2, 2)
    out[0] = x
    _, second = out.unbind()
    return second


@refused("return other", "the caller " + UNWRITTEN, WAY_OUT)
def the_base_of_a_written_view_is_returned(x):
    other = torch.empty(2, 3)
    other[:, 1].copy_(x)
    return other


@refused("kept.append(out)", UNWRITTEN, WAY_OUT)
def it_goes_into_a_list_of_any_length(x):
    kept = []
    while x.sum() < 10:
        x = x + 1
        kept.append(x)
    out = torch.empty(2)
    kept.append(out)
    return torch.stack(kept)


@refused("torch.empty(2, 2, memory_format=torch.channels_last)", "memory in another order", "leave it out")
def another_order_of_memory(x):
    return torch.empty(2, 2, memory_format=torch.channels_last).fill_(1.0) + x


@refused("x.new(x)", "neither sizes nor a list", r"x\.clone\(\)")
def an_old_constructor_is_given_a_tensor(x):
    return x.new(x) + 1


@refused("lying.contiguous() is lying", "which it may be itself", "is_contiguous")
def identity_by_strides_that_depend_on_the_path(x):
    rows = torch.stack([x, x + 1])
    lying = rows.t() if x.sum() > 0 else torch.stack([x, x + 1], 1)
    return lying.contiguous() is lying


@refused("flat[0] = 9", "shares, and which elements they share is not known", r"clone\(\)")
def a_write_through_what_is_a_view_on_some_paths(x):
    rows = torch.stack([x, x + 1])
    lying = rows.t() if x.sum() > 0 else torch.stack([x, x + 1], 1)
    added = lying + 1
    flat = added.reshape(-1)
    flat[0] = 9
    return added


@refused("return out", "the caller " + UNWRITTEN, WAY_OUT)
def a_part_of_a_size_that_the_input_decides(x):
    y = x[x > 0]
    out = y.new_empty(y.size(0) + 2)
    out[:1].zero_()
    out[2:].copy_(y)
    return out


@refused("first.add_(1)", "which elements they share is not known", "clone")
def slices_that_overlap(x):
    out = torch.zeros(x[x > 0].size(0) + 3)
    first, rest = out[:2], out[1:]
    first.add_(1)
    return rest


@refused("windows[0] = 9", "elements share memory with each other", "clone")
def a_write_to_windows_that_overlap(x):
    y = x.repeat(3)
    windows = y.unfold(0, 3, 1)
    windows[0] = 9
    return y


@refused("y.as_strided", "reads memory beyond the tensor", "")
def memory_beyond_the_tensor(x):
    y = x * 2
    return y.as_strided((2, 2), (2, 1))


@refused("y.as_strided", "a place in the storage", "")
def memory_from_a_place_in_the_storage(x):
    y = x * 2
    return y.as_strided((1,), (1,), 1)


@refused("y[:, ::2].as_strided", "do not lie side by side", "")
def memory_between_the_elements(x):
    y = torch.stack([x, x, x], 1)
    return y[:, ::2].as_strided((2,), (1,))


@refused(
    "y.t_()",
    "a change of a tensor's shape in place",
    "without underscore",
    example=torch.ones(4, 2),
    dynamic_shapes={"x": {0: torch.export.Dim("n", min=0, max=20)}},
)
def a_shape_of_open_sizes_changes_in_place(x):
    y = x.clone()
    y.t_()
    return y


@refused("torch.Tensor.resize_as_(a, b)", "gives a tensor another size", "new tensor")
def a_known_tensor_gets_another_size(x):
    a, b = torch.arange(32.0).reshape(2, 16), torch.arange(16.0).reshape(4, 4)
    if x.sum() > 0:
        torch.Tensor.resize_as_(a, b)
    return x + a.sum()


@refused("y is x", r"with its contiguous\(\) form", "strides of an input", example=torch.ones(3, 2).t())
def a_copy_that_another_input_would_be_itself(x):
    y = x.contiguous()
    return x * 2 if y is x else x * 3


@refused("y is x", r"with its contiguous\(\) form", "strides of an input", example=torch.ones(3, 2))
def a_tensor_that_is_contiguous_today(x):
    y = x.contiguous()
    return x * 2 if y is x else x * 3


@refused("table += 5", "which elements they share is not known", "clone")
def a_part_of_a_known_tensor_whose_length_the_input_decides(x):
    table = torch.zeros(3)
    part = table[: int(x[0])]
    table += 5
    return part


@refused("table += 5", "an element of a list", "clone")
def a_known_tensor_lies_in_a_list_of_any_length(x):
    table, found, n = torch.zeros(3), [], 0
    while n < x.sum():
        found.append(table)
        n += 1
    table += 5
    return found


@refused("table += 5", "an element of a list", "clone")
def a_known_tensor_lies_in_tuples_of_a_list(x):
    table, found, n = torch.zeros(3), [], 0
    while n < x.sum():
        found.append((n, table))
        n += 1
    table += 5
    return found
