# SPDX-License-Identifier: Apache-2.0
"""Tensors that a model holds: those that a call writes may become state of the session."""

from __future__ import annotations

import torch


def attribute_name(model: torch.nn.Module, owner: torch.nn.Module, name: str) -> str:
    """The path of an attribute of one of the modules: layers.0.calls."""
    for path, module in model.named_modules():
        if module is owner:
            return f"{path}.{name}" if path else name
    return f"{type(owner).__name__}.{name}"


def holder_of(model: torch.nn.Module, tensor: torch.Tensor) -> tuple[str, torch.Tensor] | None:
    """The model's own tensor that this one is, or is a view of, with its name: "layers.0.cache"."""
    storage = tensor.untyped_storage()._cdata
    found = None
    for path, module in model.named_modules():
        for table in (module._buffers, module._parameters, module.__dict__):
            for name, held in table.items():
                if isinstance(held, torch.Tensor) and held.untyped_storage()._cdata == storage:
                    holder = (f"{path}.{name}" if path else name), held
                    if held is tensor:
                        return holder
                    found = found or holder
    return found
