# SPDX-License-Identifier: Apache-2.0
"""f64 is f64 all the way: no constant passes through single precision on its way to the backend."""

import dycl
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn


def batch_norm(x):
    ones = torch.ones(4, dtype=x.dtype)
    return F.batch_norm(x, ones * 0.1, ones * 1e-6, ones * 0.3, ones * 0.7)


# Variances are small, so that the epsilon counts.
CASES = {
    "batch_norm": (batch_norm, (3, 4)),
    "batch_norm of pictures": (batch_norm, (2, 4, 3, 5)),
    "layer_norm": (nn.LayerNorm((4, 5)).double(), (3, 4, 5)),
    "layer_norm without weights": (lambda x: F.layer_norm(x, (5,), eps=1e-3), (3, 4, 5)),
    "group_norm": (nn.GroupNorm(2, 4).double(), (3, 4, 5, 2)),
    "instance_norm": (nn.InstanceNorm2d(4, affine=True).double(), (3, 4, 5, 2)),
    "rms_norm": (nn.RMSNorm(5, eps=1e-5).double(), (3, 4, 5)),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x), (1, 2, 3, 5)),
    "addmm": (lambda x: torch.addmm(x, x, x, beta=0.3, alpha=0.7), (4, 4)),
    "scaled product": (lambda x: x @ x * 0.3, (4, 4)),
    "product of quotients": (lambda x: (x / 1.7) @ x, (4, 4)),
    "layer_norm by hand": (
        lambda x: (x - x.mean(-1, True)) / torch.sqrt(((x - x.mean(-1, True)) ** 2).mean(-1, True) + 1e-5),
        (3, 4),
    ),
    "quick gelu": (lambda x: x * torch.sigmoid(1.702 * x), (3, 4)),
}


@pytest.mark.parametrize("backend", ["onnxruntime", "tvm"])
@pytest.mark.parametrize("name", CASES)
def test_results_have_all_their_digits(name, backend):
    model, shape = CASES[name]
    x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 1e-2
    program = dycl.compile(model, (x,), backend=backend, threads=1)
    torch.testing.assert_close(program(x), model(x), rtol=1e-12, atol=1e-14)


def test_constants_that_onnx_holds_in_single_precision_are_refused():
    with pytest.raises(dycl.UnsupportedError, match="single precision only"):
        dycl.compile(lambda x: F.leaky_relu(x, 0.01), (torch.randn(3, dtype=torch.float64),))
