# SPDX-License-Identifier: Apache-2.0
"""Live PyTorch models: compile them, explain what depends on their input."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dycl import _core, _search


@contextmanager
def quiet_torch() -> Iterator[None]:
    """torch as inference sees it; the caller's modes and random state come back."""
    import torch

    random_state = torch.get_rng_state()
    default_dtype = torch.get_default_dtype()
    fast_path = torch.backends.mha.get_fastpath_enabled()
    try:
        torch.backends.mha.set_fastpath_enabled(False)
        with torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast_path)
        torch.set_default_dtype(default_dtype)
        torch.set_rng_state(random_state)


def _limits(limits: Mapping[str, int] | None) -> _core.RewriteLimits:
    made = _core.RewriteLimits()
    for name, value in (limits or {}).items():
        setattr(made, name, value)
    return made


def compile_model(
    model: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    request: _core.CompileRequest,
    limits: Mapping[str, int] | None,
    progress: Any,
    dynamic_shapes: Any = None,
) -> tuple[_core.Program, dict[str, Any]]:
    from dycl.capture import Capture, Declared

    name = getattr(model, "__qualname__", type(model).__qualname__)
    declared = Declared(model, args, kwargs, dynamic_shapes)
    with quiet_torch(), Capture(declared) as capture:
        program, report = _core.compile_model(
            _search.runtime(), model, args, dict(kwargs), capture, _limits(limits), name, request, progress
        )
    for text in report["warnings"]:
        warnings.warn(text, stacklevel=4)
    return program, report


def rewrite_model(
    model: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    request: _core.CompileRequest,
    limits: Mapping[str, int] | None,
    decisions: list[Any],
    dynamic_shapes: Any = None,
) -> tuple[str, dict[str, Any]]:
    """`decisions` is given what was found, also where the model is refused."""
    from dycl.capture import Capture, Declared

    declared = Declared(model, args, kwargs, dynamic_shapes)
    with quiet_torch(), Capture(declared) as capture:
        return _core.rewrite(
            _search.runtime(), model, args, dict(kwargs), capture, _limits(limits), request, decisions
        )
