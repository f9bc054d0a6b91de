# SPDX-License-Identifier: Apache-2.0
"""Says what a compilation is doing, so that minutes of a backend's compiler are not silent."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, TextIO

_EVERY = {True: 1.0, False: 15.0}  # seconds, by whether a line can be drawn again
_AGAIN = "\r\033[K"


class ProgressLine:
    """For `compile(progress=…)`, and a context: on a terminal one line per phase that moves; elsewhere a line
    for each phase, and another one now and then while a phase lasts. `patience`: nothing for so many seconds,
    and nothing is left on the terminal in the end. `phases` are those that will come, in order."""

    def __init__(
        self,
        stream: TextIO,
        *,
        every: float | None = None,
        patience: float | None = None,
        phases: Sequence[str] = (),
    ) -> None:
        self._expected = list(phases)
        self._stream = stream
        self._redraws = stream.isatty()
        self._every = _EVERY[self._redraws] if every is None else every
        self._patience = patience
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._phases: list[str] = []
        self._detail = ""
        self._first = self._began = self._told = time.monotonic()

    def __enter__(self) -> ProgressLine:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self._thread.join()
        if self._redraws and self._told > self._first:
            self._write("\n" if self._patience is None else _AGAIN)

    def __call__(self, phase: str, done: int, total: int, what: str) -> None:
        with self._lock:
            if phase not in self._phases:
                if self._redraws and self._phases and self._patience is None:
                    self._write("\n")
                self._phases.append(phase)
                self._began = time.monotonic()
                self._detail = ""
                if self._patience is None:
                    said = f"{self._heading}: {what}" if what else self._heading
                    self._write(f"{_AGAIN}{said}" if self._redraws else f"{said}\n")
            if done or total:
                self._detail = f" {done}/{total} {what}" if total else f" {done} {what}"
                self._tell_again()

    @property
    def _heading(self) -> str:
        if not self._phases:
            return "reading the model"
        phase = self._phases[-1]
        if phase not in self._expected:
            return f"[{len(self._phases)}] {phase}"
        return f"[{self._expected.index(phase) + 1}/{len(self._expected)}] {phase}"

    def _tick(self) -> None:
        while not self._ended.wait(self._every):
            with self._lock:
                self._tell_again()

    def _tell_again(self) -> None:
        now = time.monotonic()
        if now - self._first < (self._patience or 0.0):
            return
        if not self._redraws and now - max(self._told, self._began) < self._every:
            return
        text = f"{self._heading}{self._detail}, {now - self._began:.0f} s"
        self._write(f"{_AGAIN}{text}" if self._redraws else f"{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
        self._told = time.monotonic()
