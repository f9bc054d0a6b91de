# SPDX-License-Identifier: Apache-2.0
"""The report of verification, as a table for people and as data."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dycl.errors import PathMismatch
from dycl.verification.subnets import Edge, SubnetReport

_MARKS = {"equal": "✓", "different": "x", "undecided": "?"}
WAYS = ("given", "found", "forced", "never")  # how an edge was taken
_ALL_RIGHT = "but sub-DNNs compute what the program's graph says: it is of another model, or of other weights"
_BEHIND = {"forced": "not reached by any input; checked one sub-DNN at a time", "never": "not seen"}


@dataclass
class InputReport:
    """The result of verification on one input."""

    problems: list[str]
    undecided: list[str]  # decisions closer to their threshold than the tolerance
    error: float  # largest max|a-b| / max(1, max|b|)
    decisions: int
    found: bool = False  # True if the search found the input, False if it was given
    follows: int = 0  # how many calls came before it since the state was reset

    @property
    def status(self) -> str:
        return "undecided" if self.undecided else "different" if self.problems else "equal"


@dataclass
class Report:
    """The whole report. `ok` says that every input was decided and equal, and every sub-DNN that was compared
    was equal. `edges` counts how often inputs took each edge of the HCFG."""

    name: str
    tolerance: float
    inputs: list[InputReport]
    edges: dict[Edge, int]
    not_taken: list[str]  # outcomes of decisions behind the edges that no input took, by source line
    left_out: list[str]  # decisions of eager that the program does not take, since nothing depends on them
    ways: dict[Edge, str] = field(default_factory=dict)  # one of WAYS for each edge
    subnets: list[SubnetReport] = field(default_factory=list)  # empty unless they were compared
    problems: list[str] = field(default_factory=list)  # problems that belong to no input and no sub-DNN

    @property
    def ok(self) -> bool:
        return (
            bool(self.inputs)
            and all(report.status == "equal" for report in self.inputs)
            and not self.problems
            and not any(subnet.problem for subnet in self.subnets)
        )

    @property
    def missed(self) -> list[Edge]:
        """The edges that no input took."""
        return [edge for edge, count in self.edges.items() if not count]

    @property
    def required_tolerance(self) -> float:
        return max((report.error for report in self.inputs), default=0.0)

    @property
    def decisions(self) -> dict[str, int]:
        """Counts the decisions on inputs that are equal, and those that are undecided."""
        equal = sum(report.decisions for report in self.inputs if report.status == "equal")
        return {"equal": equal, "undecided": sum(len(report.undecided) for report in self.inputs)}

    @property
    def verdict(self) -> str:
        """Says in one line whether the program is right, and on how many inputs and edges that was seen."""
        ways = Counter(self.ways.values())
        if self.ok:
            seen = [f"equal on {_count(len(self.inputs), 'input')}"]
            seen += [f"{_count(ways[way], 'edge')} {text}" for way, text in _BEHIND.items() if ways[way]]
            left = sum(not subnet.calls for subnet in self.subnets)
            seen += [f"{_count(left, 'sub-DNN')} not compared"] if left else []
            seen += [] if self.subnets else ["sub-DNNs were not looked at"]
            return f"verified: {'; '.join(seen)}"
        statuses = Counter(report.status for report in self.inputs)
        wrong = sum(bool(subnet.problem) for subnet in self.subnets)
        seen = [f"{_count(n, 'input')} {how}" for how, n in statuses.items() if how != "equal"]
        seen += [f"{_count(wrong, 'sub-DNN')} different"] if wrong else []
        seen += self.problems if self.inputs else ["there was no input"]
        if statuses["different"] and self.subnets and not wrong:
            seen.append(_ALL_RIGHT)
        return f"NOT verified: {', '.join(seen)}"

    def check(self) -> None:
        """Raises PathMismatch unless `ok`."""
        if not self.ok:
            raise PathMismatch(str(self), code="verify.different")

    def to_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "model": self.name,
            "tolerance": self.tolerance,
            "required_tolerance": self.required_tolerance,
            "inputs": [{"status": report.status, **vars(report)} for report in self.inputs],
            "decisions": self.decisions,
            "edges": [
                {"from": edge[0], "to": edge[1], "index": edge[2], "taken": n, "by": self.ways[edge]}
                for edge, n in self.edges.items()
            ],
            "not_taken": self.not_taken,
            "left_out": self.left_out,
            "subnets": [
                {**vars(subnet), "error": subnet.error if math.isfinite(subnet.error) else None}
                for subnet in self.subnets
            ],
            "problems": self.problems,
            "text": str(self),
        }

    def to_json(self) -> str:
        """Returns the report as a package keeps it: whole numbers are numbers, all others are text."""
        exact = json.loads(json.dumps(self.to_dict()), parse_float=str)
        return json.dumps({"version": 1, **exact}, ensure_ascii=False)

    def __str__(self) -> str:
        found = sum(report.found for report in self.inputs)
        more = f" and {found} found" if found else ""
        lines = [f"{self.name} on {len(self.inputs) - found} inputs{more}, against eager:"]
        for number, report in enumerate(self.inputs):
            shown = f"found input {number}" if report.found else f"input {number}"
            if report.found and report.follows:
                shown += f", behind {report.follows} others"
            lines.append(f"  -[{_MARKS[report.status]}] {shown}: {report.status}, {_detail(report)}")
            lines += [f"        {text}" for text in (*report.undecided, *report.problems)]
        needed, allowed = self.required_tolerance, self.tolerance
        mark = "✓" if needed <= allowed else "x"
        lines.append(f"  -[{mark}] required tolerance {needed:.1e}, allowed {allowed:.1e}")
        decided = ", ".join(f"{count} {how}" for how, count in self.decisions.items())
        lines.append(f"  -[{self._mark_of_decisions}] decisions: {decided}")
        lines += self._edge_lines() + self._subnet_lines()
        lines += [f"  -[x] {text}" for text in self.problems]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def _mark_of_decisions(self) -> str:
        if self.decisions["undecided"]:
            return _MARKS["undecided"]
        problems = [text for report in self.inputs for text in report.problems]
        return _MARKS["different" if any(text.startswith("decisions: ") for text in problems) else "equal"]

    def _edge_lines(self) -> list[str]:
        taken = len(self.edges) - len(self.missed)
        counts = Counter(self.ways.values())
        ways = ", ".join(f"{counts[way]} {way}" for way in WAYS if counts[way])
        lines = [f"  -[{'✓' if not self.missed else ' '}] {taken} of {len(self.edges)} edges taken: {ways}"]
        lines += [f"        {text}" for text in self.not_taken]
        lines += [
            f"        left out, since nothing depends on it: {text}" for text in self.left_out if self.ok
        ]
        return lines

    def _subnet_lines(self) -> list[str]:
        if not self.subnets:
            return []
        compared = [subnet for subnet in self.subnets if subnet.calls]
        right = sum(not subnet.problem for subnet in compared)
        mark = "x" if right < len(compared) else "✓" if len(compared) == len(self.subnets) else " "
        title = f"{right} of {len(self.subnets)} distinct sub-DNNs compared and equal to the reference"
        rows = [("sub-DNN", "backend", "calls", "forced", "max error", "lines")]
        for subnet in self.subnets:
            error = f"{subnet.error:.1e}" if subnet.calls else "-"
            counts = str(subnet.calls), str(subnet.forced)
            rows.append((_few(subnet.names), subnet.backend, *counts, error, _ranges(subnet.lines)))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
        table = []
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths)]
            table.append("        " + "  ".join([*cells, row[-1]]).rstrip())
        problems = [f"        {subnet.problem}" for subnet in self.subnets if subnet.problem]
        return [f"  -[{mark}] {title}", *table, *problems]


def _detail(report: InputReport) -> str:
    return f"max diff {report.error:.1e}, {report.decisions} decisions"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _few(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (+{len(names) - 1})"


def _ranges(lines: Iterable[str]) -> str:
    """Shortens lines of source to "net.py:4-6,9 other.py:2"."""
    files: dict[str, list[int]] = {}
    for line in lines:
        file, _, number = line.rpartition(":")
        if not file or not number.isdecimal():
            files.setdefault(line, [])
        else:
            files.setdefault(file, []).append(int(number))
    return " ".join(f"{file}:{_runs(sorted(found))}" if found else file for file, found in files.items())


def _runs(numbers: list[int]) -> str:
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends))
