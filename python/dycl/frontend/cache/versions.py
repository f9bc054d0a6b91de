# SPDX-License-Identifier: Apache-2.0
"""The versions of everything that lowers a leaf call, as the beginning of each key."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import torch

from dycl import _core

# Our own code is known by its contents: it may change without a new version.
_PACKAGES = ("dycl.frontend", "dycl.prelude")
_DISTRIBUTIONS = ("onnxscript", "onnx", "onnx_ir")


def versions(reference: str) -> str:
    """`reference`: the backend, with its version, on which lowered calls are tried."""
    known = [f"{name} {_version(name)}" for name in _DISTRIBUTIONS]
    python = ".".join(map(str, sys.version_info[:3]))
    return "\n".join(
        [
            f"python {python}",
            f"torch {torch.__version__}",
            *known,
            reference,
            *_processor(),
            _sources(),
            _extension(),
            "",
        ]
    )


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _processor() -> list[str]:
    """Calls are tried out where they are lowered."""
    return [torch.backends.cpu.get_cpu_capability()]


def _extension() -> str:
    """The extension module legalizes what is tried; its contents are large, and its date says enough."""
    status = Path(_core.__file__).stat()
    return f"{status.st_size} {status.st_mtime_ns}"


@functools.cache
def _sources() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        folder = Path(str(sys.modules[package].__file__)).parent
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(folder)).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
