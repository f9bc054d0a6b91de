# SPDX-License-Identifier: Apache-2.0
"""DyCL: a compiler for neural networks whose control flow depends on their data.

net = dycl.compile("model.onnx")
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

__all__ = [
    "BackendError",
    "Error",
    "InternalError",
    "MissingFileError",
    "ModelError",
    "PackageError",
    "PathMismatch",
    "Port",
    "Program",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "compile",
    "load",
]
