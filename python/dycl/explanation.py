# SPDX-License-Identifier: Apache-2.0
"""Lists what in a model depends on the values of its input, and what becomes of it in the graph."""

from __future__ import annotations

import linecache
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dycl.errors import UnsupportedError

_Span = tuple[str, int, int]


@dataclass
class Site:
    """One place in the source. `places` counts its occurrences in the graph: a line in a loop has many."""

    file: str
    line: int
    column: int
    kind: str  # "branch", "switch", "item", "check", "raise", "draw", "refused"
    outcome: str  # what becomes of it in the graph
    places: int = 0
    called_from: list[str] = field(default_factory=list)  # "net.py:20 < net.py:31", innermost first

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).strip()


@dataclass
class Fact:
    """A question that the model asked of its surroundings. The answer of today is part of the program."""

    file: str
    line: int
    column: int
    question: str
    answer: str

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).strip()


@dataclass
class Explanation:
    """Prints as a table. If the model is refused, `error` says why, `sites` has what was found before, and
    `obstacles` all refusals that were found, `error` first. What comes behind the first is possible only:
    the machine goes on with an unknown value in the place of what it refuses."""

    name: str
    sites: list[Site]
    error: UnsupportedError | None = None
    warnings: list[str] = field(default_factory=list)
    blocks: int = 0
    facts: list[Fact] = field(default_factory=list)
    obstacles: list[UnsupportedError] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        refused = self.error and _fields(self.error)
        obstacles = [
            {**_fields(error), "file": error.file, "line": error.line, "column": error.column,
             "possible": error is not self.error}
            for error in self.obstacles
        ]  # fmt: skip
        sites = [{**asdict(site), "source": site.source} for site in self.sites]
        facts = [{**asdict(fact), "source": fact.source} for fact in self.facts]
        return {"model": self.name, "sites": sites, "refused": refused, "warnings": self.warnings,
                "blocks": self.blocks, "facts": facts, "obstacles": obstacles}  # fmt: skip

    def __str__(self) -> str:
        rows = [
            (_shown(s.file, s.line, s.column), s.kind, str(s.places), s.outcome, s.source) for s in self.sites
        ]
        lines = [f"{self.name}: {_summary(self)}"]
        table = _table(("where", "kind", "places", "what becomes of it", "source"), rows)
        for number, row in enumerate(table):
            lines.append(row)
            if number:
                lines += [f"    called from {text}" for text in self.sites[number - 1].called_from]
        asked = [(_shown(f.file, f.line, f.column), f.question, f.answer, f.source) for f in self.facts]
        lines += _table(("where", "what is asked", "answer", "source"), asked)
        lines += [f"warning: {text}" for text in self.warnings]
        lines += _obstacle_lines(self.obstacles) if len(self.obstacles) > 1 else []
        return "\n".join([*lines, *([str(self.error)] if self.error else [])])

    __repr__ = __str__


def explain(
    model: Any,
    args: Any,
    kwargs: Mapping[str, Any] | None = None,
    *,
    randomness: str | None = None,
    clock: str | None = None,
) -> Explanation:
    """Lists every decision of a PyTorch model that depends on its input, once per place in the source.
    It compiles no sub-DNN. A refusal is part of the answer (`error`), not raised. With `randomness="inputs"`
    it lists the lines that draw random numbers, too; `clock="stopped"` is that of dycl.compile."""
    from dycl.api import rewriting_options
    from dycl.frontend.torch_model import rewrite_model

    name = getattr(model, "__qualname__", type(model).__qualname__)
    example = () if args is None else args if type(args) is tuple else (args,)
    decisions: list[tuple[list[_Span], str, str]] = []
    obstacles: list[UnsupportedError] = []
    try:
        options = rewriting_options(randomness=randomness, clock=clock)
        _, report = rewrite_model(model, example, kwargs or {}, options, decisions, obstacles)
    except UnsupportedError as error:
        refused = Site(error.file, error.line, error.column, "refused", error.construct, 1)
        sites = [*_sites(decisions), *([refused] if error.file else [])]
        return Explanation(name, sites, error, obstacles=[error, *obstacles[1:]])
    facts = [Fact(*(spans[0] if spans else ("", 0, 0)), *asked) for spans, *asked in report["facts"]]
    return Explanation(name, _sites(decisions), None, report["warnings"], report["blocks"], facts)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Returns lines of equal columns below `head`, or none if there are no rows."""
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    shown = [head, *rows] if rows else []
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in shown]


def _fields(error: UnsupportedError) -> dict[str, Any]:
    return {"message": error.message, "code": error.code, "hint": error.hint, "notes": error.notes}


def _obstacle_lines(obstacles: Sequence[UnsupportedError]) -> list[str]:
    """The constructs that are refused most often come first."""
    counts = Counter(error.code for error in obstacles)
    order = list(counts)
    rows = [
        (_shown(error.file, error.line, error.column), error.code, "possible" if number else "certain",
         error.message + (f" ({error.hint})" if error.hint else ""))
        for number, error in enumerate(obstacles)
    ]  # fmt: skip
    rows.sort(key=lambda row: (-counts[row[1]], order.index(row[1])))
    note = "those behind the first are possible: what is refused gives an unknown value there"
    return [f"{len(obstacles)} obstacles ({note})", *_table(("where", "code", "", "what is refused"), rows)]


def _sites(decisions: list[tuple[list[_Span], str, str]]) -> list[Site]:
    branches = {tuple(spans) for spans, kind, _ in decisions if kind == "branch"}
    found: dict[tuple[_Span, str, str], Site] = {}
    for spans, kind, outcome in decisions:
        if not spans or (kind == "bool" and tuple(spans) in branches):
            continue  # this bool was read for a branch, which is listed itself
        kind = "item" if kind == "bool" else kind
        site = found.setdefault((spans[0], kind, outcome), Site(*spans[0], kind, outcome))
        site.places += 1
        stack = " < ".join(_shown(*span) for span in spans[1:])
        if stack and stack not in site.called_from:
            site.called_from.append(stack)
    return list(found.values())


def _summary(explanation: Explanation) -> str:
    listed = [site.kind for site in explanation.sites if site.kind != "refused"]
    kinds = [f"{listed.count(kind)} {kind}" for kind in dict.fromkeys(listed)]
    if explanation.error is not None:
        return f"refused, after {', '.join(kinds)} in the source" if kinds else "refused"
    if not listed:
        return "nothing depends on the values of its input"
    return f"{', '.join(kinds)} in the source, {explanation.blocks} blocks"


def _shown(file: str, line: int, column: int) -> str:
    near = os.path.relpath(file)
    return f"{file if near.startswith('..') else near}:{line}:{column}"
