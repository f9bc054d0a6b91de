# SPDX-License-Identifier: Apache-2.0
"""Rules for shapes, padding, pooling and other layers."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.guards import checked_index
from dycl.frontend.operators.rules import RULES, Rule, Tensor, _aten, amax, argmax, refuse_if, rule

_TRAINING = "it updates statistics in training mode; call model.eval()"


@rule("squeeze.dim", "squeeze.dims")
def _squeeze(x: Tensor, dim: Any) -> Tensor:
    given = [dim] if isinstance(dim, int) else dim
    dims = [d % x.dim() for d in given if x.dim() and x.shape[d] == 1]
    return x.reshape([size for d, size in enumerate(x.shape) if d not in dims])


@rule("scaled_dot_product_attention")
def _attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Any = None, dropout: float = 0.0, causal: bool = False, *,
    scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    missing = 4 - q.dim()
    refuse_if(missing < 0, "scaled_dot_product_attention", "it has more than four dimensions")
    if scale is not None and scale < 0:  # ONNX's form takes its square root
        q, scale = -q, -scale
    some = None
    if mask is not None:
        mask = mask[(None,) * missing] if missing and mask.dim() == q.dim() else mask
        masked = mask == -math.inf if mask.is_floating_point() else ~mask
        some = ~torch.all(masked, -1, keepdim=True)
        if not mask.is_floating_point():
            mask = torch.where(mask, torch.zeros((), dtype=q.dtype), torch.full((), -math.inf, dtype=q.dtype))
    q, k, v = (x[(None,) * missing] for x in (q, k, v))
    options = {"scale": scale, "enable_gqa": enable_gqa}
    result: Tensor = _aten("scaled_dot_product_attention")(q, k, v, mask, dropout, causal, **options)
    if some is not None:  # who may attend to nothing gives all values the weight 0
        nothing = torch.matmul(torch.zeros(1, v.shape[-2], dtype=v.dtype), v)
        if enable_gqa:
            nothing = nothing.repeat_interleave(q.shape[1] // v.shape[1], 1)
        result = torch.where(some, result, nothing)
    return result.reshape(result.shape[missing:])


def _source(mode: str, size: int, before: int, after: int) -> Tensor:
    """Which of `size` elements each padded element is."""
    places = torch.arange(size + before + after)
    if mode == "replicate":
        return torch.clamp(places - before, 0, size - 1)
    first = max(-before, 0)
    return first + (places - max(before, 0)) % (size - first - max(-after, 0))


@rule("pad")
def _pad(x: Tensor, pad: list[int], mode: str = "constant", value: float | None = None) -> Tensor:
    if mode == "circular" or (mode == "replicate" and min(pad) < 0):
        for i in range(len(pad) // 2):
            places = _source(mode, x.shape[-1 - i], pad[2 * i], pad[2 * i + 1])
            x = x.index_select(-1 - i, places)
        return x
    refuse_if(mode != "constant" and min(pad) < 0, f"pad in mode {mode}", "it has a negative width")
    return _aten("pad")(x, pad, mode, value)


def _pooled(name: str) -> Rule:
    def call(
        x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, ceil: bool = False,
        counts_pad: bool = True, divisor: int | None = None,
    ) -> Tensor:  # fmt: skip
        if divisor is None:
            return _aten(name)(x, kernel, stride, padding, ceil, counts_pad)
        refuse_if(ceil, name, "divisor_override together with ceil_mode has no ONNX form")
        sides = list(kernel) * (int(name[-2]) if len(kernel) == 1 else 1)
        mean: Tensor = _aten(name)(x, kernel, stride, padding, False, True)
        factor: float = math.prod(sides) / divisor
        return mean * factor

    return call


RULES["aten::avg_pool2d"] = _pooled("avg_pool2d")
RULES["aten::avg_pool3d"] = _pooled("avg_pool3d")


def _windows(x: Tensor, dim: int, out: int) -> list[Tensor]:
    size = x.shape[dim]
    starts = [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]
    return [x.narrow(dim, start, stop - start) for start, stop in starts]


def _adaptive(x: Tensor, sizes: Any, reduce: Rule) -> Tensor:
    """A window is a product of intervals, so its mean or maximum is taken dimension by dimension."""
    for dim, out in enumerate(sizes, -len(sizes)):
        x = torch.cat([reduce(window, [dim], True) for window in _windows(x, dim, out)], dim)
    return x


@rule("adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max_pool(x: Tensor, sizes: Any) -> tuple[Tensor, Tensor]:
    dims = range(-len(sizes), 0)
    numbers = torch.arange(math.prod(x.shape[d] for d in dims)).reshape([x.shape[d] for d in dims])
    cells, places = [x], [numbers.expand(x.shape)]
    for dim, out in zip(dims, sizes, strict=True):
        cells = [window for cell in cells for window in _windows(cell, dim, out)]
        places = [window for place in places for window in _windows(place, dim, out)]
    chosen = []
    for cell, place in zip(cells, places, strict=True):
        best = argmax(cell.flatten(dims[0]), -1, True)
        chosen.append(torch.gather(place.flatten(dims[0]), -1, best))
    indices = torch.cat(chosen, -1).reshape([*x.shape[: dims[0]], *sizes])
    return _adaptive(x, sizes, amax), indices


def _unpooled(name: str) -> Rule:
    def call(x: Tensor, indices: Tensor, sizes: Any, *rest: Any) -> Tensor:
        safe = checked_index(indices, math.prod(sizes), "Found an invalid max index", kind="RuntimeError")
        return _aten(name)(x, safe, sizes, *rest)

    return call


RULES["aten::max_unpool2d"] = _unpooled("max_unpool2d")
RULES["aten::max_unpool3d"] = _unpooled("max_unpool3d")


@rule("_adaptive_avg_pool3d", "adaptive_avg_pool3d")
def _adaptive_avg_pool3d(x: Tensor, sizes: Any) -> Tensor:
    return _adaptive(x, sizes, _aten("mean.dim"))


def _spread_beyond(x: Tensor, w: Tensor, b: Any, sizes: list[list[int]], groups: int) -> Tensor:
    """A transposed convolution that adds at the end as much as a stride, or more, which ONNX forbids."""
    stride, padding, dilation, extra = sizes
    none = [0] * len(stride)
    y = _aten("convolution")(x, w, None, stride, none, dilation, True, none, groups)
    for dim, (before, added) in enumerate(zip(padding, extra, strict=True), 2):
        if added > before:
            y = torch.cat([y, y.new_zeros([*y.shape[:dim], added - before, *y.shape[dim + 1 :]])], dim)
        y = y.narrow(dim, before, y.shape[dim] - max(added, before) + added - before)
    return y if b is None else y + b.reshape([-1, *[1 for _ in stride]])


def _transposed(name: str) -> Rule:
    def call(
        x: Tensor, w: Tensor, b: Any = None, stride: Any = (1,), padding: Any = (0,), extra: Any = (0,),
        groups: int = 1, dilation: Any = (1,),
    ) -> Tensor:  # fmt: skip
        lists = [list(v) * (w.dim() - 2 if len(v) == 1 else 1) for v in (stride, padding, dilation, extra)]
        single = x.dim() < w.dim()
        x = x.unsqueeze(0) if single else x
        if any(added >= step for added, step in zip(lists[3], lists[0], strict=True)):
            y = _spread_beyond(x, w, b, lists, groups)
        else:
            y = _aten("convolution")(x, w, b, *lists[:3], True, lists[3], groups)
        return y.squeeze(0) if single else y

    return call


for _name in ("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"):
    RULES[f"aten::{_name}"] = _transposed(_name)


@rule("im2col")
def _im2col(x: Tensor, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    x = torch.nn.functional.pad(x, (padding[1], padding[1], padding[0], padding[0]))
    grids = []
    for d in (0, 1):
        count = (x.shape[d - 2] - dilation[d] * (kernel[d] - 1) - 1) // stride[d] + 1
        grids.append((torch.arange(kernel[d]) * dilation[d]).unsqueeze(1) + torch.arange(count) * stride[d])
    rows, columns = grids
    places = rows[:, None, :, None] * x.shape[-1] + columns[None, :, None, :]  # kernel, then position
    patches = x.flatten(-2).index_select(-1, places.reshape(-1))
    shape = [-1, rows.shape[1] * columns.shape[1]]
    return patches.reshape([*x.shape[:-3], x.shape[-3] * kernel[0] * kernel[1], shape[1]])


@rule("diagonal")
def _diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """By places: the ONNX form adds up all elements times 0 or 1, of which an infinite one makes NaN."""
    y = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = y.shape[-2:]
    down, right = max(-offset, 0), max(offset, 0)
    count = torch.sym_max(torch.sym_min(rows - down, columns - right), 0)
    places = (torch.arange(count) + down) * columns + torch.arange(count) + right
    return y.flatten(-2).index_select(-1, places)


@rule("diag")
def _diag(x: Tensor, diagonal: int = 0) -> Tensor:
    return _diagonal(x, diagonal) if x.dim() == 2 else torch.diag_embed(x, diagonal)


@rule("trace")
def _trace(x: Tensor) -> Tensor:
    return _diagonal(x).sum()


@rule("diagonal_scatter")
def _diagonal_scatter(x: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    y = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = torch.arange(y.shape[-2]).unsqueeze(1), torch.arange(y.shape[-1])
    place = torch.clamp(rows - max(-offset, 0), 0, max(src.shape[-1] - 1, 0)).reshape(-1)
    spread = src.index_select(-1, place).unsqueeze(-1)
    y = torch.where(columns - rows == offset, spread, y)
    return y.movedim((-2, -1), (dim1, dim2))


@rule("batch_norm")
def _batch_norm(x: Tensor, w: Any, b: Any, mean: Any, var: Any, training: bool, *rest: Any) -> Tensor:
    refuse_if(training, "batch_norm", _TRAINING)
    return _aten("batch_norm")(x, w, b, mean, var, training, *rest)


# In f64 by formulas: ONNX's operators hold `eps` in single precision.


def _normalized(x: Tensor, mean: Tensor, var: Tensor, w: Any, b: Any, eps: float) -> Tensor:
    """By the channels' means and variances."""
    factor = 1 / torch.sqrt(var + eps)
    return scaled(scaled(x, factor, -mean * factor, 1), w, b, 1)


def _by_its_own(x: Tensor, dims: list[int], eps: float) -> Tensor:
    """Normalized by its own mean and variance."""
    centred = x - x.mean(dims, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(dims, keepdim=True) + eps)


def scaled(x: Tensor, w: Any, b: Any, dim: int) -> Tensor:
    """By vectors that lie along `dim`, or along all from it on."""

    def placed(vector: Tensor) -> Tensor:
        return vector.reshape(list(vector.shape) + [1] * (x.dim() - dim - vector.dim()))

    x = x if w is None else x * placed(w)
    return x if b is None else x + placed(b)


@rule("_native_batch_norm_legit_no_training")
def _inferring_batch_norm(
    x: Tensor, w: Any, b: Any, mean: Tensor, var: Tensor, momentum: float, eps: float
) -> Any:
    if x.dtype != torch.float64:
        return _aten("_native_batch_norm_legit_no_training")(x, w, b, mean, var, momentum, eps)
    return _normalized(x, mean, var, w, b, eps), x.new_zeros(0), x.new_zeros(0)


@rule("layer_norm")
def _layer_norm(
    x: Tensor, shape: list[int], w: Any = None, b: Any = None, eps: float = 1e-5, *_: Any
) -> Tensor:
    if x.dtype != torch.float64:
        return _aten("layer_norm")(x, shape, w, b, eps)
    first = x.dim() - len(shape)
    return scaled(_by_its_own(x, list(range(first, x.dim())), eps), w, b, first)


@rule("group_norm")
def _group_norm(x: Tensor, groups: int, w: Any = None, b: Any = None, eps: float = 1e-5, *_: Any) -> Tensor:
    if x.dtype != torch.float64:
        return _aten("group_norm")(x, groups, w, b, eps)
    parts = x.reshape(x.shape[0], groups, -1)
    return scaled(_by_its_own(parts, [2], eps).reshape(x.shape), w, b, 1)


@rule("_batch_norm_with_update", "_batch_norm_with_update_functional")
def _batch_norm_with_update(*_: Any, **__: Any) -> Any:
    refuse_if(True, "batch_norm", _TRAINING)


@rule("instance_norm")
def _instance_norm(
    x: Tensor, w: Any, b: Any, mean: Any, var: Any, use_input_stats: bool, *rest: Any
) -> Tensor:
    refuse_if(use_input_stats and mean is not None, "instance_norm", _TRAINING)
    if x.dtype == torch.float64:
        eps = rest[1]
        if use_input_stats:
            return scaled(_by_its_own(x, list(range(2, x.dim())), eps), w, b, 1)
        return _normalized(x, mean, var, w, b, eps)
    return _aten("instance_norm")(x, w, b, mean, var, use_input_stats, *rest)
