# SPDX-License-Identifier: Apache-2.0
"""Losses whose ONNX form, or torch's own formula, gives other values than eager on NaN or on nothing."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.guards import checked_index, guard
from dycl.frontend.operators.layers import scaled
from dycl.frontend.operators.rules import _INEXACT, Tensor, _aten, _is_int, _mean, refuse_if, rule


def reduced(losses: Tensor, reduction: int) -> Tensor:
    return losses if reduction == 0 else _mean(losses) if reduction == 1 else losses.sum()


@rule("mse_loss")
def _mse_loss(x: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    apart = x - target
    return reduced(apart * apart, reduction)


@rule("poisson_nll_loss")
def _poisson_nll_loss(
    x: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    refuse_if(_is_int(x), "poisson_nll_loss", f"{_INEXACT} for integers")
    losses = torch.exp(x) - target * x if log_input else x - target * torch.log(x + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)


def _class_losses(
    logs: Tensor, target: Tensor, weight: Any, reduction: int, ignored: int, smoothing: float
) -> Tensor:
    dim = min(logs.dim() - 1, 1)
    target = target.to(torch.int64)
    kept = target != ignored
    bad = ((target < 0) | (target >= logs.shape[dim])) & kept
    guard(bad, "IndexError", "Target is out of bounds.")
    safe = torch.where(bad | ~kept, torch.zeros_like(target), target)
    weights = kept.to(logs.dtype)
    if weight is not None:
        weights = weights * weight.index_select(0, safe.reshape(-1)).reshape(safe.shape)
    losses = -_aten("gather")(logs, dim, safe.unsqueeze(dim)).squeeze(dim) * weights
    if smoothing > 0:
        everywhere = -scaled(logs, weight, None, dim).sum(dim)
        losses = losses * (1 - smoothing) + everywhere * (smoothing / logs.shape[dim])
    losses = torch.where(kept, losses, torch.zeros_like(losses))
    return losses.sum() / weights.sum() if reduction == 1 else reduced(losses, reduction)


@rule("nll_loss_nd")
def _nll_loss(
    x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1, ignored: int = -100
) -> Tensor:
    return _class_losses(x, target, weight, reduction, ignored, 0.0)


@rule("cross_entropy_loss")
def _cross_entropy(
    x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1, ignored: int = -100,
    smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """ONNX's loss knows neither smoothing nor targets that are probabilities."""
    dim = min(x.dim() - 1, 1)
    logs = _aten("log_softmax.int")(x, dim)
    if not target.is_floating_point():
        return _class_losses(logs, target, weight, reduction, ignored, smoothing)
    target = target * (1 - smoothing) + smoothing / x.shape[dim] if smoothing > 0 else target
    return reduced(-(scaled(logs, weight, None, dim) * target).sum(dim), reduction)


@rule("cosine_embedding_loss")
def _cosine_embedding_loss(
    a: Tensor, b: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    refuse_if(_is_int(a), "cosine_embedding_loss", "it is lowered for floating point only")
    lengths = torch.sqrt(((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12))
    cosine = (a * b).sum(-1) / lengths
    zero = torch.zeros_like(cosine)
    apart = torch.maximum(cosine - margin, zero)
    losses = torch.where(target == 1, 1 - cosine, zero) + torch.where(target == -1, apart, zero)
    return reduced(losses, reduction)


@rule("binary_cross_entropy")
def _binary_cross_entropy(x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1) -> Tensor:
    bad = ~((x >= 0) & (x <= 1))
    guard(bad, "RuntimeError", "all elements of input should be between 0 and 1")
    safe = torch.where(bad, torch.zeros_like(x), x)
    logs = [torch.maximum(log, torch.full_like(log, -100)) for log in (torch.log(safe), torch.log1p(-safe))]
    losses = (target - 1) * logs[1] - target * logs[0]
    return reduced(losses if weight is None else losses * weight, reduction)


# --- margins: eager adds up what is above 0, and passes NaN by; of nothing the mean is 0 -----------------


def _above_zero(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, torch.zeros_like(x))


def _reduced(losses: Tensor, reduction: int, scalar: bool) -> Tensor:
    if reduction == 0:
        return losses.reshape(()) if scalar else losses
    count = torch.sym_max(losses.shape[0], 1)
    return losses.sum() / torch.full((), count, dtype=losses.dtype) if reduction == 1 else losses.sum()


@rule("multi_margin_loss")
def _multi_margin_loss(
    x: Tensor, target: Tensor, p: Any = 1, margin: Any = 1, weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    rows, classes = torch.atleast_2d(x), x.shape[-1]  # type: ignore[no-untyped-call]
    label = checked_index(target.reshape(-1), classes, "target out of range", kind="RuntimeError")
    own = rows.gather(1, label.unsqueeze(1))
    losses = _above_zero(margin - own + rows)
    losses = losses if p == 1 else losses * losses
    losses = losses if weight is None else losses * weight.index_select(0, label).unsqueeze(1)
    others = torch.arange(classes) != label.unsqueeze(1)
    losses = torch.where(others, losses, torch.zeros_like(losses)).sum(1) / classes
    return _reduced(losses, reduction, x.dim() < 2)


@rule("multilabel_margin_loss")
def _multilabel_margin_loss(x: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    refuse_if(x.shape != target.shape, "multilabel_margin_loss", "its target has another size")
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)  # type: ignore[no-untyped-call]
    places = torch.arange(rows.shape[1])
    none = torch.full_like(labels, rows.shape[1])
    end = torch.where(labels == -1, places, none).amin(1, keepdim=True)
    counts = places < end  # labels behind the first -1 do not
    label = torch.where(counts, labels, torch.zeros_like(labels))
    label = checked_index(label, rows.shape[1], "target out of range", kind="RuntimeError")
    is_target = ((label.unsqueeze(2) == places) & counts.unsqueeze(2)).any(1)
    losses = _above_zero(1 - rows.gather(1, label).unsqueeze(2) + rows.unsqueeze(1))
    zero = torch.zeros_like(losses)
    losses = torch.where(counts.unsqueeze(2) & ~is_target.unsqueeze(1), losses, zero)
    return _reduced(losses.sum((1, 2)) / rows.shape[1], reduction, x.dim() < 2)
