# SPDX-License-Identifier: Apache-2.0
"""Sequences of calls, for programs and models that keep state between calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """The arguments of one call, and its random numbers as Program.draw makes them (None: fresh ones)."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    draws: dict[str, Any] | None = None


class Position:
    """A program or model with the calls that were made since it was reset."""

    def __init__(self, reset: Callable[[], Any], make: Callable[[Call], Any]) -> None:
        self._reset, self._make = reset, make
        self._made: list[Call] = []
        reset()

    def go_behind(self, calls: Sequence[Call]) -> None:
        """Makes calls, after a reset if needed, so that exactly these calls have been made."""
        if len(self._made) > len(calls) or any(ours is not theirs for ours, theirs in zip(self._made, calls)):
            self._reset()
            self._made = []
        for call in calls[len(self._made) :]:
            self._make(call)
            self._made.append(call)

    def has_made(self, call: Call) -> None:
        self._made.append(call)
