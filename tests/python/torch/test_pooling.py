# SPDX-License-Identifier: Apache-2.0
"""Pooling whose windows reach over the end of the picture."""

import dycl
import pytest
import torch
from torch import nn

# kernel, stride, padding, dilation
POOLS = [(3, 2, 0, 1), (3, 2, 1, 1), (2, 3, 0, 1), (2, 2, 1, 1), (3, 1, 1, 1), ((3, 2), (2, 3), (1, 0), 1)]


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("sizes", [(7, 7), (8, 8), (9, 10), (17, 5)])
def test_max_pools_in_ceil_mode_are_those_of_eager(backend, sizes):
    pools = nn.ModuleList(nn.MaxPool2d(k, s, p, d, ceil_mode=True) for k, s, p, d in POOLS)

    def every_pool(x):
        return [pool(x) for pool in pools]

    x = torch.randn(1, 2, *sizes, generator=torch.Generator().manual_seed(0))
    program = dycl.compile(every_pool, x - 5, backend=backend)
    dycl.verify(program, every_pool, [x - 5, x], tolerance=0.0, search=None).check()


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_dilated_max_pools_in_ceil_mode_are_right_or_refused(backend):
    outcomes = set()
    for size in range(6, 12):
        pool = nn.MaxPool2d(3, 3, 1, 2, ceil_mode=True)
        x = torch.randn(1, 2, size, size, generator=torch.Generator().manual_seed(size))
        try:
            program = dycl.compile(pool, x, backend=backend)
        except dycl.Error as error:
            outcomes.add(type(error))
            continue
        dycl.verify(program, pool, [x], tolerance=0.0, search=None).check()
        outcomes.add("equal")
    assert "equal" in outcomes


def test_indices_of_max_pools_in_ceil_mode_count_the_picture_only():
    pool = nn.MaxPool2d(3, 2, 1, ceil_mode=True, return_indices=True)
    x = torch.randn(1, 2, 8, 9, generator=torch.Generator().manual_seed(0))
    dycl.verify(dycl.compile(pool, x), pool, [x, x - 9], tolerance=0.0, search=None).check()
