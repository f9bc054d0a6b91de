# SPDX-License-Identifier: Apache-2.0
"""Live PyTorch models: compile them, explain what depends on their input."""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dycl import _core, _search
from dycl.calls.needs import nesting_refused, require_torch
from dycl.calls.settings import settings_of_torch
from dycl.calls.ways import way_of
from dycl.errors import UsageError

_ONE_AT_A_TIME = threading.RLock()  # torch's tables of operations and CPython's parser are the process's


@contextmanager
def quiet_torch() -> Iterator[None]:
    """torch as inference sees it; the caller's modes and random state come back."""
    import torch

    with _ONE_AT_A_TIME:
        random_state = torch.get_rng_state()
        default_dtype = torch.get_default_dtype()
        fast_path = torch.backends.mha.get_fastpath_enabled()
        try:
            torch.backends.mha.set_fastpath_enabled(False)
            # Tensors of inference mode have no versions.
            with nesting_refused(), torch.inference_mode(False), torch.no_grad():
                yield
        finally:
            torch.backends.mha.set_fastpath_enabled(fast_path)
            torch.set_default_dtype(default_dtype)
            torch.set_rng_state(random_state)


def read_limits(limits: Mapping[str, Any] | None) -> _core.RewriteLimits:
    """The options of a rewriting with these limits."""
    made = _core.RewriteLimits()
    known = [name for name in dir(made) if name.endswith("_limit")]
    if limits is not None and not isinstance(limits, Mapping):
        raise UsageError(
            f"limits cannot be {limits!r}",
            code="argument.limits",
            hint='give a dict: {"unroll_limit": 50000}',
        )
    for name, value in (limits or {}).items():
        if name not in known or not isinstance(value, int) or value < 0:
            raise UsageError(
                f"{name}={value!r} is not a limit",
                code="argument.limits",
                hint=f"limits are numbers: {', '.join(known)}",
            )
        setattr(made, name, value)
    return made


def _as_written(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The model that torch.compile wraps, or the model itself; the example must be a call of it."""
    require_torch()
    model = getattr(model, "_orig_mod", model)
    try:
        inspect.signature(getattr(model, "forward", model)).bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError(
            f"the example does not fit the model's arguments: {error}",
            code="argument.example",
            hint="give the arguments of a call: dycl.compile(model, (x, y), {'flag': True})",
        ) from None
    except ValueError:  # no signature is known
        pass
    return model


def compile_model(
    model: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    runtime: _core.Runtime,
    request: _core.CompileRequest,
    options: _core.RewriteLimits,
    progress: Any,
    dynamic_shapes: Any = None,
) -> tuple[_core.Compiled, dict[str, Any]]:
    model = _as_written(model, args, kwargs)
    from dycl.frontend.cache import Store
    from dycl.frontend.capture import Capture, Declared

    store = Store(request.cache, runtime.reference) if request.cache is not None else None
    name = getattr(model, "__qualname__", type(model).__qualname__)
    with quiet_torch(), Capture(Declared(model, args, kwargs, dynamic_shapes), store, runtime) as capture:
        compiled, report = _core.compile_model(
            runtime, model, args, dict(kwargs), capture, options, name, request, progress
        )
    report["schema"] |= {"way": way_of(model, args, kwargs), "settings": settings_of_torch()}
    for text in report["warnings"]:
        warnings.warn(text, stacklevel=5)
    return compiled, report


def rewrite_model(
    model: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    options: _core.RewriteLimits,
    decisions: list[Any],
    obstacles: list[Any] | None = None,
    dynamic_shapes: Any = None,
) -> tuple[str, dict[str, Any]]:
    """`decisions` is given what was found, also where the model is refused. Given `obstacles`, rewriting goes
    on behind what is refused, and adds every refusal that it finds."""
    model = _as_written(model, args, kwargs)
    from dycl.frontend.capture import Capture, Declared

    options.go_on = obstacles is not None
    with quiet_torch(), Capture(Declared(model, args, kwargs, dynamic_shapes)) as capture:
        return _core.rewrite(
            _search.runtime(), model, args, dict(kwargs), capture, options, decisions,
            [] if obstacles is None else obstacles,
        )  # fmt: skip
