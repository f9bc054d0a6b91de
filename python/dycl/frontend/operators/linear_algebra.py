# SPDX-License-Identifier: Apache-2.0
"""Factorisations of small matrices and what is solved with them, step by step, in f64: ONNX has none."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from dycl.frontend.operators.guards import guard
from dycl.frontend.operators.rules import RULES, Tensor, argmax, refuse_if, rule

_LARGEST = 64  # rows: each of them is a dozen operations


@rule("einsum")
def _einsum(equation: str, operands: list[Tensor], *, path: Any = None) -> Tensor:
    """An output that it does not name is named here: torch has capital letters before small ones."""
    equation = equation.replace(" ", "")
    if "->" not in equation:
        once = [label for label in equation if label.isalpha() and equation.count(label) == 1]
        equation += "->" + ("..." if "..." in equation else "") + "".join(sorted(once))
    einsum: Any = torch.ops.aten.einsum.default
    product: Tensor
    if all(isinstance(size, int) and size > 0 for operand in operands for size in operand.shape):
        product = einsum(equation, operands)
        return product
    # Backends fail on operands without elements, but not on the products that torch makes of it. Tracing has
    # replaced decompose(), to keep the operation whole.
    product = einsum._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, equation, operands)
    return product


class _Factors(NamedTuple):
    packed: Tensor  # L below the diagonal, U on and above it
    order: Tensor  # which row of the matrix each row is
    pivots: Tensor
    info: Tensor


def _checked(a: Tensor, name: str) -> Tensor:
    refuse_if(max(a.shape[-2:]) > _LARGEST, name, f"it is lowered for matrices of at most {_LARGEST} rows")
    return a.to(torch.float64)


def _rows(x: Tensor, order: Tensor) -> Tensor:
    return torch.gather(x, -2, order.unsqueeze(-1).expand(x.shape))


def _swapped(places: Tensor, k: int, best: Tensor) -> Tensor:
    return torch.where(places == k, best, torch.where(places == best, torch.full_like(places, k), places))


def _first_zero(found: list[Tensor], like: Tensor) -> Tensor:
    """The number, from 1, of the first step that failed; 0 if none did."""
    info = torch.zeros(like.shape[:-2], dtype=torch.int32)
    for step in range(len(found), 0, -1):
        info = torch.where(found[step - 1], torch.full_like(info, step), info)
    return info


def _lu(matrix: Tensor, name: str) -> _Factors:
    a = _checked(matrix, name)
    m, steps = a.shape[-2], min(a.shape[-2:])
    places = torch.arange(m).expand(a.shape[:-1])
    order, pivots, zeros = places, [], []
    for k in range(steps):
        best = argmax(a[..., k:, k].abs(), -1, True) + k
        swap = _swapped(places, k, best)
        a, order = _rows(a, swap), torch.gather(order, -1, swap)
        pivots.append(best + 1)
        head = a[..., k : k + 1, k : k + 1]
        zeros.append((head == 0).reshape(head.shape[:-2]))
        below = a[..., k + 1 :, k : k + 1]
        below = torch.where(head == 0, below, below / head)
        rest = a[..., k + 1 :, k + 1 :] - below * a[..., k : k + 1, k + 1 :]
        lower = torch.cat([a[..., k + 1 :, :k], below, rest], -1)
        a = torch.cat([a[..., : k + 1, :], lower], -2)
    chosen = torch.cat(pivots, -1) if pivots else places[..., :0]
    return _Factors(a, order, chosen.to(torch.int32), _first_zero(zeros, a))


def _eye(n: int) -> Tensor:
    return torch.eye(n, dtype=torch.float64)


def _unit_lower(packed: Tensor) -> Tensor:
    """m by min(m, n), with ones on the diagonal."""
    k = min(packed.shape[-2:])
    return torch.tril(packed[..., :k], -1) + torch.eye(packed.shape[-2], k, dtype=torch.float64)


def _upper(packed: Tensor) -> Tensor:
    return torch.triu(packed[..., : min(packed.shape[-2:]), :])


def _substituted(a: Tensor, b: Tensor, upper: bool, unit: bool) -> Tensor:
    """X of A X = B, row by row."""
    n = a.shape[-1]
    solved: Tensor | None = None
    for i in reversed(range(n)) if upper else range(n):
        row, beside = b[..., i : i + 1, :], a[..., i : i + 1, i + 1 :] if upper else a[..., i : i + 1, :i]
        row = row if solved is None else row - beside @ solved
        row = row if unit else row / a[..., i : i + 1, i : i + 1]
        both = [row] if solved is None else [row, solved] if upper else [solved, row]
        solved = torch.cat(both, -2)
    return b if solved is None else solved


def _with_factors(packed: Tensor, b: Tensor) -> Tensor:
    return _substituted(packed, _substituted(packed, b, False, True), True, False)


def _batched(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]
    return a.expand([*shape, *a.shape[-2:]]), b.expand([*shape, *b.shape[-2:]])


def _solved(a: Tensor, b: Tensor, left: bool) -> tuple[Tensor, _Factors]:
    vector = b.dim() == 1 or (a.dim() - 1 == b.dim() and b.shape == a.shape[:-1])
    wide = b.to(torch.float64)
    wide = wide.unsqueeze(-1) if vector else wide
    factors = _lu(a if left else a.mT, "linalg.solve")
    packed, wide = _batched(factors.packed, wide if left else wide.mT)
    order = factors.order.expand([*packed.shape[:-2], packed.shape[-1]])
    x = _with_factors(packed, _rows(wide, order))
    x = x if left else x.mT
    return (x.squeeze(-1) if vector else x).to(a.dtype), factors


_SINGULAR = "the matrix is singular: its factor has a zero on the diagonal"


def _raise_unless_zero(info: Tensor, message: str, kind: str = "torch._C:_LinAlgError") -> None:
    guard(info != 0, kind, message)


@rule("_linalg_solve_ex")
def _solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    x, factors = _solved(a, b, left)
    if check_errors:
        _raise_unless_zero(factors.info, _SINGULAR)
    return x, factors.packed.to(a.dtype), factors.pivots, factors.info


@rule("linalg_solve")
def _solve(a: Tensor, b: Tensor, *, left: bool = True) -> Any:
    return _solve_ex(a, b, left=left, check_errors=True)[0]


@rule("linalg_inv_ex")
def _inv_ex(a: Tensor, *, check_errors: bool = False) -> Any:
    factors = _lu(a, "linalg.inv")
    identity = _eye(a.shape[-1]).expand(a.shape)
    if check_errors:
        _raise_unless_zero(factors.info, _SINGULAR)
    return _with_factors(factors.packed, _rows(identity, factors.order)).to(a.dtype), factors.info


RULES["aten::linalg_inv"] = RULES["aten::inverse"] = lambda a: _inv_ex(a, check_errors=True)[0]


def _sign_of(order: Tensor) -> Tensor:
    """Of a permutation: by its inversions."""
    n = order.shape[-1]
    inverted = torch.triu((order.unsqueeze(-1) > order.unsqueeze(-2)).to(torch.float64), 1).sum((-2, -1))
    return 1 - 2 * (inverted - 2 * torch.floor(inverted / 2)) if n > 1 else torch.ones_like(inverted)


@rule("_linalg_slogdet")
def _slogdet(a: Tensor) -> Any:
    factors = _lu(a, "slogdet")
    if not a.shape[-1]:
        one = torch.ones(a.shape[:-2], dtype=a.dtype)
        return one, torch.zeros_like(one), a.clone(), factors.pivots
    diagonal = torch.diagonal(factors.packed, dim1=-2, dim2=-1)
    sign = torch.sign(diagonal).prod(-1) * _sign_of(factors.order)
    size = torch.log(diagonal.abs()).sum(-1)
    return sign.to(a.dtype), size.to(a.dtype), factors.packed.to(a.dtype), factors.pivots


@rule("linalg_lu_factor_ex")
def _lu_factor_ex(a: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    refuse_if(not pivot, "linalg.lu_factor", "eager has no form without pivots on the CPU")
    factors = _lu(a, "linalg.lu_factor")
    if check_errors:
        _raise_unless_zero(
            factors.info, _SINGULAR, "RuntimeError"
        )  # this alone raises it, of all that meet a zero
    return factors.packed.to(a.dtype), factors.pivots, factors.info


@rule("linalg_lu_factor")
def _lu_factor(a: Tensor, *, pivot: bool = True) -> Any:
    return _lu_factor_ex(a, pivot=pivot, check_errors=True)[:2]


def _unpacked(packed: Tensor, order: Tensor, dtype: torch.dtype) -> Any:
    permutation = (torch.arange(packed.shape[-2]).unsqueeze(-1) == order.unsqueeze(-2)).to(dtype)
    return permutation, _unit_lower(packed).to(dtype), _upper(packed).to(dtype)


@rule("linalg_lu")
def _linalg_lu(a: Tensor, *, pivot: bool = True) -> Any:
    refuse_if(not pivot, "linalg.lu", "eager has no form without pivots on the CPU")
    factors = _lu(a, "linalg.lu")
    return _unpacked(factors.packed, factors.order, a.dtype)


def _order_of(pivots: Tensor, rows: int) -> Tensor:
    order = torch.arange(rows).expand([*pivots.shape[:-1], rows])
    places = order
    for k in range(pivots.shape[-1]):
        best = pivots[..., k : k + 1].to(torch.int64) - 1
        swap = _swapped(places, k, best)
        order = torch.gather(order, -1, swap)
    return order


@rule("linalg_solve_triangular")
def _solve_triangular(
    a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    wide_a, wide_b = _batched(*((a, b) if left else (a.mT, b.mT)))
    wide_a = _checked(wide_a, "solve_triangular")
    x = _substituted(wide_a, wide_b.to(torch.float64), upper if left else not upper, unitriangular)
    return (x if left else x.mT).to(a.dtype)


@rule("triangular_solve")
def _triangular_solve(
    b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    b, a = _batched(b, a)
    turned, top = (a.mT, not upper) if transpose else (a, upper)
    return _solve_triangular(turned, b, upper=top, unitriangular=unitriangular), a.clone()


@rule("linalg_cholesky_ex")
def _cholesky_ex(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Of the lower half; of the upper one where that is asked for."""
    wide = _checked(a.mT if upper else a, "linalg.cholesky")
    n = a.shape[-1]
    columns: list[Tensor] = []
    bad: list[Tensor] = []
    for k in range(n):
        column = wide[..., k:, k : k + 1]
        for known in columns:
            column = column - known[..., k:, :] * known[..., k : k + 1, :]
        head = column[..., :1, :]
        bad.append(~(head > 0).reshape(head.shape[:-2]))
        column = column / torch.sqrt(head)
        columns.append(torch.cat([torch.zeros_like(wide[..., :k, :1]), column], -2))
    factor, info = torch.cat(columns, -1) if columns else wide, _first_zero(bad, wide)
    if check_errors:
        _raise_unless_zero(info, "the input is not positive-definite")
    return (factor.mT if upper else factor).to(a.dtype), info


RULES["aten::linalg_cholesky"] = lambda a, *, upper=False: _cholesky_ex(a, upper=upper, check_errors=True)[0]
RULES["aten::cholesky"] = lambda a, upper=False: _cholesky_ex(a, upper=upper, check_errors=True)[0]


@rule("cholesky_solve")
def _cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    lower, wide = _batched(_checked(factor.mT if upper else factor, "cholesky_solve"), b.to(torch.float64))
    return _substituted(lower.mT, _substituted(lower, wide, False, False), True, False).to(b.dtype)


@rule("cholesky_inverse")
def _cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    return _cholesky_solve(
        torch.eye(factor.shape[-1], dtype=factor.dtype).expand(factor.shape), factor, upper
    )


@rule("linalg_lu_solve")
def _lu_solve(
    packed: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    wide, turned = _checked(packed, "lu_solve"), not left
    order = _order_of(pivots, packed.shape[-1])
    wide, x = _batched(wide, (b.mT if turned else b).to(torch.float64))
    order = order.expand([*wide.shape[:-2], wide.shape[-1]])
    if adjoint != turned:  # of the transposed matrix
        x = _substituted(wide.mT, _substituted(wide.mT, x, False, False), True, True)
        back = torch.argsort(order, -1)
        x = _rows(x, back)
    else:
        x = _with_factors(wide, _rows(x, order))
    return (x.mT if turned else x).to(b.dtype)


@rule("lu_unpack")
def _lu_unpack(packed: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    nothing = torch.zeros([0], dtype=packed.dtype)
    order = _order_of(pivots, packed.shape[-2])
    p, lower, upper = _unpacked(_checked(packed, "lu_unpack"), order, packed.dtype)
    return p if unpack_pivots else nothing, *((lower, upper) if unpack_data else (nothing, nothing))
