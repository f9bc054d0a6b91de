# SPDX-License-Identifier: Apache-2.0
"""Measured parts as files of a folder: for each model and backend DyCL and tracing, and for each model the
other ways.

What is there is not measured again, so that a long measurement can be continued, and done in parts."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zoo
from zoo import figures, resources

# Beside the names of backends, parts are:
OTHERS = "others"  # what does not hang on one
TRACED = "traced-"  # before a backend's name: torch.jit.trace, then the backend


@dataclass(frozen=True)
class Part:
    entry: zoo.Entry
    what: str  # a backend: DyCL on it; or see above
    inputs: int

    @property
    def shown(self) -> str:
        return f"{self.entry.name}: {self.what}"

    def measured(self) -> dict[str, Any]:
        clock = resources.Clock()
        if self.what == OTHERS:
            found = figures.others(self.entry, self.inputs)
        elif self.what.startswith(TRACED):
            found = figures.traced(self.entry, self.what.removeprefix(TRACED), self.inputs)
        else:
            found = figures.on_backend(self.entry, self.what, self.inputs)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        return {**self._identity, "date": today, "taken": clock.taken()["seconds"], "found": found}

    @property
    def _identity(self) -> dict[str, Any]:
        return {"model": self.entry.name, "small": self.entry.small, "what": self.what, "inputs": self.inputs}

    def file(self, folder: Path) -> Path:
        return folder / f"{self.entry.name}.{self.what}.json"

    def kept(self, folder: Path) -> dict[str, Any] | None:
        """None also for what was measured on other inputs."""
        file = self.file(folder)
        if not file.exists():
            return None
        found = dict(json.loads(file.read_text()))
        return found if self._identity.items() <= found.items() else None

    def keep(self, folder: Path) -> None:
        text = json.dumps(self.measured(), indent=1) + "\n"
        unfinished = self.file(folder).with_suffix(".new")
        unfinished.write_text(text)
        unfinished.rename(self.file(folder))

    def in_a_process(self, folder: Path) -> dict[str, Any]:
        """What one compiler leaves behind must not reach the next; and it may take its process along."""
        command = [sys.executable, "-m", "zoo", "one", "--models", self.entry.name, "--backends", self.what]
        command += ["--inputs", str(self.inputs), "--keep", str(folder), *(["--small"] * self.entry.small)]
        ended = subprocess.run(command, check=False, cwd=Path(__file__).parent.parent).returncode
        found = self.kept(folder)
        if found is None and self.what == OTHERS:
            raise SystemExit(f"{self.shown}: the process ended with {ended}")
        if found is None:
            row = {"compiled": False, "refused": f"the process that measured it ended with {ended}"}
            found = {**self._identity, "date": "", "taken": 0.0, "found": row}
        return found


def backends_kept(entry: zoo.Entry, folder: Path) -> list[str]:
    names = [file.name.split(".")[1] for file in folder.glob(f"{entry.name}.*.json")]
    return sorted(name for name in names if name != OTHERS and not name.startswith(TRACED))


def complete(parts: Iterable[Part], folder: Path, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """The parts as they are kept; those that are not are measured first."""
    found = []
    for part in parts:
        one = part.kept(folder)
        if one is None:
            say(part.shown)
            one = part.in_a_process(folder)
        found.append(one)
    return found


def joined(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per model, as the table takes them."""
    models: dict[str, dict[str, Any]] = {}
    for part in parts:
        model = models.setdefault(part["model"], {"model": part["model"], "backends": {}, "traced": {}})
        what, found = part["what"], part["found"]
        if what == OTHERS:
            model.update(found)
        elif what.startswith(TRACED):
            model["traced"][what.removeprefix(TRACED)] = found
        else:
            model["backends"][what] = found
    return list(models.values())
