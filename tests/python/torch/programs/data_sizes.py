# SPDX-License-Identifier: Apache-2.0
"""Sizes that depend on values: masks, nonzero, unique, numbers read from tensors. At 0, 1, 2 and many."""

import torch
from python.torch.case import case, v

# Of these, 0, 1, 2 and 5 are positive.
VECTORS = (
    v(1.0, -1.0, 2.0, -3.0, -1.0),
    v(-1.0, -1.0, -2.0, -3.0, -1.0),
    v(-1.0, 5.0, -2.0, -3.0, -1.0),
    v(1.0, 2.0, 3.0, 4.0, 5.0),
)


@case(*VECTORS)
def mask(x):
    return x[x > 0]


@case(*VECTORS)
def mask_then_compute(x):
    y = x[x > 0]
    return (y * 2).sum(), y.shape[0], y.numel() > 2, torch.relu(y) + 1


@case(*VECTORS)
def branch_on_the_count(x):
    y = x[x > 0]
    if len(y) == 0:
        return torch.zeros(1)
    return y.mean()


@case(*VECTORS)
def places(x):
    return torch.nonzero(x > 0), torch.where(x > 0)[0], torch.argwhere(x > 0)


@case(*VECTORS)
def rows_by_place(x):
    table = torch.arange(10.0).reshape(5, 2)
    (index,) = torch.where(x > 0)
    return table[index], table.index_select(0, index), torch.cat([table, table[index]])


@case(*VECTORS, may_raise=True)
def largest_of_the_chosen(x):
    return x[x > 0].max()


@case(*VECTORS)
def reductions_of_what_may_be_empty(x):
    y = x[x > 0]
    return y.sum(), y.any(), y.all(), (y > 100).any(), y.prod()


@case(*VECTORS)
def mask_of_rows(x):
    table = x.unsqueeze(1) * torch.ones(1, 3)
    kept = table[x > 0]
    return kept @ torch.ones(3, 2), kept.t()


@case(v(3), v(0), v(1), v(2), v(40))
def size_from_a_number(x):
    n = int(x)
    return torch.zeros(n, 2), torch.arange(n), torch.ones(2, n).sum()


@case(v(3), v(0), v(1), v(-1), may_raise=True)
def negative_sizes_raise(x):
    return torch.zeros(int(x), 2)


PARTS = (v(3), v(0), v(1), v(2), v(5), v(24), v(-1), v(-2))


@case(*PARTS, may_raise=True)
def a_number_of_rows_and_the_rest(x):
    return torch.arange(24.0).view(int(x), -1).sum(0)


@case(*PARTS, may_raise=True, unreachable=1)
def the_rest_and_a_number_of_columns(x):
    return torch.arange(24.0).reshape(-1, 2, int(x)) * 2


@case(v(3), v(8), v(-1), v(0), v(5), v(-3), may_raise=True)
def rows_by_a_number(x):
    return torch.arange(24.0).view(int(x), 3)


EXPANSIONS = (v(3), v(0), v(1), v(2), v(-1), v(-2))


@case(*EXPANSIONS, may_raise=True)
def expanded_by_a_number(x):
    return (torch.ones(1, 2) * x).expand(int(x), 2)


@case(*EXPANSIONS, may_raise=True)
def expanded_by_a_number_and_summed(x):
    return (torch.ones(1, 2) * x).expand(int(x), -1).sum(0)


@case(*EXPANSIONS, may_raise=True)
def expanded_in_the_middle(x):
    return torch.arange(4.0).view(2, 1, 2).expand(2, int(x), 2).reshape(-1, 2)


@case(v(3), v(8), v(0), v(-2), may_raise=True)
def expanded_over_its_own(x):
    return torch.arange(3.0).expand(int(x))


@case(v(3), v(0), v(1), v(2), v(8), v(20), v(-2))
def slice_by_a_number(x):
    n = int(x)
    table = torch.arange(16.0).reshape(2, 8)
    return table[:, :n], table[:, n:]


@case(v(2, 5), v(0, 1), v(3, 3), v(1, 9), v(5, 2), v(4, 14), may_raise=True)
def rows_from_one_number_to_another(x):
    first, last = int(x[0]), int(x[1])
    table = torch.arange(20.0).reshape(10, 2)
    return torch.nn.functional.embedding(torch.arange(first, last), table)


@case(v(1, 1, 2, 3), v(1, 1, 1, 1), v(4, 3, 2, 1))
def unique(x):
    return torch.unique(x), torch.unique(x).shape[0]


@case(*VECTORS)
def sizes_meet(x):
    y = x[x > 0]
    if x[0] > 0:
        y = torch.cat([y, torch.ones(2)])
    return y * 2, y.shape[0]


@case(*VECTORS, unreachable=1)
def known_sizes_meet(x):
    y = x[:2] if x[0] > 0 else x[:4]
    z = x[:2] * 3 if x[0] > 0 else x[:4] * 4
    return y + z


@case(v(2.0, 1.0), v(0.0, 1.0), v(1.0, 1.0), v(5.0, 1.0), v(-1.0, 1.0), may_raise=True)
def repeated_by_a_number(x):
    return x.repeat(int(x[0]))


@case(*VECTORS)
def masked_selection(x):
    return torch.masked_select(x, x > 0), torch.masked_select(x.unsqueeze(1), torch.tensor([True, False]))


COUNTS = (v(3.0, 1.0), v(0.0, 1.0), v(1.0, 1.0), v(2.0, 1.0), v(50.0, 1.0))


@case(*COUNTS)
def rows_grow_in_a_loop(x):
    rows = torch.zeros(0, 2)
    for _ in range(int(x[0])):
        rows = torch.cat([rows, x.unsqueeze(0)])
    return rows, rows.shape[0]


@case(v(1.0, 1.0), v(30.0, 1.0), v(9.0, 1.0), v(0.25, 1.0))
def caches_grow_alike(x):
    k = x.unsqueeze(0)
    v = k * 2
    while k.sum() < 20:
        k = torch.cat([k, x.unsqueeze(0)])
        v = torch.cat([v, k[-1:] * 2])
    return k + v, torch.softmax(k @ v.t(), -1).sum()


@case(*VECTORS)
def write_at_places(x):
    kept = x[x > 0]
    chosen = torch.zeros_like(kept, dtype=torch.bool)
    chosen[torch.where(kept > 1.5)[0]] = True
    return chosen, kept[chosen]


@case(*VECTORS)
def none_left(x):
    places = torch.where(x > 0)[0]
    if places.numel() == 0:
        return torch.empty((0,), dtype=torch.int64)
    return places + 1


MASKED = [torch.tensor(values) for values in ([0.5, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])]


@case(*MASKED)
def scaled_where_it_is_positive(x):
    y = x.clone()
    y[x > 0] *= 10
    y[y > 10] = y[y > 10] - 1
    return y


@case(*[torch.stack([row, -row, row * 2]) for row in MASKED])
def rows_written_by_a_mask(x):
    y = x.clone()
    keep = x.sum(1) > 0
    y[keep] = x[keep].flip(1)
    y[~keep] += x[0]
    return y


@case(v(1.0, 1.0, 2.0), v(1.0, 2.0, 3.0), v(2.0, 2.0, 2.0))
def floats_are_counted_up_to_a_size(x):
    count = torch.unique_consecutive(x).shape[0]
    return torch.arange(1.0, count + 1), torch.arange(0, count, 0.5), torch.arange(count)


@case(
    *[(torch.arange(6.0), torch.tensor(n)) for n in (2, 0, 1, 3, 5, 6, -1, 9)],
    may_raise=True,
    every_path=False,
)
def a_part_by_numbers(x, n):
    k = int(n)
    return x.narrow(0, k, 5 - k), x.narrow(0, 1, k)


@case(
    *[(torch.arange(12.0).reshape(2, 6), torch.tensor(n)) for n in (2, 0, 1, 5, 6, -1, 9, -9)],
    every_path=False,
)
def parts_between_tensors(x, n):
    rows = [1, 2, 3]
    y = x.clone()
    y[:, : n.abs()] = 0.0
    return x[:, :n], x[1:, n:].sum(), x[..., 1 : n + 1], rows[: n.clamp(0, 3)], y


@case(*[(torch.arange(6.0), torch.tensor(n)) for n in (2.0, 0.0)])
def parts_between_floats(x, n):
    try:
        return x[:n]
    except TypeError as error:
        return str(error)


@case(*[(torch.arange(6.0), torch.tensor(n)) for n in ([2, 1], [0, 0])])
def parts_between_vectors(x, n):
    try:
        return x[:n]
    except TypeError as error:
        return str(error)


@case(*VECTORS, unreachable=2)  # both lists end at once
def numbers_of_a_vector_as_a_list(x):
    numbers = x[x > 0].tolist()
    flags = (x[x > 0] > 1.5).tolist()
    total = 0.0
    for number, flag in zip(numbers, flags):
        if flag:
            total += number
    return numbers, len(flags), total, torch.tensor(numbers)


# ---- what a comparison says of a number is known where the number is a size


def one_hot_of(indices, least):
    """As published mixtures of experts have it: from `least` on, what is cut off does not matter."""
    return torch.nn.functional.one_hot(indices, max(indices.max() + 2, least))[..., :least]


@case(v(1.0, 2.0), v(7.0, 8.0), v(0.0, 3.0), v(4.0, 1.0), v(-1.0, 2.0), may_raise=True, every_path=False)
def as_many_classes_as_a_tensor_says_but_some(x):
    first, second = one_hot_of(x.long(), 4), one_hot_of((x * 2).long(), 4)
    return x[:, None] * first + second + torch.zeros(4)


@case(*[v(n, n) for n in (-3.0, 0.0, 0.5, 1.0, 2.0, 5.0)])
def as_many_rows_as_a_number_but_one(x):
    rows = max(int(x[0]) + 1, 1)
    return torch.zeros(rows)[:1] + torch.ones(1), torch.ones(rows).sum()


@case(*[v(n, n) for n in (-3.0, 0.0, 2.0, 4.0, 5.0, 9.0)])
def rows_only_if_there_are_some(x):
    count = x.long().max()
    if count > 4:
        return torch.zeros(count)[:4] + torch.ones(4)
    return x


PAIRS = [v(n, m) for n in (0.0, 1.0, 2.0, 5.0) for m in (0.0, 1.0, 3.0, 9.0)]


@case(*PAIRS, may_raise=True, every_path=False)
def rows_written_as_far_as_both_go(x):
    given, taken = max(int(x[0]), 0), max(int(x[1]), 0)
    square = torch.zeros(4, 4)
    square[:taken, 1:3] = torch.arange(36.0).reshape(6, 6)[:given, :2]
    return square


SIGNED = [v(*map(float, n)) for n in ((0, 2, 1, 3), (-2, 9, 0, 2), (1, 3, 0, 9), (3, 1, 2, 2), (0, 3, 1, 2))]


@case(*SIGNED, may_raise=True, every_path=False)
def rows_written_between_numbers_of_any_sign(x):
    n = x.long()
    square = torch.zeros(4, 4)
    square[n[0] : n[1], 1:3] = torch.arange(36.0).reshape(6, 6)[n[2] : n[3], :2]
    return square


@case(*[torch.full((4, 4), n) for n in (1.0, 0.3, 0.1, -1.0)])
def an_image_as_large_as_its_pixels_say(x):
    height = max(int(x.sum()), 1)
    return torch.nn.functional.interpolate(x[None, None], size=(height, 3), mode="nearest")


@case(*[torch.full((4, 4), n) for n in (1.0, 0.3, 0.0, -1.0)], may_raise=True)
def an_image_of_no_size_raises(x):
    return torch.nn.functional.interpolate(x[None, None], size=(int(x.sum()), 3), mode="nearest")


LARGE = [torch.tensor(n) for n in (1, 5, 2**62 - 1, 2**62, 2**62 + 10, -(2**62) - 10, 2**63 - 2)]


@case(*LARGE, every_path=False)
def numbers_beyond_all_sizes(x):
    n = int(x)
    if n > 3 and x > 3:
        return (n > 2**62, bool(x > 2**62), n + 1 > 2**62 + 1)
    return (n < -(2**62), bool(x < -(2**62)))
