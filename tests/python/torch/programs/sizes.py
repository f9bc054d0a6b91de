# SPDX-License-Identifier: Apache-2.0
"""Sizes that differ between calls: declared, read, computed with, branched on. All at 0, 1, 2 and many."""

import torch
from python.torch.case import case
from torch import nn
from torch.export import Dim
from torch.nn import functional

BATCH = {"x": {0: Dim("batch")}}
SIZES = (3, 0, 1, 2, 17)


def rows(*shape, sizes=SIZES):
    """Matrices (or more) with that many rows each."""
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(n, *shape, generator=generator) for n in sizes]


@case(*rows(4), dynamic_shapes=BATCH)
def elementwise(x):
    return torch.relu(x * 2.0 + 1.0) - x.exp()


@case(*rows(4), dynamic_shapes=BATCH, example=torch.zeros(1, 4))
def example_of_one_row(x):
    return x + x.abs()


@case(*rows(4), dynamic_shapes=BATCH, example=torch.zeros(0, 4))
def example_of_no_row(x):
    return x + x.abs()


@case(*rows(4), dynamic_shapes=BATCH)
class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))

    def forward(self, x):
        return self.body(x)


@case(*rows(3, 8, 8), dynamic_shapes=BATCH)
class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.head = nn.Linear(4 * 4 * 4, 5)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


@case(*rows(4), torch.ones(3, 4), -torch.ones(2, 4), dynamic_shapes=BATCH)
def branch_on_a_value(x):
    if x.sum() > 0:
        return x + 1
    return x * 2


@case(*rows(4), dynamic_shapes=BATCH)
def sizes_are_numbers(x):
    n, k = x.shape
    return (
        n,
        k,
        x.size(0),
        len(x),
        x.numel(),
        tuple(x.shape),
        list(x.size()),
        x.size(-1),
        x.dim(),
        tuple(x.shape[1:]),
    )


@case(*rows(4), dynamic_shapes=BATCH)
def compared_with_ints_beyond_64_bits(x):
    n = x.shape[0]
    return x + (n < 2**70) + 2.0 * (-(2**70) > n) + 4.0 * (n != 2**63)


@case(*rows(4), dynamic_shapes=BATCH)
def coefficients_of_62_bits(x):
    n = (x.shape[0] + 5) % 2 * 2**61
    if n - 2**61 == 0:
        return x + 1.0
    return x


@case(*rows(4), dynamic_shapes=BATCH)
def shapes_as_arguments(x):
    y = torch.zeros(x.shape) + torch.ones_like(x)
    if x.shape[0] == 1:
        return y.expand(x.shape), torch.ones(x.shape), x.shape == y.shape
    return y.reshape(x.shape), torch.ones(*x.shape, 2), x.shape == y.shape


@case(*rows(1, sizes=(1, 0, 2, 5)), dynamic_shapes=BATCH, may_raise=True)
def a_number_from_an_open_size(x):
    return x.item() + 1, float(x)


@case(
    *rows(1, sizes=(1, 2, 5)),
    torch.ones(1, 1),
    -torch.ones(1, 1),
    dynamic_shapes={"x": {0: Dim("n", min=1)}},
    may_raise=True,
)
def a_truth_from_an_open_size(x):
    if x > 0:
        return x + 1
    return x


@case(*rows(4), dynamic_shapes=BATCH)
def in_place_on_open_sizes(x):
    y = torch.zeros(x.shape[0], 4)
    y += x
    y[:, 1] = 7.0
    y.mul_(2)
    return y


@case(*rows(3, 8), dynamic_shapes=BATCH)
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        b, n, d = x.shape
        heads = x.view(b, n, 2, d // 2).transpose(1, 2)
        merged = heads.transpose(1, 2).contiguous().view(b, n, d)
        return self.inner(x, x, x, need_weights=False)[0] + merged


@case(*rows(4), dynamic_shapes=BATCH)
def arithmetic_on_sizes(x):
    n = x.shape[0]
    return n + 1, n * 2 - 3, n // 2, n % 3, (n + 1) // 2 * 4, x * n


@case(*rows(4), dynamic_shapes=BATCH)
def branch_on_a_size(x):
    if x.shape[0] > 2:
        return x[:2] * 2
    return x + 1


@case(*rows(4), dynamic_shapes=BATCH)
def branch_on_an_empty_batch(x):
    if len(x) == 0:
        return x.new_zeros(1, 4)
    return x.mean(0, keepdim=True)


@case(*rows(4), dynamic_shapes=BATCH)
def a_single_row_is_special(x):
    if x.size(0) == 1:
        x = x.squeeze(0)
    return x.sum(0)


@case(*rows(4), dynamic_shapes=BATCH)
def sizes_that_build_tensors(x):
    n = x.shape[0]
    return torch.zeros(n, 3), torch.ones(n), torch.arange(n), torch.full((n, 2), 7.0), x.new_zeros(n + 1)


@case(*rows(2, 6), dynamic_shapes=BATCH)
def views(x):
    return x.view(-1, 12), x.reshape(x.shape[0] * 2, 6), x.flatten(1), x.permute(1, 0, 2), x.unsqueeze(0)


@case(*rows(4), dynamic_shapes=BATCH)
def slices(x):
    n = x.shape[0]
    return x[: n // 2], x[n // 2 :], x[:, 1:3], x[:, -1], x[::2]


@case(*rows(4), dynamic_shapes=BATCH, may_raise=True)
def last_row(x):
    return x[-1]


@case(*rows(4), dynamic_shapes=BATCH, may_raise=True)
def largest_row(x):
    return x.max(0).values


@case(*rows(4), dynamic_shapes=BATCH)
def reductions(x):
    return x.sum(), x.sum(0), x.mean(1), x.any(), x.all(), x.softmax(1), x.argmax(1)


@case(*rows(4), dynamic_shapes=BATCH)
def concatenation(x):
    y = torch.cat([x, x * 2])
    z = torch.cat([y, torch.ones(1, 4)])
    return z, torch.stack([x, x + 1]), z.shape[0]


@case(*rows(4), dynamic_shapes=BATCH)
def products(x):
    scores = x @ x.t()
    return scores.softmax(-1) @ x


@case(*rows(4, sizes=(3, 1, 2, 8)), dynamic_shapes={"x": {0: Dim("batch", min=1, max=8)}})
def a_range(x):
    return x / x.shape[0], x[0]


@case(
    *[(torch.ones(n, 3), torch.ones(k, 3)) for n in (3, 0, 1, 2, 9) for k in (2, 0, 1, 9)],
    dynamic_shapes={"x": {0: Dim("n")}, "y": {0: Dim("k")}},
    may_raise=True,
)
def two_sizes_broadcast(x, y):
    return x + y


@case(
    *[(torch.ones(n, 3), torch.ones(n, 2)) for n in SIZES],
    dynamic_shapes={"x": {0: Dim("n")}, "y": {0: Dim("n")}},
)
def one_size_of_two_inputs(x, y):
    return torch.cat([x, y], 1)


@case(
    *[(torch.ones(n, 3, k),) for n in (2, 0, 1, 5) for k in (4, 0, 1, 2, 7)],
    dynamic_shapes=({0: Dim.AUTO, 2: Dim.DYNAMIC},),
)
def hints(x):
    return x.transpose(1, 2).reshape(x.shape[0], -1) * 2 if x.shape[0] > 0 else x


@case(
    *[{"x": torch.ones(n), "rest": [torch.ones(n, 2)]} for n in SIZES],
    dynamic_shapes={"batch": {"x": {0: Dim("n")}, "rest": [{0: Dim("n")}]}},
)
def sizes_of_nested_inputs(batch):
    return batch["x"].unsqueeze(1) + batch["rest"][0]


@case(*rows(2, 4), dynamic_shapes=BATCH)
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return functional.scaled_dot_product_attention(q, k, v)


SERIES = {"x": {0: Dim("batch"), 1: Dim("length")}}
SHAPES = [torch.randn(n, t, 4) for n in (3, 0, 1, 2, 9) for t in (5, 0, 1, 2, 17)]


@case(*SHAPES, dynamic_shapes=SERIES, may_raise=True)
class Recurrent(nn.Module):
    """The length decides at run time; torch raises on an empty series, not on an empty batch."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(6, 5, batch_first=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        z, last = self.gru(y)
        return z, last, h, c


@case(*rows(4), dynamic_shapes=BATCH)
def the_shape_itself(x):
    return x.shape, (x * 2).size()


@case(*rows(4), dynamic_shapes=BATCH)
def padded_to_a_multiple(x):
    return functional.pad(x, (0, 0, 0, (4 - x.shape[0] % 4) % 4))


@case(*rows(4, sizes=(*SIZES, 5)), dynamic_shapes=BATCH, unreachable=1)
def padded_to_a_length(x):
    return functional.pad(x, (1, 0, 5 - x.shape[0], 0), value=2.0)  # cuts where it is longer


MANY = {"x": {0: Dim("rows", min=2)}}


@case(*rows(4, sizes=(3, 2, 5, 17)), dynamic_shapes=MANY)
def bounds_that_follow_from_the_size(x):
    n = x.shape[0]
    last = x[-n:]
    assert last.shape[0] == n  # which the machine knows: no edge leads elsewhere
    return last + x[:n] + x[0:n:1], x[-n - 3 :] + x[: n + 1], x[n:], x[: -n - 1], x[-n:2] + x[:2]


@case(*rows(4, sizes=(3, 2, 5, 17)), dynamic_shapes=MANY)
def a_negative_number_of_rows(x):
    n = -x.shape[0]
    return x * n, -n - x.shape[0], x[n + 1 :], torch.zeros(-n)
