# SPDX-License-Identifier: Apache-2.0
"""Losses whose ONNX form, or torch's own formula, gives other values than eager on NaN or on nothing."""

from __future__ import annotations

import math
from typing import Any

import torch

from dycl.frontend.operators.guards import checked_index
from dycl.frontend.operators.index import reduced
from dycl.frontend.operators.rules import Tensor, refuse_if, rule


@rule("mse_loss")
def _mse_loss(x: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    apart = x - target
    return reduced(apart * apart, reduction)


@rule("poisson_nll_loss")
def _poisson_nll_loss(
    x: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    losses = torch.exp(x) - target * x if log_input else x - target * torch.log(x + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)


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
