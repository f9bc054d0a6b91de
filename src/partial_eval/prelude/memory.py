# SPDX-License-Identifier: Apache-2.0
"""Memory that torch gives before anybody has written to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .refused import Refused


def not_yet_written(tensor: Any) -> Any:
    """The new tensor, whose elements nobody may read before they are written; the machine's own."""
    raise NotImplementedError


def _refuse_formats(options: Any) -> Any:
    if options.pop("memory_format", torch.contiguous_format) is not torch.contiguous_format:
        raise Refused("memory in another order than that of the dimensions is asked for", "leave it out")


def empty(*size: Any, **options: Any) -> Any:
    _refuse_formats(options)
    return not_yet_written(torch.zeros(*size, **options))


def empty_like(input: Any, **options: Any) -> Any:
    return not_yet_written(torch.zeros_like(input, **options))


def new_empty(self: Any, *size: Any, **options: Any) -> Any:
    return not_yet_written(self.new_zeros(*size, **options))


def _legacy(arguments: Any, options: Any, dtype: Any) -> Any:
    """torch.Tensor(2, 3), x.new(2, 3): sizes; torch.Tensor([2, 3]): numbers."""
    if options:
        raise Refused("an old constructor of tensors is given options", "use torch.empty or torch.tensor")
    if len(arguments) == 1 and isinstance(arguments[0], torch.Size):
        return not_yet_written(torch.zeros(arguments[0], dtype=dtype))
    for argument in arguments:
        if not isinstance(argument, int) or isinstance(argument, bool):
            if len(arguments) == 1 and isinstance(argument, (list, tuple)):
                numbers = [float(n) if isinstance(n, torch.Tensor) and n.dim() == 0 else n for n in argument]
                return torch.tensor(numbers, dtype=dtype)
            raise Refused(
                "an old constructor of tensors is given neither sizes nor a list",
                "use torch.tensor or x.clone()",
            )
    return not_yet_written(torch.zeros(arguments if arguments else (0,), dtype=dtype))


def new(self: Any, *arguments: Any, **options: Any) -> Any:
    return _legacy(arguments, options, self.dtype)


def make_tensor(*arguments: Any, **options: Any) -> Any:
    return _legacy(arguments, options, torch.get_default_dtype())


def _constructor(dtype: Any) -> Callable[..., Any]:
    def construct(*arguments: Any, **options: Any) -> Any:
        return _legacy(arguments, options, dtype)

    return construct


def new_tensor(
    self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False
) -> Any:
    if requires_grad:
        raise Refused("a tensor that requires gradients is made", "leave requires_grad out")
    dtype = self.dtype if dtype is None else dtype
    return (
        data.detach().to(dtype, copy=True)
        if isinstance(data, torch.Tensor)
        else torch.tensor(data, dtype=dtype)
    )


MODELS: dict[object, Callable[..., Any]] = {
    torch.empty: empty,
    torch.empty_like: empty_like,
    torch.Tensor.new_empty: new_empty,
    torch.Tensor.new: new,
    torch.Tensor.new_tensor: new_tensor,
    torch.Tensor: make_tensor,
    torch.FloatTensor: _constructor(torch.float32),
    torch.DoubleTensor: _constructor(torch.float64),
    torch.LongTensor: _constructor(torch.int64),
    torch.IntTensor: _constructor(torch.int32),
    torch.ByteTensor: _constructor(torch.uint8),
    torch.BoolTensor: _constructor(torch.bool),
}
