# SPDX-License-Identifier: Apache-2.0
"""Refused: what must be known of a size, and is known at run time only."""

import torch
from python.torch.refused.case import refused
from torch.export import Dim
from torch.nn import functional

ROWS = {"x": {0: Dim("n")}}
X = torch.ones(3, 4)


@refused("x.tolist()", "size is known at run time only", "tensors", example=X, dynamic_shapes=ROWS)
def list_of_open_size(x):
    return x.tolist()


@refused("x.unbind()", "unbind needs to know a size", "compile time", example=X, dynamic_shapes=ROWS)
def rows_of_open_size(x):
    return x.unbind()[0]


@refused("x.split(2)", "split needs to know a size", "compile time", example=X, dynamic_shapes=ROWS)
def parts_of_open_size(x):
    return x.split(2)[0]


@refused(
    "functional.max_pool2d(x, x.shape[2])",
    "max_pool2d needs to know a size",
    "compile time",
    example=torch.ones(1, 1, 4, 4),
    dynamic_shapes={"x": {2: Dim("n")}},
)
def kernel_of_open_size(x):
    return functional.max_pool2d(x, x.shape[2])


@refused("torch.full((n,), x.sum().item(), dtype=torch.float16)", "elements of 16 bits", "fill a float32")
def halves_that_the_input_counts(x):
    n = int(x[0])
    return torch.full((n,), x.sum().item(), dtype=torch.float16)


@refused("functional.pad(torch.ones(2, dtype=torch.uint8), (1, 1), value=n)", "in uint8", "another dtype")
def bytes_padded_with_a_number_of_the_input(x):
    n = int(x[0])
    return functional.pad(torch.ones(2, dtype=torch.uint8), (1, 1), value=n)
