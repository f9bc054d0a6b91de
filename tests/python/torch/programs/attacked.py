# SPDX-License-Identifier: Apache-2.0
"""What was wrong once: infinite elements beside others, nothing to read from, memory read by strides."""

import torch
from python.torch.case import case, m, v
from torch.export import Dim
from torch.nn import functional

INF, NAN = float("inf"), float("nan")
SQUARES = [m([1.0, a], [b, 2.0]) for a, b in ((-INF, 0.0), (NAN, INF), (3.0, 4.0))]
TRIPLES = [v(3.0, 2.0, 1.0), v(NAN, 1.0, 2.0), v(1.0, NAN, 2.0), v(1.0, INF, 2.0), v(-INF, 2.0, NAN)]
ROWS = {"x": {0: Dim("n", min=0, max=20)}}
VECTORS = [torch.arange(1.0, n + 1) for n in (5, 0, 1, 2, 3)]


# ---- elements beside the ones that are meant


@case(*SQUARES)
def diagonals_beside_infinities(x):
    return x.diagonal(), x.diag(1), x.trace(), x.diagonal(-1), x.diagonal(5), torch.einsum("ii->i", x)


@case(*SQUARES)
def vectors_on_diagonals(x):
    return x[0].diag(), torch.diag_embed(x, 1), torch.diagflat(x[1]), x.to(torch.int8).diagonal()


@case(*TRIPLES)
def the_largest_of_what_is_scattered(x):
    index = torch.tensor([0, 0, 1])
    return (
        x.scatter_reduce(0, index, x, "amax"),
        x.scatter_reduce(0, index, x, "amin", include_self=False),
        x.index_reduce(0, index, x, "amax"),
    )


@case(*TRIPLES)
def losses_by_margins(x):
    rows, weight = torch.stack([x, x.flip(0)]), torch.tensor([0.5, 1.0, 2.0])
    labels, several = torch.tensor([2, 0]), torch.tensor([[1, -1, 0], [2, 0, 1]])
    return (
        functional.multi_margin_loss(rows, labels, reduction="none"),
        functional.multi_margin_loss(rows, labels, p=2, margin=0.3, weight=weight),
        functional.multilabel_margin_loss(rows, several, reduction="sum"),
        functional.multilabel_margin_loss(rows, several),
    )


# ---- nothing to read from


@case(*VECTORS, dynamic_shapes=ROWS, unreachable=2)  # the place is in range of what is not empty
def the_last_element_if_there_is_one(x):
    try:
        return x[len(x) - 1]
    except IndexError:
        return x.sum()


@case(*VECTORS, dynamic_shapes=ROWS, every_path=False)
def elements_by_a_list_if_there_are_any(x):
    try:
        return x[[0, -1]], x.index_select(0, torch.tensor([0]))
    except IndexError:
        return x.sum(), x


@case(*VECTORS, may_raise=True, every_path=False, dynamic_shapes=ROWS)
def a_slice_of_two_from_the_second(x):
    return x.narrow(0, 1, 2)


@case(v(1.0, 2.0), v(-1.0, 3.0), v(-1.0, -2.0), unreachable=2)
def the_last_positive_element_if_there_is_one(x):
    y = x[x > 0]
    try:
        return y[len(y) - 1]
    except IndexError:
        return x.sum()


@case(torch.rand(5, 8), torch.rand(5, 8) - 0.5, -torch.rand(5, 8))
def products_with_no_row(x):
    rows = x[x[:, 0] > 0].reshape(-1, 2, 4)
    query = x[:4].reshape(8, 2, 2)
    query = torch.cat([query, query], 2)
    scores = torch.bmm(query.permute(1, 0, 2), rows.permute(1, 2, 0))
    sums = (scores * 2).permute(0, 2, 1) @ query.permute(1, 0, 2)
    return torch.einsum("lhd,shd->lhs", query, rows), scores, sums


@case(*[(torch.tensor(p), v(1.0, 2.0)) for p in ([0, 1], [1, 1], [0, 0])], every_path=False)
def sums_in_as_many_places_as_there_are(places, x):
    return torch.zeros(int(places.max()) + 1).scatter_add_(0, places, x)


# ---- exceptions of the right class


@case(torch.eye(2), torch.zeros(2, 2), torch.eye(2) * 7)
def a_singular_matrix_is_caught(x):
    try:
        return torch.linalg.inv(x), torch.linalg.cholesky(x)
    except torch.linalg.LinAlgError:
        return x, x + 1


@case(torch.eye(2), torch.eye(2) * 7, torch.zeros(2, 2))
def an_index_to_add_at_is_caught(x):
    try:
        return x[0].index_add(0, x[:, 1].long(), torch.ones(2))
    except IndexError:
        return torch.zeros(1)


# ---- of nothing


@case(*[torch.rand(n, 4) for n in (3, 0, 1)], dynamic_shapes=ROWS, every_path=False)
def losses_and_products_of_nothing(x):
    return (
        functional.mse_loss(x, x + 1),
        functional.binary_cross_entropy(x, x * 0.5),
        functional.poisson_nll_loss(x, x + 2, full=True),
        x.mean(),
        x.mean(-2),
        x.prod(-2),
        x[x[:, 0] > 9].prod(-2),
    )


# ---- numbers of the run


@case(v(3.0, 1.0), v(-2.0, 1.0), v(0.0, 0.0))
def numbers_as_tensors_of_the_default_dtype(x):
    n, flag = int(x[0]), bool(x[1] > 0)
    return torch.scalar_tensor(n), torch.scalar_tensor(flag), torch.scalar_tensor(n, dtype=torch.int32)


@torch.jit.script
def scripted_with_sizes(x, y):
    return x.expand([y.size(0)]), y * 0.5


@case(v(3.0, 1.0), v(-2.0, 1.0))
def a_scripted_function_of_sizes(x):
    return scripted_with_sizes(x, x + 1) if x.sum() > 0 else scripted_with_sizes(x + 1, x)


@case(v(3.0), v(-2.5), v(INF), v(-INF), v(NAN))
def a_caught_conversion_to_int(x):
    try:
        return torch.ones(2) * int(x)
    except OverflowError:
        return torch.zeros(3)
    except ValueError:
        return torch.zeros(4)


# ---- shapes put together


@case(*VECTORS, dynamic_shapes=ROWS, every_path=False)
def shapes_that_fit_each_other(x):
    return torch.zeros(torch.broadcast_shapes(x.shape, (2, 1)))


@case(*[v(a, b, -1.0) for a, b in ((1.0, 2.0), (1.0, -2.0), (-1.0, -1.0))], may_raise=True, every_path=False)
def shapes_of_what_was_chosen(x):
    return torch.zeros(torch.broadcast_shapes(x[x > 0].shape, (3,), 1, None))


@case(torch.rand(4, 6), torch.rand(4, 6) - 0.5, -torch.rand(4, 6), every_path=False)
def a_view_of_as_many_rows_as_a_tensor_says(x):
    n = (x[:, 0] > 0).sum()
    return x.new_zeros(n, 1, 6).view(n, 2, 3), (x.new_ones((n, 6)) * 2).reshape(n, 3, 2)


@case(v(1.0, 2.0), v(-1.0, 2.0))
def a_known_tensor_among_sizes(x):
    n = torch.div(8, 2, rounding_mode="trunc") - 1
    return x.new_zeros((2, n + 1, 3)) + x.sum()


# ---- memory read by strides


@case(torch.arange(48.0).reshape(2, 24), -torch.arange(48.0).reshape(2, 24))
def chunks_that_overlap(x):
    y = x.view(2, 2, 4, 3)
    size, stride = list(y.size()), list(y.stride())
    size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
    chunks = y.as_strided(size=size, stride=stride)
    return chunks if x.sum() > 0 else chunks * 2


@case(v(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
def windows_follow_what_is_written(x):
    y = x * 2
    windows, apart = y.as_strided((3, 2), (1, 1)), y.as_strided((3, 2), (2, 1))
    y[0] = 9
    apart[1] = 7
    return windows, y, torch.as_strided(y.reshape(2, 3).t(), (4,), (1,)), y[1:].as_strided((0, 2), (1, 1))


PART_OF_A_ROW = torch.arange(8.0)[3:6]


@case((v(0.0, 0.0, 0.0), PART_OF_A_ROW), (v(5.0, 5.0, 5.0), PART_OF_A_ROW))
def where_an_input_begins_is_asked_behind_a_loop(x, part):
    while x.sum() < 10:
        x = x + part.abs() + 1
    return x * part.storage_offset(), x * part[1:].storage_offset()


@case((v(0.0, 0.0, 0.0), v(1.0, 2.0, 3.0)), (v(5.0, 5.0, 5.0), v(1.0, 2.0, 3.0)))
def whether_an_input_has_gradients_is_asked_behind_a_loop(x, part):
    while x.sum() < 10:
        x = x + part.abs() + 1
    return x * (2 if part.requires_grad or part[1:].requires_grad else 3)


@case(torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(3, 2).t())
def a_reshaped_tensor_is_another_object(x):
    y = x.reshape(-1).reshape(2, 3)
    return x * 2 if y is x else x * 3


class GivesBackWhereItBegan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *others):
        y = x.reshape(-1)
        while y.sum() < 10:
            y = y + others[0].abs() + 1
        ctx.save_for_backward(*[other for other in others if other.requires_grad])
        return y.reshape(x.shape)

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError


@case((torch.zeros(1, 3), v(1.0, 2.0, 3.0)), (torch.full((1, 3), 5.0), v(1.0, 2.0, 3.0)))
def a_function_that_may_give_its_argument(x, other):
    return GivesBackWhereItBegan.apply(x, other) * 2


@case(v(0), v(2), v(-1), may_raise=True)
def columns_that_are_not_there(number):
    try:
        return torch.ones(1, 2, 3).index_select(1, number)
    except RuntimeError:
        return 2
