# SPDX-License-Identifier: Apache-2.0
"""Finds plugins and vendor libraries: in the environment, then in this package, then in the wheels."""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

from dycl import _core

PACKAGE = Path(__file__).parent


def vendor_folders() -> list[Path]:
    """Returns the folders that hold the vendors' wheels, without importing them."""
    folders = [Path(part) for part in os.environ.get("DYCL_VENDOR_PATH", "").split(os.pathsep) if part]
    for vendor in _core.vendor_packages(plugin_folders()):
        spec = importlib.util.find_spec(vendor)
        if spec is not None and spec.origin is not None:
            folder = Path(spec.origin).parent.parent
            if folder not in folders:
                folders.append(folder)
    return folders


def plugin_folders() -> list[Path]:
    named = [Path(part) for part in os.environ.get("DYCL_BACKEND_PATH", "").split(os.pathsep) if part]
    return [*named, PACKAGE / "lib" / "dycl", PACKAGE / "bin"]  # dycl-probe lies beside the native dycl


def compile_cache(wanted: bool | str | os.PathLike[str]) -> _core.DiskCache | None:
    if wanted is True and (users := _core.user_cache_folder()):
        return _core.DiskCache(users / "compiled")
    return None if isinstance(wanted, bool) else _core.DiskCache(Path(wanted))


def runtime(libraries: Mapping[str, Path] | None = None) -> _core.Runtime:
    """Returns the runtime, one per set of folders. Its programs share the backends' thread pools, which share
    the cores. `libraries` are vendor libraries that the user named, by backend."""
    named = tuple(sorted((libraries or {}).items()))
    return _runtime(tuple(plugin_folders()), tuple(vendor_folders()), named)


@functools.cache
def _runtime(
    plugins: tuple[Path, ...], vendors: tuple[Path, ...], libraries: tuple[tuple[str, Path], ...]
) -> _core.Runtime:
    return _core.Runtime(list(plugins), list(vendors), dict(libraries))
