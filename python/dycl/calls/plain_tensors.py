# SPDX-License-Identifier: Apache-2.0
"""Refuses what a compiled program cannot read, or must not answer: tensors of torch's transformations."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from dycl.errors import UsageError


def check_plain(values: Iterable[Any], names: Iterable[str]) -> None:
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return
    _refuse_tracing(torch)
    for value, name in zip(values, names):
        kind = _kind(torch, value) if isinstance(value, torch.Tensor) else None
        if kind is not None:
            raise UsageError(
                f"the input '{name}' is {kind}, which has no elements that a compiled program could read",
                code="call.not_plain",
                hint="call the program with ordinary tensors, outside of torch's transformations",
            )


def _refuse_tracing(torch: Any) -> None:
    """A tracer would keep the answer to this call as a constant."""
    if torch.jit.is_tracing() or _is_proxied(torch):
        raise UsageError(
            "a compiled program is called while torch traces, which would keep this one answer for all calls",
            code="call.traced",
            hint="trace the model itself, or call the program outside of the trace",
        )


def _is_proxied(torch: Any) -> bool:
    key = torch._C._TorchDispatchModeKey.PROXY
    return torch._C._get_dispatch_mode(key) is not None


def _kind(torch: Any, value: Any) -> str | None:
    if torch._C._functorch.is_functorch_wrapped_tensor(value):
        return "a tensor of vmap, grad or jvp"
    if value.is_nested:
        return "a nested tensor"
    if torch._is_functional_tensor(value):
        return "a functional tensor"
    fake = sys.modules.get("torch._subclasses.fake_tensor")
    if fake is not None and isinstance(value, fake.FakeTensor):
        return "a fake tensor"
    return None
