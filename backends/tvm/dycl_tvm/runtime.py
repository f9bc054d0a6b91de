# SPDX-License-Identifier: Apache-2.0
"""What a compiled program finds when it runs without Python. Must be imported before tvm: that adds the
compiler and functions that are written in Python."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from pathlib import Path

from dycl_worker import Failed

LIBRARIES = ("libtvm_runtime.so", "libtvm_runtime_extra.so")  # those that backends/tvm opens


def _functions() -> frozenset[str]:
    spec = find_spec("tvm")
    if spec is None or spec.origin is None:
        raise Failed("TVM is not installed", code="tvm.not_installed", hint="pip install dycl[tvm]")
    from tvm_ffi.registry import list_global_func_names

    for library in LIBRARIES:
        ctypes.CDLL(str(Path(spec.origin).parent / "lib" / library))
    return frozenset(list_global_func_names())


RUNTIME_FUNCTIONS = _functions()
