# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with constants, which compilers merge into what computes its operand: along the right axis."""

import dycl
import pytest
import torch

VECTOR = torch.tensor([2.0, -3.0, 0.5, 41.0])
# OpenVINO alone takes a wrong axis in most of these.
ARITHMETIC = {
    "sum of rows": lambda x: x.sum(-1) + VECTOR,
    "mean of rows": lambda x: x.mean(2) * VECTOR,
    "norm of rows": lambda x: x.norm(dim=-1) - VECTOR,
    "sum over the batch": lambda x: x.sum(0) + VECTOR[:, None],
    "distances": lambda x: torch.cdist(x[:, 0], torch.eye(4)) + VECTOR,
    "sum of integers": lambda x: x.long().sum(-1) + VECTOR.long(),
    "largest integer": lambda x: x.int().amax(-1) + VECTOR.int(),
    "matrix and vector": lambda x: (x[0] @ VECTOR) * VECTOR,
    "constant matrix and vector": lambda x: (torch.eye(4) @ x[0, 0]) * VECTOR,
    "vector and matrix": lambda x: (x[0, 0] @ x[1]) / VECTOR,
}


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_with_constants_goes_along_its_own_axis(name, backend):
    x = torch.randn(8, 4, 4, generator=torch.Generator().manual_seed(0)) * 10
    program = dycl.compile(ARITHMETIC[name], (x,), backend=backend, threads=1)
    torch.testing.assert_close(program(x), ARITHMETIC[name](x), rtol=1e-4, atol=1e-4)
