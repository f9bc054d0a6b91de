# SPDX-License-Identifier: Apache-2.0
"""Holds the sub-DNNs of a program against the reference, over every edge: natural, found, or forced."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dycl import _core, _search
from dycl.errors import InternalError
from dycl.verification.sequence import Position

if TYPE_CHECKING:
    from dycl.api import Program

Edge = tuple[int, int, int]  # from, to, and which of those that leave `from`
_TRIES = 3  # inputs from which an edge is forced


@dataclass
class SubnetReport:
    """One distinct sub-DNN on its backend. `error`: the largest max|a-b| / max(1, max|b|) of its results."""

    names: list[str]
    backend: str
    lines: list[str]  # "model.py:40"
    calls: int  # that were compared
    forced: int  # of these, behind a forced decision
    error: float
    problem: str  # says what differs, and the first differing operation; "" if nothing


class Reference:
    """Runs the program's graph operation by operation."""

    def __init__(self, program: Program, tolerance: float) -> None:
        self._program = program
        self._checker = _core.check_subnets(_search.runtime(), program._core, tolerance)
        self._position = Position(
            self._checker.reset, lambda call: self._checker.run(self._values(call), None)
        )
        self._seen: set[Edge] = set()
        self.forced: set[Edge] = set()
        self.problems: list[str] = []

    def follow(self, runs: Iterable[Any]) -> None:
        """Those of the calls that take edges which none before took."""
        for number, run in enumerate(runs):
            if number == 0 or not self._seen.issuperset(run.trace.edges):
                edges, _, error = self._run(run, None)
                self._seen.update(edges, run.trace.edges)
                if isinstance(error, InternalError):
                    self.problems.append(f"the reference does not run: {error}")

    def force(self, edges: Iterable[Edge], runs: list[Any]) -> None:
        """Over each of the edges, from inputs that came to where it begins if there are any."""
        wanted = set(edges)
        for edge in sorted(wanted):
            near = sorted(runs, key=lambda run: all(edge[0] not in taken[:2] for taken in run.trace.edges))
            for run in near[:_TRIES]:
                if edge not in self.forced:
                    self.forced |= wanted & self._run(run, edge)[0].keys()

    def _run(self, run: Any, goal: Edge | None) -> tuple[dict[Edge, int], bool, Exception | None]:
        self._position.go_behind(run.before)
        result = self._checker.run(self._values(run.call), goal)
        if goal is None and self._program.states:
            self._position.has_made(run.call)
        return result

    @property
    def subnets(self) -> list[SubnetReport]:
        return [
            SubnetReport(**{**entry, "lines": [_line(*line) for line in entry["lines"]]})
            for entry in self._checker.subnets
        ]

    def _values(self, call: Any) -> list[Any]:
        return self._program._values(self._program._feeds(call.args, call.kwargs))


def _line(file: str, line: int, node: str) -> str:
    return node or f"{os.path.basename(file)}:{line}"
