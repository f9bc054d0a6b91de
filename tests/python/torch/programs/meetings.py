# SPDX-License-Identifier: Apache-2.0
"""Paths meet with values that are equal, or look alike, and that something tells apart all the same."""

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0, 3.0), v(-1.0, -2.0, -3.0)


@case(A, B)
def equal_ranges_with_other_ends(x):
    walked, empty, part = range(0, 4, 2), (range(5, 5), 1), slice(False, True)
    if x.sum() > 0:
        walked, empty, part = range(0, 3, 2), (range(0), 1), slice(0, 1)
    return walked.stop, empty[0].start, part.start, x[part]


@case(A, B)
def equal_keys_of_other_types(x):
    table = {}
    if x.sum() > 0:
        table[1] = x
    else:
        table[True] = x
    return list(table), table[1]


@case(A, B)
def equal_keys_in_tuples(x):
    table, signs = {(1.0, 2): x}, {-0.0: 1}
    if x.sum() > 0:
        table, signs = {(1, 2): x}, {0.0: 1}
    return list(table), list(signs)


@case(A, B)
def equal_elements_of_other_types(x):
    numbers, frozen = {True, 2}, frozenset([1.0])
    if x.sum() > 0:
        numbers, frozen = {1, 2}, frozenset([1])
    return sorted(numbers), list(frozen), len(numbers)


@case(A, B)
def attributes_of_a_function_on_one_path(x):
    def scaled(t):
        return t * 2

    if x.sum() > 0:
        scaled.factor = 3
    return scaled(x) * getattr(scaled, "factor", 1)


@case(A, B)
def attributes_of_a_function_on_the_other_path(x):
    def scaled(t):
        return t * 2

    if x.sum() > 0:
        x = x + 1
    else:
        scaled.factor = 3
    return x * 5 if hasattr(scaled, "factor") else scaled(x)


@case(A, B)
def strides_that_depend_on_the_path(x):
    rows = torch.stack([x, x + 1])
    lying = rows.t() if x.sum() > 0 else torch.stack([x, x + 1], 1)
    copied, added = lying.clone(), lying + 1
    return lying.is_contiguous(), copied.is_contiguous(), added.stride(), lying


@case(A, B)
def strides_over_a_size_of_one(x):
    rows = torch.stack([x, x + 1])
    row = rows[1:] if x.sum() > 0 else x[None] * 2
    return row.is_contiguous(), row.view(3), row.reshape(-1) + 1


@case(A, B)
def iterators_of_other_kinds(x):
    walked = iter([1, 2]) if x.sum() > 0 else iter((1, 2))
    return type(walked).__name__, list(walked)
