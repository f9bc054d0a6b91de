# SPDX-License-Identifier: Apache-2.0
"""What torch adds to a call for the sake of gradients, as it is when none are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint

from .refused import Refused


class FunctionContext:
    """`ctx` of a torch.autograd.Function: what is kept for the backward pass is dropped."""

    def __init__(self) -> None:
        self._dirty: Any = ()

    def save_for_backward(self, *tensors: Any) -> Any:
        return None

    def save_for_forward(self, *tensors: Any) -> Any:
        return None

    def mark_dirty(self, *tensors: Any) -> Any:
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> Any:
        return None

    def set_materialize_grads(self, value: Any) -> Any:
        return None

    @property
    def needs_input_grad(self) -> Any:
        raise Refused("ctx.needs_input_grad is read: a compiled program knows no autograd", "leave it out")

    @property
    def saved_tensors(self) -> Any:
        raise Refused("ctx.saved_tensors is read in forward", "keep the tensors in variables")


def _apart(one: Any, args: Any, dirty: Any) -> Any:
    """Of an argument that forward returns unmarked, autograd makes another tensor with the same memory."""
    if not isinstance(one, torch.Tensor):
        return one
    for written in dirty:
        if written is one:
            return one
    for argument in args:
        if argument is one:
            return one.view_as(one)
    return one


def _all_apart(result: Any, args: Any, dirty: Any) -> Any:
    if type(result) is tuple:
        return tuple([_apart(one, args, dirty) for one in result])
    return _apart(result, args, dirty)


def apply_function(cls: Any, *args: Any) -> Any:
    """`cls.apply(…)`: its forward."""
    ctx = FunctionContext()
    if cls.setup_context is torch.autograd.Function.setup_context:
        result = cls.forward(ctx, *args)
    else:
        result = cls.forward(*args)
        cls.setup_context(ctx, args, result)
    return _all_apart(result, args, ctx._dirty)


def variable(data: Any, requires_grad: Any = False) -> Any:
    """torch.autograd.Variable: once a wrapper, today another tensor with the same memory."""
    if not isinstance(data, torch.Tensor):
        raise Refused("a Variable is made of something else than a tensor", "give it a tensor")
    if requires_grad:
        raise Refused("a Variable that requires gradients is made", "leave requires_grad out")
    return data.detach()


def checkpoint(
    function: Any = None,
    *args: Any,
    use_reentrant: Any = None,
    preserve_rng_state: Any = True,
    context_fn: Any = torch.utils.checkpoint.noop_context_fn,
    determinism_check: Any = "default",
    debug: Any = False,
    early_stop: Any = True,
    respect_saved_tensors_hooks: Any = None,
    **kwargs: Any,
) -> Any:
    if function is None or context_fn is not torch.utils.checkpoint.noop_context_fn or debug:
        raise Refused(
            "torch.utils.checkpoint.checkpoint() makes a wrapper, has contexts or debugs",
            "call the function itself, or checkpoint(function, *args)",
        )
    if use_reentrant is False:
        return function(*args, **kwargs)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    return _all_apart(function(*args), args, ())


MODELS: dict[object, Callable[..., Any]] = {
    torch.autograd.Variable: variable,
    torch.utils.checkpoint.checkpoint: checkpoint,
}
NAMES = "apply_function"
