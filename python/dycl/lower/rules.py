# SPDX-License-Identifier: Apache-2.0
"""ATen operations whose plain ONNX form differs from eager: rewritten, guarded or refused, by name.

A rule is written in torch and traced into the fragment in place of the operation, so both payloads have it.
Operations without a rule are total: they raise on no value. Found by comparing with eager, see its tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from dycl.capture.values import LeafRefused
from dycl.lower.guards import checked_index, guard

Tensor = torch.Tensor
Rule = Callable[..., Any]
F = TypeVar("F", bound=Rule)
RULES: dict[str, Rule] = {}
_LAYOUT = "it depends on how its operand lies in memory"
_TRAINING = "it updates statistics in training mode; call model.eval()"
_INEXACT = "its ONNX form gives other values than eager"
REFUSED: dict[str, str] = {
    "aten::as_strided": _LAYOUT,
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
        RULES.update({f"aten::{name}": function for name in names})
        return function

    return register


def _aten(name: str) -> Callable[..., Tensor]:
    packet, _, overload = name.partition(".")
    target: Callable[..., Tensor] = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return target


def _refuse_if(condition: bool, name: str, reason: str) -> None:
    if condition:
        raise LeafRefused(f"{name}: {reason}")


# --- integers -------------------------------------------------------------------------------------------


def _is_int(*values: Any) -> bool:
    return all(not v.is_floating_point() if isinstance(v, Tensor) else isinstance(v, int) for v in values)


def _nonzero(divisor: Any) -> Any:
    if not isinstance(divisor, Tensor):
        _refuse_if(divisor == 0, "an integer division", "its divisor is always zero")
        return divisor
    zero = divisor == 0
    guard(zero, "RuntimeError", "ZeroDivisionError")
    return torch.where(zero, torch.ones_like(divisor), divisor)


def _same_dtype(a: Any, b: Any) -> tuple[Any, Any]:
    dtype = torch.result_type(a, b)
    both = [v.to(dtype) if isinstance(v, Tensor) else torch.full((), v, dtype=dtype) for v in (a, b)]
    return both[0], both[1]


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
        result = torch.ones_like(a)
        for _ in range(b):
            result = result * a
        return result
    _refuse_if(_is_int(a, b), "pow of integers", "ONNX Runtime computes it in floating point; use floats")
    a, b = _same_dtype(a, b)
    return _aten("pow.Tensor_Tensor")(a, b)


@rule("add.Tensor")
def _add(a: Any, b: Any, *, alpha: Any = 1) -> Tensor:
    if torch.result_type(a, b) == torch.bool:
        return torch.logical_or(*_same_dtype(a, b)) if alpha else a.clone()
    return _aten("add.Tensor")(a, b, alpha=alpha)


@rule("addmm")
def _addmm(c: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    product = _aten("mm")(a, b)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else (c if beta == 1 else c * beta) + product


def _whole(name: str) -> Rule:
    return lambda x: x.clone() if _is_int(x) else _aten(name)(x)


for _name in ("floor", "ceil", "round", "trunc"):
    RULES[f"aten::{_name}"] = _whole(_name)


# --- floating point -------------------------------------------------------------------------------------


@rule("log1p")
def _log1p(x: Tensor) -> Tensor:
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    u = 1 + x
    return torch.where((u == 1) | (u == math.inf), x, torch.log(u) * x / (u - 1))


@rule("logaddexp")
def _logaddexp(a: Tensor, b: Tensor) -> Tensor:
    top = torch.maximum(a, b)
    return torch.where(a == b, a + math.log(2.0), top + _log1p(torch.exp(-(a - b).abs())))


@rule("log_sigmoid")
def _log_sigmoid(x: Tensor) -> Tensor:
    return torch.minimum(x, torch.zeros_like(x)) - _log1p(torch.exp(-x.abs()))


@rule("xlogy.Tensor", "special_xlogy")
def _xlogy(x: Tensor, y: Tensor) -> Tensor:
    product = torch.where(x == 0, torch.zeros_like(x), x * torch.log(y))
    return torch.where(torch.isnan(y), y.to(product.dtype), product) if y.is_floating_point() else product


def _without_nan(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return torch.where(torch.isnan(a), b, a), torch.where(torch.isnan(b), a, b)


@rule("fmax")
def _fmax(a: Tensor, b: Tensor) -> Tensor:
    a, b = _same_dtype(a, b)
    return torch.maximum(*((a, b) if _is_int(a) else _without_nan(a, b)))


@rule("fmin")
def _fmin(a: Tensor, b: Tensor) -> Tensor:
    a, b = _same_dtype(a, b)
    return torch.minimum(*((a, b) if _is_int(a) else _without_nan(a, b)))


@rule("logit")
def _logit(x: Tensor, eps: float | None = None) -> Tensor:
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    if eps is not None:
        low, high = torch.full_like(x, eps), torch.full_like(x, 1 - eps)
        x = torch.where(x < low, low, torch.where(x > high, high, x))  # in this order: low may exceed high
    return torch.log(x / (1 - x))


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


@rule("clamp_min", "clamp_min.Tensor")
def _clamp_min(x: Tensor, low: Any) -> Tensor:
    return torch.maximum(*_same_dtype(x, low))


@rule("clamp_max", "clamp_max.Tensor")
def _clamp_max(x: Tensor, high: Any) -> Tensor:
    return torch.minimum(*_same_dtype(x, high))


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
        if not dims:
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
        x = x.to(torch.int64) if x.dtype == torch.bool else x
        plain: Tensor = _aten(name)(x, dim, keepdim)
        if not x.is_floating_point():
            return plain
        nans = torch.isnan(x).to(torch.int32)
        first = _aten("argmax")(nans, dim, keepdim)
        found = _aten("amax")(nans, _dims(x, dim), keepdim) if x.dim() else nans
        return torch.where(found.reshape(plain.shape) > 0, first, plain)

    return call


RULES["aten::argmax"] = argmax = _arg_extreme("argmax")
RULES["aten::argmin"] = argmin = _arg_extreme("argmin")
RULES["aten::max.dim"] = lambda x, dim, keepdim=False: (amax(x, [dim], keepdim), argmax(x, dim, keepdim))
RULES["aten::min.dim"] = lambda x, dim, keepdim=False: (amin(x, [dim], keepdim), argmin(x, dim, keepdim))


def _var_mean(x: Tensor, dim: Any, correction: Any, keepdim: bool) -> tuple[Tensor, Tensor]:
    dims = _dims(x, dim)
    count = _count(x, dim)
    mean = _mean(x, dims, True)
    squares = (x - mean) * (x - mean)
    total = squares.sum(dims, keepdim) if dims else squares
    divisor = max(count - (1 if correction is None else correction), 0)
    variance = total / torch.full((), divisor, dtype=x.dtype)
    return variance, mean if keepdim or not dims else mean.reshape(variance.shape)


@rule("mean", "mean.dim")
def _mean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    x = x if dtype is None else x.to(dtype)
    dims = _dims(x, dim)
    if not dims:
        return x.clone()
    if _count(x, dim):
        return _aten("mean.dim")(x, dims, keepdim)
    return torch.full_like(x.sum(dims, keepdim), math.nan)


def _spread(root: bool, both: bool) -> Rule:
    def call(
        x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        variance, mean = _var_mean(x, dim, correction, keepdim)
        variance = torch.sqrt(variance) if root else variance
        return (variance, mean) if both else variance

    return call


for _name, _root, _both in (("var", 0, 0), ("std", 1, 0), ("var_mean", 0, 1), ("std_mean", 1, 1)):
    for _overload in ("", ".dim", ".correction"):
        RULES[f"aten::{_name}{_overload}"] = _spread(bool(_root), bool(_both))


@rule("any.dim", "any.dims", "any")
def _any(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if _count(x, dim):
        return _aten("any.dims")(x, _dims(x, dim) or None, keepdim) if x.dim() else x.to(torch.bool)
    return torch.zeros_like(x.sum(_dims(x, dim), keepdim), dtype=torch.bool)


@rule("sort", "sort.stable")
def _sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = None) -> Any:
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
    _refuse_if(x.dtype == torch.float64, "a sort of f64", "NaN has no place in its order; sort f32")
    keys = x.to(torch.float64) * 2.0**-10  # exact; makes room for infinity below the key of NaN
    keys = torch.minimum(keys, torch.full_like(keys, 2.0**123))
    _, indices = order(torch.where(torch.isnan(x), torch.full_like(keys, 2.0**124), keys))
    return _aten("gather")(x, dim, indices), indices


# --- indices --------------------------------------------------------------------------------------------


def _vector(x: Tensor) -> Tensor:
    return x if x.dim() else x.reshape(1)


def _bounds(index: Tensor, x: Tensor, dim: int, kind: str = "RuntimeError") -> Tensor:
    size = x.shape[dim] if x.dim() else 1
    return checked_index(index, size, f"index out of bounds for dimension {dim} with size {size}", kind=kind)


@rule("embedding")
def _embedding(weight: Tensor, indices: Tensor, *_: Any) -> Tensor:
    safe = checked_index(indices, weight.shape[0], "index out of range in self")
    return _aten("embedding")(weight, safe)


@rule("index_select")
def _index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    size = x.shape[dim] if x.dim() else 1
    safe = checked_index(_vector(index), size, "index out of range in self")
    return _aten("index_select")(_vector(x), dim, safe).reshape(
        x.shape if x.dim() == 0 else _with(x, dim, safe)
    )


def _with(x: Tensor, dim: int, index: Tensor) -> list[int]:
    return [index.shape[0] if d == dim % x.dim() else size for d, size in enumerate(x.shape)]


@rule("gather")
def _gather(x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    safe = _bounds(index, x, dim)
    return _aten("gather")(_vector(x), dim, _vector(safe)).reshape(index.shape)


def _scattered(name: str) -> Rule:
    def call(x: Tensor, dim: int, index: Tensor, src: Any, *rest: Any, **kwargs: Any) -> Tensor:
        _refuse_if(
            x.dtype == torch.bool and name != "scatter.src", name, "ONNX Runtime has no bool kernel for it"
        )
        _refuse_if("mean" in rest, name, f"{_INEXACT} for reduce='mean'")
        safe = _vector(_bounds(index, x, dim))
        if isinstance(src, Tensor):
            src = _vector(src)[tuple(slice(0, size) for size in safe.shape)]
        result: Tensor = _aten(name)(_vector(x), dim, safe, src, *rest, **kwargs)
        return result.reshape(x.shape)

    return call


for _name in ("scatter.src", "scatter.value", "scatter_add", "scatter_reduce.two"):
    RULES[f"aten::{_name}"] = _scattered(_name)


def _safe_indices(x: Tensor, indices: list[Tensor | None]) -> list[Tensor | None]:
    safe: list[Tensor | None] = []
    for dim, index in enumerate(indices):
        if index is None:
            safe.append(None)
            continue
        _refuse_if(
            index.dtype == torch.bool, "indexing with a mask", "its size depends on values; use torch.where"
        )
        size = x.shape[dim]
        message = f"index is out of bounds for dimension {dim} with size {size}"
        safe.append(checked_index(index, size, message, wraps=True))
    return safe


@rule("index.Tensor")
def _index(x: Tensor, indices: list[Tensor | None]) -> Tensor:
    return _aten("index.Tensor")(x, _safe_indices(x, indices))


@rule("index_put")
def _index_put(x: Tensor, indices: list[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    if (
        len(indices) == 1
        and indices[0] is not None
        and indices[0].dtype == torch.bool
        and values.numel() == 1
    ):
        mask = indices[0].reshape(list(indices[0].shape) + [1] * (x.dim() - indices[0].dim()))
        return torch.where(mask, x + values if accumulate else values.reshape(()).to(x.dtype), x)
    return _aten("index_put")(x, _safe_indices(x, indices), values, accumulate)


def _by_row(name: str, kind: str, wraps: bool = False) -> Rule:
    def call(x: Tensor, dim: int, index: Tensor, *rest: Any, **kwargs: Any) -> Tensor:
        _refuse_if(x.dim() == 0, name, "its operand has no dimension")
        message = f"index out of bounds for dimension {dim} with size {x.shape[dim]}"
        safe = checked_index(_vector(index), x.shape[dim], message, wraps=wraps, kind=kind)
        return _aten(name)(x, dim, safe, *rest, **kwargs)

    return call


RULES["aten::index_copy"] = _by_row("index_copy", "IndexError")
RULES["aten::index_add"] = _by_row("index_add", "RuntimeError")
RULES["aten::index_fill.int_Scalar"] = _by_row("index_fill.int_Scalar", "IndexError", wraps=True)
RULES["aten::index_fill.int_Tensor"] = _by_row("index_fill.int_Tensor", "IndexError", wraps=True)


@rule("take")
def _take(x: Tensor, index: Tensor) -> Tensor:
    return x.reshape(-1)[checked_index(index, x.numel(), "out of range", wraps=True)]


@rule("one_hot")
def _one_hot(x: Tensor, num_classes: int = -1) -> Tensor:
    guard(x < 0, "RuntimeError", "Class values must be non-negative.")
    guard(x >= num_classes, "RuntimeError", "Class values must be smaller than num_classes.")
    return (x.unsqueeze(-1) == torch.arange(num_classes)).to(torch.int64)


@rule("cosine_embedding_loss")
def _cosine_embedding_loss(*_: Any, **__: Any) -> Tensor:
    raise LeafRefused(f"cosine_embedding_loss: {_INEXACT} for vectors of zeros")


@rule("masked_scatter")
def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    mask = mask.expand_as(x)
    flat, values = mask.reshape(-1), source.reshape(-1)
    place = torch.cumsum(flat.to(torch.int64), 0) - 1
    short = place >= values.shape[0]
    guard(short & flat, "RuntimeError", "masked_scatter: expected self and source to have enough elements")
    chosen = values[torch.where(short | (place < 0), torch.zeros_like(place), place)]
    return torch.where(mask, chosen.reshape(x.shape), x)


def _targets(name: str) -> Rule:
    def call(x: Tensor, target: Tensor, *rest: Any, **kwargs: Any) -> Any:
        ignored = rest[2] if len(rest) > 2 else kwargs.get("ignore_index", -100)
        if not target.is_floating_point():
            classes = x.shape[1] if x.dim() > 1 else x.shape[0]
            bad = ((target < 0) | (target >= classes)) & (target != ignored)
            guard(bad, "IndexError", "Target is out of bounds.")
            target = torch.where(bad, torch.zeros_like(target), target)
        return _aten(name)(x, target, *rest, **kwargs)

    return call


RULES["aten::cross_entropy_loss"] = _targets("cross_entropy_loss")


@rule("nll_loss_nd")
def _nll_loss(
    x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1, ignored: int = -100
) -> Tensor:
    _refuse_if(
        weight is not None or x.dim() != 2, "nll_loss", "only rows of classes without weights are lowered"
    )
    kept = target != ignored
    bad = ((target < 0) | (target >= x.shape[1])) & kept
    guard(bad, "IndexError", "Target is out of bounds.")
    safe = torch.where(bad | ~kept, torch.zeros_like(target), target)
    losses = -_aten("gather")(x, 1, safe.unsqueeze(1)).squeeze(1)
    losses = torch.where(kept, losses, torch.zeros_like(losses))
    if reduction == 0:
        return losses
    return losses.sum() / kept.to(x.dtype).sum() if reduction == 1 else losses.sum()


@rule("binary_cross_entropy")
def _binary_cross_entropy(x: Tensor, target: Tensor, *rest: Any, **kwargs: Any) -> Tensor:
    bad = ~((x >= 0) & (x <= 1))
    guard(bad, "RuntimeError", "all elements of input should be between 0 and 1")
    result: Tensor = _aten("binary_cross_entropy")(
        torch.where(bad, torch.zeros_like(x), x), target, *rest, **kwargs
    )
    return result


# --- shapes and layers ----------------------------------------------------------------------------------


@rule("squeeze.dim", "squeeze.dims")
def _squeeze(x: Tensor, dim: Any) -> Tensor:
    given = [dim] if isinstance(dim, int) else dim
    dims = [d % x.dim() for d in given if x.dim() and x.shape[d] == 1]
    return x.reshape([size for d, size in enumerate(x.shape) if d not in dims])


@rule("scaled_dot_product_attention")
def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Any = None, *rest: Any, **kwargs: Any) -> Tensor:
    missing = 4 - q.dim()
    _refuse_if(missing < 0, "scaled_dot_product_attention", "it has more than four dimensions")
    lift = (None,) * missing
    mask = mask[lift] if isinstance(mask, Tensor) and missing and mask.dim() == q.dim() else mask
    result: Tensor = _aten("scaled_dot_product_attention")(q[lift], k[lift], v[lift], mask, *rest, **kwargs)
    return result.reshape(result.shape[missing:])


@rule("pad")
def _pad(x: Tensor, pad: list[int], mode: str = "constant", value: float | None = None) -> Tensor:
    _refuse_if(mode != "constant" and min(pad) < 0, f"pad in mode {mode}", "it has a negative width")
    _refuse_if(mode == "circular", "pad in mode circular", "its operator set has no such mode; use torch.cat")
    return _aten("pad")(x, pad, mode, value)


def _pooled(name: str) -> Rule:
    def call(x: Tensor, *rest: Any, **kwargs: Any) -> Tensor:
        override = rest[5] if len(rest) > 5 else kwargs.get("divisor_override")
        _refuse_if(override is not None, name, "divisor_override has no ONNX form")
        return _aten(name)(x, *rest, **kwargs)

    return call


RULES["aten::avg_pool2d"] = _pooled("avg_pool2d")
RULES["aten::avg_pool3d"] = _pooled("avg_pool3d")


def _transposed(name: str) -> Rule:
    def call(
        x: Tensor,
        w: Tensor,
        b: Any = None,
        stride: Any = (1,),
        padding: Any = (0,),
        extra: Any = (0,),
        *rest: Any,
    ) -> Tensor:
        wider = any(more >= step for more, step in zip(list(extra) * 3, list(stride) * 3, strict=False))
        _refuse_if(wider, name, "its output_padding reaches its stride, which ONNX Runtime rejects")
        return _aten(name)(x, w, b, stride, padding, extra, *rest)

    return call


for _name in ("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"):
    RULES[f"aten::{_name}"] = _transposed(_name)


@rule("batch_norm")
def _batch_norm(x: Tensor, w: Any, b: Any, mean: Any, var: Any, training: bool, *rest: Any) -> Tensor:
    _refuse_if(training, "batch_norm", _TRAINING)
    return _aten("batch_norm")(x, w, b, mean, var, training, *rest)


@rule("instance_norm")
def _instance_norm(
    x: Tensor, w: Any, b: Any, mean: Any, var: Any, use_input_stats: bool, *rest: Any
) -> Tensor:
    _refuse_if(use_input_stats and mean is not None, "instance_norm", _TRAINING)
    return _aten("instance_norm")(x, w, b, mean, var, use_input_stats, *rest)
