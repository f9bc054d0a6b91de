# SPDX-License-Identifier: Apache-2.0
"""Compares the sub-DNNs of a program with the reference on every edge: given, found, or forced."""

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

Edge = tuple[int, int, int]  # the block it leaves, the block it enters, its number among those that leave
_TRIES = 3  # from how many inputs an edge is forced


@dataclass
class SubnetReport:
    """One distinct sub-DNN on its backend. `error` is the largest max|a-b| / max(1, max|b|) of a result."""

    names: list[str]
    backend: str
    lines: list[str]  # "model.py:40"
    calls: int  # how many calls were compared
    forced: int  # how many of them came after a forced decision
    error: float
    problem: str  # what differs, and the first operation that differs; "" if nothing does


class Reference:
    """Runs the program's graph operation by operation and compares its sub-DNNs."""

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
        """Runs the calls that take edges which no call before took."""
        for number, run in enumerate(runs):
            if number == 0 or not self._seen.issuperset(run.trace.edges):
                edges, _, error = self._run(run, None)
                self._seen.update(edges, run.trace.edges)
                if isinstance(error, InternalError):
                    self.problems.append(f"the reference does not run: {error}")

    def force(self, edges: Iterable[Edge], runs: list[Any]) -> None:
        """Forces each of the edges, preferably with inputs that reached the block where the edge begins."""
        wanted = set(edges)
        for edge in sorted(wanted):
            near = sorted(runs, key=lambda run: all(edge[0] not in taken[:2] for taken in run.trace.edges))
            for run in near[:_TRIES]:
                if edge not in self.forced:
                    self.forced |= wanted & self._run(run, edge)[0].keys()

    def _run(self, run: Any, goal: Edge | None) -> tuple[dict[Edge, int], bool, BaseException | None]:
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
        return self._program._values(self._program._feeds(call.args, call.kwargs, call.draws))


def _line(file: str, line: int, node: str) -> str:
    return node or f"{os.path.basename(file)}:{line}"
