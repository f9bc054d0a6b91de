# SPDX-License-Identifier: Apache-2.0
"""Operators that DyCL computes by formulas of its own, over grids of values, against eager."""

from __future__ import annotations

import pytest
import torch
from dycl.capture import Capture, LeafRefused
from python.capture.leaf_runner import check_leaf
from torch import special

nan, inf = float("nan"), float("inf")
ODD = torch.tensor(
    [0.0, -0.0, 1e-3, -1e-3, 1e-30, -1e-30, 1e-40, nan, inf, -inf, 1.0, 5.0, 5.0001, 12.0, 12.001]
)
GRID = torch.cat([torch.linspace(-30, 30, 241), ODD, torch.tensor([40.0, 88, 90, 100, -100, 110, 1e3])])


@pytest.fixture(scope="module")
def capture():
    with Capture() as made:
        yield made


BESSEL = """i0 i0e i1 i1e modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
    scaled_modified_bessel_k0 scaled_modified_bessel_k1 bessel_j0 bessel_j1 bessel_y0 bessel_y1
    spherical_bessel_j0 airy_ai"""


@pytest.mark.long
@pytest.mark.parametrize("name", BESSEL.split())
def test_a_bessel_function_equals_eager(capture, name):
    check_leaf(capture, getattr(special, name), GRID)
    check_leaf(capture, getattr(special, name), torch.arange(4))
    check_leaf(capture, getattr(special, name), torch.tensor(0.5))
    with pytest.raises(LeafRefused, match="f32 only"):
        check_leaf(capture, getattr(special, name), GRID.double())


@pytest.mark.long
@pytest.mark.parametrize("order", range(9))
def test_polygamma_equals_eager(capture, order):
    # Eager sums its way up from negative numbers, so they are few.
    x = torch.cat([torch.linspace(-6, 12, 145), ODD, torch.tensor([40.0, 1e6, -50.25, 1e20])])
    check_leaf(capture, torch.polygamma, order, x)
    check_leaf(capture, torch.polygamma, order, torch.arange(-3, 5))


@pytest.mark.long
@pytest.mark.parametrize("kind", "tuvw")
@pytest.mark.parametrize("prefix", ["", "shifted_"])
def test_a_chebyshev_polynomial_equals_eager(capture, kind, prefix):
    function = getattr(special, f"{prefix}chebyshev_polynomial_{kind}")
    x = torch.cat(
        [torch.linspace(-1.5, 1.5, 25), torch.tensor([0.0, -0.0, 3, -7, 1e10, -1e10, inf, -inf, 1e38])]
    )
    n = torch.tensor([-3, -0.5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20, 2.7, 40, nan, inf, -inf])
    check_leaf(capture, function, x.unsqueeze(1), n)
    check_leaf(capture, function, x, 5)
    check_leaf(capture, function, 2.5, n)
    check_leaf(capture, function, torch.arange(-3, 4), torch.arange(7))
    check_leaf(capture, function, torch.tensor(0.3), torch.tensor(4.0))
    check_leaf(capture, function, torch.full((3,), nan), torch.tensor([0.0, 1, -1]))


@pytest.mark.long
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_a_fourier_transform_of_real_numbers_to_real_numbers_equals_eager(capture, norm, dtype):
    x = (torch.randn(3, 6, 5) * 9).to(dtype)
    for function in (torch.fft.irfft, torch.fft.hfft):
        for size in (None, 1, 2, 7, 12):
            check_leaf(capture, function, x, size, 1, norm)
    for function in (torch.fft.irfft2, torch.fft.irfftn, torch.fft.hfft2, torch.fft.hfftn):
        check_leaf(capture, function, x, norm=norm)
        check_leaf(capture, function, x, (4, 9), (0, 2), norm)


def test_a_complex_result_is_refused_by_name(capture):
    with pytest.raises(LeafRefused, match="complex64"):
        check_leaf(capture, torch.fft.rfft, torch.randn(4))
