# SPDX-License-Identifier: Apache-2.0
"""ATen operations whose plain ONNX form differs from eager: rewritten, guarded or refused, by name.

A rule is written in torch and traced into the fragment in place of the operation, so both payloads have it.
Operations without a rule are total: they raise on no value. Found by comparing with eager, see its tests.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from dycl.frontend.operators.guards import LeafRefused, guard, wrapped

Tensor = torch.Tensor
Rule = Callable[..., Any]
F = TypeVar("F", bound=Rule)
RULES: dict[str, Rule] = {}
_LAYOUT = "it depends on how its operand lies in memory"
_TRAINING = "it updates statistics in training mode; call model.eval()"
_INEXACT = "its ONNX form gives other values than eager"
REFUSED: dict[str, str] = {
    "aten::as_strided_copy": _LAYOUT,
    "aten::as_strided_scatter": _LAYOUT,
    "aten::_native_batch_norm_legit": _TRAINING,
    "aten::_native_batch_norm_legit_functional": _TRAINING,
    "aten::_batch_norm_with_update_functional": _TRAINING,
    "aten::native_batch_norm": _TRAINING,
    "aten::_upsample_bilinear2d_aa": _INEXACT,
    "aten::_upsample_bicubic2d_aa": _INEXACT,
    "aten::_scaled_dot_product_flash_attention_for_cpu": _INEXACT,
    "aten::special_erfcx": _INEXACT,
    "aten::special_log_ndtr": _INEXACT,
}
# Uninitialised memory: harmless only where it is overwritten whole.
_EMPTY = "empty.memory_format empty_like empty_strided new_empty new_empty_strided empty_permuted"
EMPTY = frozenset(f"aten::{name}" for name in _EMPTY.split())
_OVERWRITES = "fill.Scalar fill.Tensor zeros_like ones_like full_like copy zero"
OVERWRITES = frozenset(f"aten::{name}" for name in _OVERWRITES.split())


def rule(*names: str) -> Callable[[F], F]:
    def register(function: F) -> F:
        for name in names:
            if RULES.setdefault(f"aten::{name}", function) is not function:
                raise ValueError(f"two rules for {name}")
        return function

    return register


def _aten(name: str) -> Callable[..., Tensor]:
    packet, _, overload = name.partition(".")
    target: Callable[..., Tensor] = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return target


def refuse_if(condition: bool, name: str, reason: str) -> None:
    if condition:
        raise LeafRefused(f"{name}: {reason}")


# --- integers -------------------------------------------------------------------------------------------


def _is_int(*values: Any) -> bool:
    return all(not v.is_floating_point() if isinstance(v, Tensor) else isinstance(v, int) for v in values)


def _nonzero(divisor: Any) -> Any:
    if not isinstance(divisor, Tensor):
        refuse_if(divisor == 0, "an integer division", "its divisor is always zero")
        return divisor
    zero = divisor == 0
    guard(zero, "RuntimeError", "ZeroDivisionError")
    return torch.where(zero, torch.ones_like(divisor), divisor)


def _same_dtype(a: Any, b: Any) -> tuple[Any, Any]:
    dtype = torch.result_type(a, b)
    return _typed(a, dtype), _typed(b, dtype)


def _typed(value: Any, dtype: torch.dtype) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(dtype)
    return torch.full((), wrapped(value, dtype), dtype=dtype)


@rule("floor_divide")
def _floor_divide(a: Any, b: Any) -> Tensor:
    a, b = _same_dtype(a, b)
    if _is_int(a, b):
        return _aten("floor_divide")(a, _nonzero(b))
    rest = _aten("fmod.Tensor")(a, b)
    quotient = (a - rest) / b
    quotient = torch.where((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1, quotient)
    whole = torch.floor(quotient)
    whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
    return torch.where(b == 0, a / b, torch.where(quotient == 0, torch.zeros_like(whole), whole))


@rule("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(a: Any, b: Any, *, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode == "floor":
        return _floor_divide(a, b)
    a, b = _same_dtype(a, b)
    if rounding_mode is None or not _is_int(a, b):
        return _aten("div.Tensor_mode")(a, b, rounding_mode=rounding_mode)
    b = _nonzero(b)
    quotient = _aten("floor_divide")(a, b)
    return torch.where((quotient < 0) & (quotient * b != a), quotient + 1, quotient)


@rule("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def _remainder(a: Any, b: Any) -> Tensor:
    a, b = _same_dtype(a, b)
    if _is_int(a, b):
        return _aten("remainder.Tensor")(a, _nonzero(b))
    rest = _aten("fmod.Tensor")(a, b)
    return torch.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


@rule("fmod.Tensor", "fmod.Scalar")
def _fmod(a: Any, b: Any) -> Tensor:
    a, b = _same_dtype(a, b)
    return a - b * _div_mode(a, b, rounding_mode="trunc") if _is_int(a, b) else _aten("fmod.Tensor")(a, b)


@rule("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _pow(a: Any, b: Any) -> Tensor:
    if isinstance(a, Tensor) and _is_int(a, b) and not isinstance(b, Tensor) and 0 <= b <= 64:
        base = a.to(torch.result_type(a, b))
        return functools.reduce(torch.mul, [base] * b, torch.ones_like(base))
    reason = "it is lowered for exponents from 0 to 64 that are known when compiling; use floats"
    refuse_if(_is_int(a, b), "pow of integers", reason)
    if isinstance(b, float) and abs(b) == 0.5:  # eager's roots differ from powers at -inf and -0.0
        root = torch.sqrt(a.to(torch.result_type(a, b)))
        return root if b > 0 else 1 / root
    left = _left_of_exponent(b) if isinstance(a, Tensor) and a.dtype == torch.float32 else 0.0
    a, b = _same_dtype(a, b)
    power: Tensor = _aten("pow.Tensor_Tensor")(a, b)
    # Eager has the exponent in f64: x**(b + left) = x**b * (1 + left * log(x)), as good as.
    return power * (1 + left * torch.clamp(torch.log(a.abs()), -104, 89)) if left else power


def _left_of_exponent(exponent: Any) -> float:
    """What f32 does not hold of a number."""
    if not isinstance(exponent, float) or not abs(exponent) < 1e30:
        return 0.0
    held: float = struct.unpack("f", struct.pack("f", exponent))[0]
    return exponent - held


@rule("add.Tensor")
def _add(a: Any, b: Any, *, alpha: Any = 1) -> Tensor:
    if torch.result_type(a, b) == torch.bool:
        return torch.logical_or(*_same_dtype(a, b)) if alpha else a.clone()
    return _aten("add.Tensor")(a, b, alpha=alpha)


def _added(name: str, product: Callable[[Tensor, Tensor], Tensor]) -> Rule:
    """beta * c + alpha * product; c is not looked at where beta is 0. Gemm has its factors in f32 only."""

    def call(c: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        floats = a.is_floating_point() and name in ("addmm", "addmv")
        refuse_if(floats and alpha == 0, name, "whether eager looks at the matrices depends on its library")
        result = product(a, b)
        if result.dtype == torch.bool:
            result = result if alpha else torch.zeros_like(result)
            return torch.logical_or(c, result) if beta else result
        if _is_int(result):
            alpha, beta = int(alpha), int(beta)
        result = result if alpha == 1 else result * alpha
        if beta == 0:
            return result
        return (c if beta == 1 else c * beta) + result

    return call


_PRODUCTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "addmm": torch.mm,
    "addmv": torch.mv,
    "baddbmm": torch.bmm,
    "addbmm": lambda a, b: torch.bmm(a, b).sum(0),
    "addr": lambda a, b: a.reshape(-1, 1) * b.reshape(1, -1),
}
for _name, _product in _PRODUCTS.items():
    RULES[f"aten::{_name}"] = _added(_name, _product)


@rule("linear")
def _linear(x: Tensor, w: Tensor, b: Any = None) -> Tensor:
    product = torch.matmul(x, w.t())
    return product if b is None else product + b


def _whole(name: str) -> Rule:
    return lambda x: x.clone() if _is_int(x) else _aten(name)(x)


for _name in ("floor", "ceil", "round", "trunc"):
    RULES[f"aten::{_name}"] = _whole(_name)


def floating(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


# --- floating point -------------------------------------------------------------------------------------


@rule("xlogy.Tensor", "special_xlogy")
def _xlogy(x: Tensor, y: Tensor) -> Tensor:
    product = torch.where(x == 0, torch.zeros_like(x), x * torch.log(y))
    return torch.where(torch.isnan(y), y.to(product.dtype), product) if y.is_floating_point() else product


def _without_nan(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return torch.where(torch.isnan(a), b, a), torch.where(torch.isnan(b), a, b)


def _compared(name: str) -> Rule:
    """With a number that a bool cannot hold: `mask < 2`."""
    return lambda a, b: _aten(f"{name}.Tensor")(*_same_dtype(a, b))


RULES.update({f"aten::{name}.Scalar": _compared(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")})


@rule("stack")
def _stack(tensors: list[Tensor], dim: int = 0) -> Tensor:
    dtype = functools.reduce(torch.promote_types, [tensor.dtype for tensor in tensors])
    return _aten("stack")([tensor.to(dtype) for tensor in tensors], dim)


@rule("fmax")
def _fmax(a: Tensor, b: Tensor) -> Tensor:
    a, b = _same_dtype(a, b)
    return torch.maximum(*((a, b) if _is_int(a) else _without_nan(a, b)))


@rule("fmin")
def _fmin(a: Tensor, b: Tensor) -> Tensor:
    a, b = _same_dtype(a, b)
    return torch.minimum(*((a, b) if _is_int(a) else _without_nan(a, b)))


def _false(name: str) -> Rule:
    return lambda x: torch.zeros_like(x, dtype=torch.bool) if _is_int(x) else _aten(name)(x)


RULES["aten::isnan"], RULES["aten::isinf"] = _false("isnan"), _false("isinf")
RULES["aten::isfinite"] = lambda x: (
    torch.ones_like(x, dtype=torch.bool) if _is_int(x) else _aten("isfinite")(x)
)


@rule("hypot")
def _hypot(a: Tensor, b: Tensor) -> Tensor:
    a, b = _same_dtype(a, b)
    refuse_if(a.dtype != torch.float32, "hypot", "it is lowered for f32 only")
    wide = torch.sqrt(a.to(torch.float64) * a + b.to(torch.float64) * b).to(a.dtype)
    return torch.where(torch.isinf(a) | torch.isinf(b), torch.full_like(wide, math.inf), wide)


@rule("copy")
def _copy(x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    if x.dim() == source.dim() and tuple(x.shape) == tuple(source.shape):
        return source.to(x.dtype, copy=True)  # nothing is read of what is overwritten
    return source.to(x.dtype).expand(x.shape)  # the ONNX form does not broadcast


def _refuse_sign(of: Any, name: str, hint: str) -> None:
    """Refuses what reads the sign of a tensor of floats."""
    if isinstance(of, Tensor) and not _is_int(of):
        raise LeafRefused(f"{name}: the sign of NaN has no ONNX form", hint)


@rule("copysign.Tensor", "copysign.Scalar")
def _copysign(a: Tensor, b: Any) -> Tensor:
    _refuse_sign(b, "copysign", "write torch.where((b < 0) | (1 / b < 0), -a.abs(), a.abs())")
    size = floating(a).abs()
    negative = b < 0 if isinstance(b, Tensor) else torch.full((), math.copysign(1, b) < 0)
    return torch.where(negative, -size, size)


@rule("isclose")
def _isclose(a: Tensor, b: Tensor, *rest: Any, **kwargs: Any) -> Tensor:
    return a == b if a.dtype == torch.bool else _aten("isclose")(a, b, *rest, **kwargs)


@rule("heaviside")
def _heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    if x.dtype == torch.bool:
        return x | at_zero
    return torch.where(x == 0, at_zero, (x > 0).to(x.dtype))  # NaN is not above 0


@rule("angle")
def _angle(x: Tensor) -> Tensor:
    x = floating(x)
    angle = torch.where(x < 0, torch.full_like(x, math.pi), torch.zeros_like(x))
    return torch.where(torch.isnan(x), x, angle)


@rule("signbit")
def _signbit(x: Tensor) -> Tensor:
    _refuse_sign(
        x, "signbit", "write (x < 0) | (1 / x < 0): it tells -0.0 from 0.0, and takes NaN as positive"
    )
    return x < 0


@rule("logit")
def _logit(x: Tensor, eps: float | None = None) -> Tensor:
    x = floating(x)
    if eps is not None:
        low, high = torch.full_like(x, eps), torch.full_like(x, 1 - eps)
        x = torch.where(x < low, low, torch.where(x > high, high, x))  # in this order: low may exceed high
    return torch.log(x / (1 - x))


_LANCZOS = (
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
)  # fmt: skip


def _halves(x: Tensor, name: str) -> tuple[Tensor, Tensor, Tensor, torch.dtype]:
    """x in f64; x or, left of 1/2, 1 - x; how far x is from an integer; the result's dtype."""
    refuse_if(x.dtype == torch.float64, name, "it is lowered for f32 only")
    wide = x.to(torch.float64)
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    return wide, torch.where(wide < 0.5, 1 - wide, wide), wide - torch.round(wide), dtype


@rule("lgamma")
def _lgamma(x: Tensor) -> Tensor:
    wide, right, rest, dtype = _halves(x, "lgamma")
    series = torch.full_like(wide, 0.9999999999998099)
    for number, factor in enumerate(_LANCZOS):
        series = series + factor / (right + number)
    t = right + 6.5
    result = (right - 0.5) * torch.log(t) - t + torch.log(series) + 0.5 * math.log(2 * math.pi)
    left = torch.log(math.pi / torch.sin(math.pi * rest).abs()) - result
    result = torch.where(wide < 0.5, left, result)
    return torch.where(torch.isinf(wide), torch.full_like(wide, math.inf), result).to(dtype)


@rule("digamma")
def _digamma(x: Tensor) -> Tensor:
    wide, right, rest, dtype = _halves(x, "digamma")
    result = torch.zeros_like(wide)
    for number in range(8):
        result = result - 1 / (right + number)
    r = 1 / ((right + 8) * (right + 8))
    tail = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    result = result + torch.log(right + 8) - 0.5 / (right + 8) - tail
    turned = math.pi * rest
    left = result - math.pi * torch.cos(turned) / torch.sin(turned)
    left = torch.where(rest == 0, torch.full_like(wide, math.nan), left)
    result = torch.where(wide < 0.5, left, result)
    return torch.where(wide == 0, -1 / wide, result).to(dtype)


@rule("polygamma")
def _polygamma(n: int, x: Tensor) -> Tensor:
    refuse_if(n != 0, "polygamma", "only its order 0 is lowered")
    return _digamma(x)


@rule("atan2")
def _atan2(y: Tensor, x: Tensor) -> Tensor:
    y, x = _same_dtype(y, x)
    if not y.is_floating_point():
        y, x = y.to(torch.get_default_dtype()), x.to(torch.get_default_dtype())
    angle = torch.atan(y.abs() / x.abs())
    angle = torch.where((y == 0) & (x == 0), torch.zeros_like(angle), angle)
    angle = torch.where(torch.isinf(y) & torch.isinf(x), torch.full_like(angle, math.pi / 4), angle)
    angle = torch.where((x < 0) | (1 / x < 0), math.pi - angle, angle)
    return torch.where((y < 0) | (1 / y < 0), -angle, angle)


@rule("sign", "sgn")
def _sign(x: Tensor) -> Tensor:
    sign: Tensor = _aten("sign")(x)
    return sign if _is_int(x) else torch.where(torch.isnan(x), torch.zeros_like(x), sign)


def _with_dtype(name: str) -> Rule:
    def call(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
        return _aten(name)(x.to(dtype) if dtype is not None else x, dim)

    return call


RULES["aten::softmax.int"] = _with_dtype("softmax.int")


RULES["aten::log_softmax.int"] = _with_dtype("log_softmax.int")


# --- reductions -----------------------------------------------------------------------------------------


def _dims(x: Tensor, dim: Any) -> list[int]:
    dims = list(range(x.dim())) if dim is None or dim == [] else [dim] if isinstance(dim, int) else list(dim)
    return [d % max(x.dim(), 1) for d in dims]


def _count(x: Tensor, dim: Any) -> int:
    return math.prod(x.shape[d] for d in _dims(x, dim)) if x.dim() else 1


def _extreme(name: str, any_or_all: str) -> Rule:
    def call(x: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        dims = _dims(x, dim if dim != () else None)
        if not dims or not x.dim():
            return x.clone()
        if x.dtype == torch.bool:
            return _aten(any_or_all)(x, dims, keepdim)
        result = _aten(name)(x, dims, keepdim)
        if not x.is_floating_point():
            return result
        nans = _aten("any.dims")(torch.isnan(x), dims, keepdim)
        return torch.where(nans, torch.full_like(result, math.nan), result)

    return call


RULES["aten::amax"] = amax = _extreme("amax", "any.dims")
RULES["aten::amin"] = amin = _extreme("amin", "all.dims")
RULES["aten::max"] = lambda x: amax(x)
RULES["aten::min"] = lambda x: amin(x)


def _arg_extreme(name: str) -> Rule:
    def call(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if not x.dim():
            return torch.zeros_like(x, dtype=torch.int64)
        x = x.to(torch.int64) if x.dtype == torch.bool else x
        plain: Tensor = _aten(name)(x, dim, keepdim)
        if not x.is_floating_point():
            return plain
        nans = torch.isnan(x).to(torch.int32)
        first = _aten("argmax")(nans, dim, keepdim)
        found = _aten("amax")(nans, _dims(x, dim), keepdim)
        return torch.where(found.reshape(plain.shape) > 0, first, plain)

    return call


RULES["aten::argmax"] = argmax = _arg_extreme("argmax")
RULES["aten::argmin"] = argmin = _arg_extreme("argmin")
RULES["aten::max.dim"] = lambda x, dim, keepdim=False: (amax(x, [dim], keepdim), argmax(x, dim, keepdim))
RULES["aten::min.dim"] = lambda x, dim, keepdim=False: (amin(x, [dim], keepdim), argmin(x, dim, keepdim))


@rule("mean", "mean.dim")
def _mean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    x = x if dtype is None else x.to(dtype)
    dims = _dims(x, dim)
    if not dims:
        return x.clone()
    count: Any = math.prod(x.shape[d] for d in dims)
    if not isinstance(count, int) and x.dtype in (torch.float32, torch.float64):
        # ONNX's mean of nothing is 0; this one is NaN.
        return x.sum(dims, keepdim) / torch.full((), count, dtype=x.dtype)
    if _count(x, dim):
        return _aten("mean.dim")(x, dims, keepdim)
    return torch.full_like(x.sum(dims, keepdim), math.nan)


@rule("all", "all.dim", "all.dims")
def _all(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if x.dtype == torch.uint8:  # eager's result is of the same kind, ONNX's is not
        return _all(x.to(torch.bool), dim, keepdim).to(torch.uint8)
    return _aten("all.dims")(x, _dims(x, dim) or None, keepdim) if x.dim() else x.to(torch.bool)


@rule("any.dim", "any.dims", "any")
def _any(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if x.dtype == torch.uint8:
        return _any(x.to(torch.bool), dim, keepdim).to(torch.uint8)
    if _count(x, dim):
        return _aten("any.dims")(x, _dims(x, dim) or None, keepdim) if x.dim() else x.to(torch.bool)
    return torch.zeros_like(x.sum(_dims(x, dim), keepdim), dtype=torch.bool)


@rule("sum", "sum.dim_IntList")
def _sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    if x.numel():
        return _aten("sum.dim_IntList")(x, dim, keepdim, dtype=dtype)
    return torch.zeros_like(_aten("sum.dim_IntList")(x, dim, keepdim, dtype=dtype))


@rule("nansum")
def _nansum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    x = x if _is_int(x) else torch.where(torch.isnan(x), torch.zeros_like(x), x)
    return x.sum(_dims(x, dim), keepdim, dtype=dtype) if x.dim() else x.sum(dtype=dtype)


@rule("prod.dim_int")
def _prod(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    if not x.dim():
        return x.reshape(1).prod(dtype=dtype)
    return _aten("prod.dim_int")(x, dim % x.dim(), keepdim, dtype=dtype)


@rule("logsumexp")
def _logsumexp(x: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    if not x.is_floating_point():
        return _logsumexp(x.to(torch.get_default_dtype()), dim, keepdim)
    return _aten("logsumexp")(x, dim, keepdim)


@rule("linalg_vector_norm")
def _vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> Tensor:
    if abs(ord) == math.inf and x.dim():
        sizes = x.abs() if kwargs.get("dtype") is None else x.to(kwargs["dtype"]).abs()
        largest: Tensor = (amax if ord > 0 else amin)(sizes, () if dim is None else dim, keepdim)
        return largest
    if x.dim():
        return _aten("linalg_vector_norm")(x, ord, dim, keepdim, **kwargs)
    return _aten("linalg_vector_norm")(x.reshape(1), ord, None, False, **kwargs)


@rule("linalg_vecdot")
def _vecdot(a: Tensor, b: Tensor, *, dim: int = -1) -> Tensor:
    return _sum(a * b, [dim])


@rule("sort", "sort.stable")
def sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = None) -> Any:
    return _sorted(x, lambda keys: _aten("sort")(keys, dim, descending), dim)


@rule("topk")
def _topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return _sorted(x, lambda keys: _aten("topk")(keys, k, dim, largest, sorted), dim)


def _sorted(x: Tensor, order: Rule, dim: int) -> Any:
    """NaN counts as greater than everything, as in eager."""
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    if x.dtype == torch.bool:
        values, indices = order(x.to(torch.int32))
        return values.to(torch.bool), indices
    if not x.is_floating_point():
        return order(x)
    refuse_if(x.dtype == torch.float64, "a sort of f64", "NaN has no place in its order; sort f32")
    keys = x.to(torch.float64) * 2.0**-10  # exact; makes room for infinity below the key of NaN
    keys = torch.minimum(keys, torch.full_like(keys, 2.0**123))
    _, indices = order(torch.where(torch.isnan(x), torch.full_like(keys, 2.0**124), keys))
    return _aten("gather")(x, dim, indices), indices
