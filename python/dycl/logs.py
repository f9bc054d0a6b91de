# SPDX-License-Identifier: Apache-2.0
"""What compiling and loading say to Python's logging, under the name "dycl". Runs say nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

_LOG = logging.getLogger("dycl")
_Progress = Callable[[str, int, int, str], None]


def logged(progress: _Progress | None) -> _Progress | None:
    """Returns a function that logs where a phase begins (DEBUG), and calls `progress`."""
    if not _LOG.isEnabledFor(logging.DEBUG):
        return progress

    def log(phase: str, done: int, total: int, what: str) -> None:
        if not done and not total:
            _LOG.debug("%s: %s", phase, what)
        if progress is not None:
            progress(phase, done, total, what)

    return log


def log_compiled(model: Any, stats: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    """Logs what was made, how long it took and what the cache knew (INFO)."""
    if not _LOG.isEnabledFor(logging.INFO):
        return
    _LOG.info(
        "compiled %s in %.2f s: %s%s",
        _name_of(model), sum(seconds.values()), _contents(stats), _of_cache(stats["cache"].values()),
    )  # fmt: skip
    for phase, spent in seconds.items():
        _LOG.debug("%s took %.3f s", phase, spent)


def log_loaded(path: Any, stats: Mapping[str, Any]) -> None:
    """Logs which package was loaded (INFO)."""
    _LOG.info("loaded %s: %s", path, _contents(stats))


def _contents(stats: Mapping[str, Any]) -> str:
    return f"{stats['distinct_subnets']} distinct sub-DNNs"


def _of_cache(counts: Collection[Mapping[str, int]]) -> str:
    found, missed = (sum(count[kind] for count in counts) for kind in ("found", "missed"))
    return f"; {found} parts from the cache, {missed} new" if counts else ""


def _name_of(model: Any) -> str:
    if isinstance(model, bytes) or hasattr(model, "SerializeToString"):
        return "an ONNX model"
    return str(model) if isinstance(model, str) else getattr(model, "__qualname__", type(model).__qualname__)
