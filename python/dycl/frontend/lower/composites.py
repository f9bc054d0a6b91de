# SPDX-License-Identifier: Apache-2.0
"""Operators that torch would take apart before any mode sees them, kept whole while a program is captured."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_impls import _deregister_op_impl, op_implementations_dict, register_op_impl
from torch.export.exported_program import _override_composite_implicit_decomp

from dycl.frontend.lower.torch_adapter import tables


@contextlib.contextmanager
def composites_kept() -> Iterator[None]:
    """Keeps conv2d, linear, lstm … whole. Global to the process."""
    kept = _kept()
    kernels = [dict(one.operator.py_kernels) for one in kept]
    without_rule = [one for one in kept if one.operator not in op_implementations_dict]
    try:
        for one in kept:
            _set_kernels(one.operator, one.operator.py_kernels | one.kernels)
        for one in without_rule:
            register_op_impl(one.operator)(one.rule)
        with _without_formula(torch.ops.aten.multi_margin_loss.default):
            yield
    finally:
        for one, before in zip(kept, kernels, strict=True):
            _set_kernels(one.operator, before)
        for one in without_rule:
            _deregister_op_impl(one.operator)


@dataclass(frozen=True)
class _Kept:
    operator: Any
    kernels: dict[Any, Callable[..., Any]]  # that keep it whole
    rule: Callable[..., Any]  # for fake tensors


@functools.cache
def _kept() -> list[_Kept]:
    """What torch's own manager does to every operator. Entering it takes a fifth of a second, so it is
    entered once per process; and leaving it drops torch's own rules for fake tensors, which are put back."""
    composite = tables().composite
    kernels = {operator: dict(operator.py_kernels) for operator in composite}
    rules = {operator: rule for operator, rule in op_implementations_dict.items() if operator in composite}
    with _override_composite_implicit_decomp(composite):
        kept = [
            _Kept(
                operator,
                {key: f for key, f in operator.py_kernels.items() if kernels[operator].get(key) is not f},
                op_implementations_dict[operator],
            )
            for operator in composite
        ]
    for operator, rule in rules.items():
        register_op_impl(operator)(rule)
    return kept


def _set_kernels(operator: Any, kernels: dict[Any, Callable[..., Any]]) -> None:
    operator.py_kernels.clear()
    operator.py_kernels.update(kernels)
    operator._dispatch_cache.clear()


@contextlib.contextmanager
def _without_formula(operator: Any) -> Iterator[None]:
    """torch replaces it by a formula before any mode sees it, and eager gives other values on NaN."""
    formula = operator.py_kernels.pop(torch._C.DispatchKey.Autograd, None)
    operator._dispatch_cache.clear()
    try:
        yield
    finally:
        if formula is not None:
            operator.py_kernels[torch._C.DispatchKey.Autograd] = formula
            operator._dispatch_cache.clear()
