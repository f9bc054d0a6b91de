# SPDX-License-Identifier: Apache-2.0
"""The versions of everything that lowers a leaf call, as the beginning of each key."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import torch

# Our own code is known by its contents: it may change without a new version.
_PACKAGES = ("dycl.frontend", "dycl.prelude")
_DISTRIBUTIONS = ("onnxscript", "onnx", "onnx_ir", "onnxruntime")


def versions() -> str:
    known = [f"{name} {_version(name)}" for name in _DISTRIBUTIONS]
    python = ".".join(map(str, sys.version_info[:3]))
    return "\n".join(
        [f"python {python}", f"torch {torch.__version__}", *known, *_processor(), _sources(), ""]
    )


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _processor() -> list[str]:
    """Calls are tried out where they are lowered."""
    return [torch.backends.cpu.get_cpu_capability()]


@functools.cache
def _sources() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        folder = Path(str(sys.modules[package].__file__)).parent
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(folder)).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
