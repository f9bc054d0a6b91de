# SPDX-License-Identifier: Apache-2.0
"""Indices that are known while compiling: out of range they raise as eager does, and only then."""

import dycl
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

ROWS = torch.arange(12.0).reshape(3, 4)


def list_that_fits(x):
    return x[[0, 2]] if x.sum() > 0 else x[[-3, 1], [3, -4]]


def list_that_does_not(x):
    return x[[0, 3]] if x.sum() > 0 else x[:2]


def list_beside_a_number(x):
    return x[:2, 1] if x.sum() > 0 else x[[0, -4], 1]


def caught(x):
    try:
        return x[[0, 5]]
    except IndexError:
        return x * 2


def tensor_of_indices(x):
    places = torch.tensor([0, 3])
    return x.index_select(0, places) if x.sum() > 0 else x.index_select(1, places)


def gather_and_take(x):
    return x.take(torch.tensor([0, 11])) if x.sum() > 0 else x.gather(0, torch.tensor([[3, 0, 0, 0]]))


def written_rows(x):
    at = torch.tensor([0, 3])
    return x.index_add(1, at, torch.ones(3, 2)) if x.sum() > 0 else x.index_add(0, at, torch.ones(2, 4))


def loss_of_known_classes(x):
    wanted = [0, 1, 3] if x.sum() > 0 else [0, 1, 4]
    return F.cross_entropy(x, torch.tensor(wanted))


class Order(nn.Module):
    """Buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("order", torch.tensor([2, 0, 1]))
        self.register_buffer("wrong", torch.tensor([2, 0, 3]))

    def forward(self, x):
        return x[self.order] if x.sum() > 0 else x[self.wrong]


def probabilities_beyond_one(x):
    return F.binary_cross_entropy(x.abs() if x.sum() > 0 else x.abs() / 11, torch.ones(3, 4))


PROGRAMS = [
    list_that_fits, list_that_does_not, list_beside_a_number, caught, tensor_of_indices, gather_and_take,
    written_rows, loss_of_known_classes, Order(), probabilities_beyond_one,
]  # fmt: skip


def outcome(function, x):
    """The result, or the kind of exception."""
    try:
        return function(x)
    except (IndexError, RuntimeError) as error:
        return type(error)


@pytest.mark.parametrize("backend", ["onnxruntime", "auto:openvino,onnxruntime"])
@pytest.mark.parametrize("model", PROGRAMS, ids=lambda model: getattr(model, "__name__", "Order"))
def test_known_indices_raise_as_in_eager_and_only_then(model, backend):
    program = dycl.compile(model, (ROWS,), backend=backend, threads=1)
    for x in (ROWS, -ROWS):
        ours, theirs = outcome(program, x), outcome(model, x)
        if isinstance(theirs, type):
            assert ours is theirs
        else:
            torch.testing.assert_close(ours, theirs)


def test_open_sizes_are_compared_with_known_indices():
    def two(x):
        return x[[0, 2]]

    program = dycl.compile(two, (ROWS,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    for length in (2, 3):
        x = torch.randn(length, 4)
        ours, theirs = outcome(program, x), outcome(two, x)
        assert ours is theirs if isinstance(theirs, type) else torch.equal(ours, theirs)


def test_indices_that_fit_need_no_check():
    assert "IndexError" not in dycl.compile(list_that_fits, (ROWS,)).hcfg
    assert "IndexError" in dycl.compile(list_that_does_not, (ROWS,)).hcfg
