# SPDX-License-Identifier: Apache-2.0
"""Operators that DyCL computes by formulas of its own, over grids of values, against eager."""

from __future__ import annotations

import pytest
import torch
from dycl.frontend.capture import Capture, LeafRefused
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


MATRICES = torch.randn(2, 5, 5, generator=torch.Generator().manual_seed(3))
POSITIVE = MATRICES @ MATRICES.mT + torch.eye(5)
SINGULAR = torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])
LEFT, VECTOR = torch.randn(2, 5, 3), torch.randn(5)

SOLVERS = {
    "solve": (torch.linalg.solve, MATRICES, LEFT),
    "solve_vector": (torch.linalg.solve, MATRICES[0], VECTOR),
    "solve_right": (torch.linalg.solve, MATRICES, LEFT.mT, {"left": False}),
    "solve_spread": (torch.linalg.solve, MATRICES[:1], LEFT),
    "solve_singular": (torch.linalg.solve, SINGULAR, torch.ones(3)),
    "inv": (torch.linalg.inv, MATRICES),
    "inv_singular": (torch.linalg.inv, SINGULAR),
    "inv_of_zeros": (torch.inverse, torch.zeros(2, 2)),
    "slogdet": (torch.linalg.slogdet, MATRICES),
    "slogdet_singular": (torch.linalg.slogdet, SINGULAR),
    "slogdet_swapped": (torch.linalg.slogdet, torch.eye(4)[[1, 2, 3, 0]]),
    "slogdet_empty": (torch.linalg.slogdet, torch.zeros(2, 0, 0)),
    "lu": (torch.linalg.lu, MATRICES[..., :3]),
    "lu_wide": (torch.linalg.lu, MATRICES[..., :3, :]),
    "lu_factor": (torch.linalg.lu_factor, MATRICES),
    "lu_factor_singular": (torch.linalg.lu_factor, SINGULAR),
    "lu_factor_ex_singular": (torch.linalg.lu_factor_ex, SINGULAR),
    "lu_unpack": (torch.lu_unpack, *torch.linalg.lu_factor(MATRICES)),
    "lu_solve": (torch.linalg.lu_solve, *torch.linalg.lu_factor(MATRICES), LEFT),
    "lu_solve_adjoint": (torch.linalg.lu_solve, *torch.linalg.lu_factor(MATRICES), LEFT, {"adjoint": True}),
    "lu_solve_right": (torch.linalg.lu_solve, *torch.linalg.lu_factor(MATRICES), LEFT.mT, {"left": False}),
    "lu_solve_right_adjoint": (
        torch.linalg.lu_solve,
        *torch.linalg.lu_factor(MATRICES),
        LEFT.mT,
        {"left": False, "adjoint": True},
    ),
    "cholesky": (torch.linalg.cholesky, POSITIVE),
    "cholesky_upper": (torch.linalg.cholesky, POSITIVE, {"upper": True}),
    "cholesky_empty": (torch.linalg.cholesky_ex, torch.zeros(2, 0, 0)),
    "cholesky_indefinite": (torch.linalg.cholesky, -POSITIVE),
    "cholesky_solve": (torch.cholesky_solve, LEFT, torch.linalg.cholesky(POSITIVE)),
    "cholesky_inverse": (torch.cholesky_inverse, torch.linalg.cholesky(POSITIVE).mT.contiguous(), True),
    "solve_triangular": (torch.linalg.solve_triangular, POSITIVE, LEFT, {"upper": True}),
    "solve_triangular_unit": (
        torch.linalg.solve_triangular,
        POSITIVE / 9,
        LEFT.mT,
        {"upper": False, "left": False, "unitriangular": True},
    ),
    "triangular_solve": (torch.triangular_solve, LEFT, POSITIVE, False, True),
    "tensorsolve": (torch.linalg.tensorsolve, torch.randn(6, 2, 3), torch.randn(6)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_solved_with_a_small_matrix_equals_eager(capture, name):
    function, *args = SOLVERS[name]
    kwargs = args.pop() if isinstance(args[-1], dict) else {}
    check_leaf(capture, function, *args, **kwargs, _rtol=1e-4, _atol=1e-5)


def test_a_large_matrix_is_refused_by_name(capture):
    with pytest.raises(LeafRefused, match="at most 64 rows"):
        check_leaf(capture, torch.linalg.inv, torch.eye(65))
