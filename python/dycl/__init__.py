# SPDX-License-Identifier: Apache-2.0
"""DyCL: a compiler for neural networks whose control flow depends on their data.

net = dycl.compile(model, x)     # takes a PyTorch model and an example, or "model.onnx"
y = net(x)
net.save("model.dycl")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dycl._core import __version__
from dycl.api import Program, compile, load
from dycl.calls.gradients import GradientWarning
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
from dycl.ports import Port, Return

if TYPE_CHECKING:
    from dycl.explanation import Explanation, explain
    from dycl.verification.report import Report
    from dycl.verification.sequence import Call
    from dycl.verification.verify import verify

__all__ = [
    "BackendError",
    "Call",
    "Error",
    "Explanation",
    "GradientWarning",
    "InternalError",
    "MissingFileError",
    "ModelError",
    "PackageError",
    "PathMismatch",
    "Port",
    "Program",
    "Report",
    "Return",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "compile",
    "explain",
    "load",
    "verify",
]

# The tools use the compiler, so they are imported when first asked for.
_TOOLS = {
    "Call": "dycl.verification.sequence",
    "Explanation": "dycl.explanation",
    "Report": "dycl.verification.report",
    "explain": "dycl.explanation",
    "verify": "dycl.verification.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _TOOLS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_TOOLS[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
