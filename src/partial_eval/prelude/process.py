# SPDX-License-Identifier: Apache-2.0
"""Questions about the process: which packages, which platform, which devices there are, how it is set up.

They are asked once, while compiling, and the machine lists each with its answer in `explain` and in the
package. The answers to the constants stay the same while a process lives; a setting may change, so every call
from Python asks for it again (python/dycl/calls/settings.py) and raises where the answer is another one.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from typing import Any

import torch

from .refused import Refused


def is_imported(name: str) -> bool:
    return name in sys.modules


def spec_of(name: str) -> Any:
    """importlib.util.find_spec(name) of a name whose parents are imported: looking for it imports nothing."""
    return importlib.util.find_spec(name)


def environment_variable(name: str) -> str | None:
    return os.environ.get(name)


def find_spec_(name: str, package: str | None = None) -> Any:
    parent = name.rpartition(".")[0]
    if package is not None or (parent and not is_imported(parent)):
        raise Refused(
            "importlib.util.find_spec() would import the packages above the name",
            "look for the package itself",
        )
    return spec_of(name)


def environ_get_(self: Any, key: str, default: Any = None) -> Any:
    try:
        return self[key]
    except KeyError:
        return default


def getenv_(key: str, default: Any = None) -> Any:
    return environ_get_(os.environ, key, default)


def environ_item_(self: Any, key: str) -> Any:
    if self is not os.environ:
        raise Refused("the environment is read as bytes", "read os.environ")
    value = environment_variable(key)
    if value is None:
        raise KeyError(key)
    return value


_OWNED: tuple[tuple[Any, str], ...] = (
    (importlib.metadata, "version"),
    (platform, "system machine python_version python_version_tuple python_implementation"),
    (torch.cuda, "is_available device_count is_bf16_supported"),
    (torch.backends.mps, "is_available is_built"),
    (torch.backends.cuda, "is_built"),
    (torch.backends.cudnn, "is_available version"),
    (torch.backends.mkldnn, "is_available"),
    (torch.distributed, "is_available"),
    (getattr(torch, "xpu", None), "is_available"),
)
# Each question with the name that a reader knows.
CONSTANTS: dict[Any, str] = {
    spec_of: "importlib.util.find_spec",
    is_imported: "sys.modules.__contains__",
    **{
        getattr(owner, name): f"{owner.__name__}.{name}"
        for owner, names in _OWNED
        for name in names.split()
        if hasattr(owner, name)
    },
}
SETTINGS: dict[Any, str] = {
    environment_variable: "os.environ.get",
    **{
        getattr(torch, name): f"torch.{name}"
        for name in (
            "are_deterministic_algorithms_enabled",
            "is_deterministic_algorithms_warn_only_enabled",
        )
    },
    **(
        {torch.distributed.is_initialized: "torch.distributed.is_initialized"}
        if torch.distributed.is_available()
        else {}
    ),
}
MODELS: dict[object, Callable[..., Any]] = {
    importlib.util.find_spec: find_spec_,
    os.getenv: getenv_,
    type(os.environ).__getitem__: environ_item_,
}
METHODS: dict[tuple[type, str], Callable[..., Any]] = {(type(os.environ), "get"): environ_get_}
