# SPDX-License-Identifier: Apache-2.0
"""Where the results of tuning are kept: per version of TVM, processor and number of cores; inside, TVM keeps
them per operator and shape."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tvm
from tvm.s_tir import meta_schedule as ms


def database_folder(target: Any) -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    root = Path(cache) if cache else Path.home() / ".cache"
    cpu, cores = target.attrs["mcpu"], target.attrs["num-cores"]
    return root / "dycl" / "tvm" / f"{tvm.__version__}-{cpu}-{cores}"


def state(target: Any) -> str:
    """Changes when something is tuned."""
    records = database_folder(target) / "records.json"
    return f"{records.stat().st_mtime_ns} {records.stat().st_size}" if records.exists() else "none"


def open_database(target: Any, *, create: bool = False) -> Any:
    """None when nothing was tuned for this target."""
    folder = database_folder(target)
    workloads, records = folder / "workloads.json", folder / "records.json"
    if create:
        folder.mkdir(parents=True, exist_ok=True)
    elif not (workloads.exists() and records.exists()):
        return None
    return ms.database.JSONDatabase(str(workloads), str(records))
