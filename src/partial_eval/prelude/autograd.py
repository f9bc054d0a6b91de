# SPDX-License-Identifier: Apache-2.0
"""What torch adds to a call for the sake of gradients, as it is when none are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint

from .refused import Refused


class FunctionContext:
    """`ctx` of a torch.autograd.Function: nothing uses what is kept for the backward pass."""

    def __init__(self) -> None:
        self._dirty: Any = ()
        self._saved: Any = ()
        self._saved_for_forward: Any = ()

    def save_for_backward(self, *tensors: Any) -> Any:
        self._saved = tensors

    def save_for_forward(self, *tensors: Any) -> Any:
        self._saved_for_forward = tensors

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


def _is_given_back(one: Any, args: Any, dirty: Any) -> Any:
    """An argument that forward returns as it is, without having marked it as written."""
    if not isinstance(one, torch.Tensor) or any(written is one for written in dirty):
        return False
    return any(argument is one for argument in args)


def _refuse_saved_input(result: Any, args: Any, ctx: Any) -> Any:
    """Where forward gives an argument back and setup_context saves it, autograd raises, but not where
    gradients are switched off and the argument requires some."""
    for one in result if type(result) is tuple else (result,):
        for saved in ctx._saved + ctx._saved_for_forward:
            if saved is one and _is_given_back(one, args, ctx._dirty):
                raise Refused(
                    "setup_context saves an input that forward returns as it is, which torch forbids",
                    "return and save x.view_as(x) instead",
                )


def _apart(one: Any, args: Any, dirty: Any) -> Any:
    """Of an argument that forward gives back, autograd makes another tensor with the same memory."""
    return one.view_as(one) if _is_given_back(one, args, dirty) else one


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
        _refuse_saved_input(result, args, ctx)
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
