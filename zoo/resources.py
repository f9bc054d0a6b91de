# SPDX-License-Identifier: Apache-2.0
"""What a compile costs when nothing has been compiled before: seconds by the clock and of the processor."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# What names the folders where DyCL and torch keep what they have compiled.
CACHES = ("XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR")
_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def empty_cache() -> Iterator[None]:
    """Nothing that an earlier compile left on the disk is found, and nothing is left behind."""
    before = {name: os.environ.get(name) for name in CACHES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update({name: str(Path(folder) / name.lower()) for name in CACHES})
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


class Clock:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._start = time.perf_counter(), processor_seconds()

    def taken(self) -> dict[str, float]:
        seconds, processor = time.perf_counter(), processor_seconds()
        return {"seconds": seconds - self._start[0], "cpu_seconds": processor - self._start[1]}


def processor_seconds() -> float:
    """Of this process and all that it has started, workers that live on and compilers that have ended."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile: its parent counts it
            continue
        process = int(file.parent.name)
        parents[process] = int(fields[1])
        ticks[process] = sum(
            map(int, fields[11:15])
        )  # in user code, in the kernel, the same of ended children
    return sum(count for process, count in ticks.items() if _is_ours(process, parents)) / _TICKS


def _is_ours(process: int, parents: dict[int, int]) -> bool:
    while process != os.getpid():
        if process not in parents:
            return False
        process = parents[process]
    return True
