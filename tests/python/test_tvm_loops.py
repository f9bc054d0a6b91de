# SPDX-License-Identifier: Apache-2.0
"""The backend `tvm` where TVM's own loops, or LLVM's, are wrong."""

import dycl
import numpy as np
import onnx.reference
import pytest
import torch

from python import models

REDUCTIONS = ["ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"]


@pytest.mark.parametrize("operator", REDUCTIONS)
def test_of_an_axis_that_is_empty_at_run_time(operator):
    """TVM's own loops never write such a result."""
    model = models.parse(f"""
    main (float[N,5] x) => (float[5] y) <int64[1] axis = {{0}}> {{
      y = {operator} <keepdims = 0> (x, axis)
    }}""")
    judge = onnx.reference.ReferenceEvaluator(model)
    program = dycl.compile(model, backend="tvm", threads=1)
    for length in (0, 2):
        x = np.arange(length * 5, dtype=np.float32).reshape(length, 5)
        np.testing.assert_allclose(program(x), judge.run(None, {"x": x})[0], rtol=1e-6)


def test_a_product_over_an_axis_that_is_empty_at_run_time():
    model = models.parse("main (float[3,N] x, float[N,3] y) => (float[3,3] z) { z = MatMul (x, y) }")
    program = dycl.compile(model, backend="tvm", threads=1)
    for length in (0, 2):
        x = np.ones((3, length), np.float32)
        np.testing.assert_array_equal(program(x, x.T), x @ x.T)


def test_indices_that_come_round_again():
    """LLVM reads on where they should, if it may vectorize these loops for AVX-512."""
    for sizes, times in (((2, 3, 4, 5), (7, 6, 4, 2)), ((3, 4, 5), (2, 4, 2)), ((2, 2, 3), (3, 8, 4))):
        rank, shape = len(sizes), ",".join(map(str, sizes))
        model = models.parse(f"""
        main (float[{shape}] x) => (float[{",".join("abcd"[:rank])}] y)
          <int64[{rank}] times = {{{",".join(map(str, times))}}}> {{ y = Tile (x, times) }}""")
        x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
        np.testing.assert_array_equal(dycl.compile(model, backend="tvm", threads=1)(x), np.tile(x, times))


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("to", [{"scale_factor": 1.7}, {"scale_factor": 0.6}, {"size": (5, 11)}], ids=str)
def test_pictures_of_other_sizes(mode, to):
    """TVM's own resizing takes the ratio of sizes for the scale."""

    def resized(x):
        return torch.nn.functional.interpolate(x, mode=mode, **to)

    x = torch.randn(1, 2, 7, 8, generator=torch.Generator().manual_seed(0))
    program = dycl.compile(resized, (x,), backend="tvm", threads=1)
    torch.testing.assert_close(program(x), resized(x), rtol=1e-5, atol=1e-5)
