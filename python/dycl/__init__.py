# SPDX-License-Identifier: Apache-2.0
"""DyCL: a compiler for neural networks whose control flow depends on their data.

net = dycl.compile(model, x)     # a PyTorch model and an example, or "model.onnx"
y = net(x)
net.save("model.dycl")
"""

from dycl._core import __version__
from dycl.api import Port, Program, compile, load
from dycl.errors import (
    BackendError,
    Error,
    InternalError,
    MissingFileError,
    ModelError,
    PackageError,
    PathMismatch,
    UnsupportedError,
    UsageError,
)
from dycl.explanation import Explanation, explain
from dycl.verification import Call, Report, verify

__all__ = [
    "BackendError",
    "Call",
    "Error",
    "Explanation",
    "InternalError",
    "MissingFileError",
    "ModelError",
    "PackageError",
    "PathMismatch",
    "Port",
    "Program",
    "Report",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "compile",
    "explain",
    "load",
    "verify",
]
