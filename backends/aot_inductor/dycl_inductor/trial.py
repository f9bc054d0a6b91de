# SPDX-License-Identifier: Apache-2.0
"""A process in which compiled libraries are tried out: where a size is 0, generated code may divide by it,
which ends the process. `python -m dycl_inductor.trial` is that process; TrialProcess is its other end."""

from __future__ import annotations

import io
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dycl_worker

_SECONDS = 600.0  # a run takes milliseconds, but beside other work nobody knows


class TrialProcess:
    """Started when it is first needed, and again after it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None

    def run(self, library: Path, values: Sequence[Any]) -> list[Any]:
        """Raises RuntimeError with what the library raises, or how it ends its process."""
        import torch

        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._channel is not None
        clock = threading.Timer(_SECONDS, self._process.kill)
        clock.start()
        try:
            answer, parts = dycl_worker.ask(self._channel, "run", str(library), [_packed(list(values))])
        except EOFError:
            raise RuntimeError(f"the compiled library ends its process ({self._end()})") from None
        finally:
            clock.cancel()
        if answer is not None:
            raise RuntimeError(answer)
        results: list[Any] = torch.load(io.BytesIO(parts[0]))
        return results

    def _start(self) -> None:
        self._channel, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "dycl_inductor.trial"]
        with theirs:
            self._process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        dycl_worker.ask(self._channel, "start", None, [])  # torch's import takes as long as it takes

    def _end(self) -> str:
        assert self._process is not None
        status = self._process.wait()
        self._process = None
        return signal.Signals(-status).name if status < 0 else f"exit code {status}"


def _packed(values: list[Any]) -> bytes:
    import torch

    packed = io.BytesIO()
    torch.save(values, packed)
    return packed.getvalue()


def _start(_: Any, __: Sequence[bytes], ___: dycl_worker.Progress) -> tuple[Any, Sequence[bytes]]:
    import torch

    torch.set_num_threads(1)
    return None, []


def _run(library: str, parts: Sequence[bytes], _: dycl_worker.Progress) -> tuple[Any, Sequence[bytes]]:
    """The results, or in their place the words of what was raised."""
    import torch

    from dycl_inductor import adapter

    try:
        return None, [_packed(adapter.run(Path(library), torch.load(io.BytesIO(parts[0]))))]
    except RuntimeError as error:
        return adapter.reason(error), []


if __name__ == "__main__":
    dycl_worker.serve({"start": _start, "run": _run})
