# SPDX-License-Identifier: Apache-2.0
"""Checks what compiling a Python model needs, before something inside fails for the lack of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from dycl.errors import UnsupportedError, UsageError

_PACKAGES = ("torch", "onnxscript", "onnx")  # ONNX models need none of them


def require_torch() -> None:
    missing = [name for name in _PACKAGES if sys.modules.get(name) is None and find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Python models need packages that are not installed: {', '.join(missing)}",
            code="python.no_torch",
            hint="in DyCL's folder: pip install '.[torch,onnxruntime]'",
        )


@contextmanager
def nesting_refused() -> Iterator[None]:
    """Turns a RecursionError into an error of usage, because the caller passed what is nested too deeply."""
    try:
        yield
    except RecursionError:
        raise UnsupportedError(
            "the model or its example is nested more deeply than Python's recursion limit allows",
            code="python.recursion_limit",
            hint="nest the arguments less deeply, or raise the limit with sys.setrecursionlimit",
        ) from None
