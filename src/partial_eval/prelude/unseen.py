# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that read numbers of their arguments inside, where nobody sees it in eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def one_hot(tensor: Any, num_classes: Any = -1) -> Any:
    if tensor.dtype is not torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return torch.zeros((*tensor.shape, num_classes), dtype=torch.int64)
    if tensor.min().item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = tensor.max().item() + 1
    elif tensor.max().item() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes)).to(torch.int64)


def index(bound: Any) -> Any:
    """x[:bound]"""
    return bound.__index__()


def list_of_row(tensor: Any) -> Any:
    """tolist() of a vector whose length the run knows."""
    return [element.item() for element in tensor]


NAMES = "list_of_row"
MODELS: dict[object, Callable[..., Any]] = {torch.nn.functional.one_hot: one_hot}
