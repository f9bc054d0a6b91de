# SPDX-License-Identifier: Apache-2.0
"""python -m zoo: lists the models with their figures. python -m zoo table: measures them on every backend.
python -m zoo one --keep FOLDER: measures some of them for a table that is put together from the folder."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

import zoo
from zoo import figures, keeping, measure, plot, rivals, table

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m zoo", description=__doc__)
    parser.add_argument("what", nargs="?", default="list", choices=["list", "table", "one"])
    parser.add_argument("--models", default=",".join(zoo.NAMES), help="names, separated by commas")
    parser.add_argument(
        "--backends", default="", help="names, separated by commas (default: those installed)"
    )
    parser.add_argument("--inputs", type=int, default=50, help="how many inputs each model gets")
    parser.add_argument("--small", action="store_true", help="measure the small forms")
    parser.add_argument("--json", type=Path, help="write the results as JSON to this file")
    parser.add_argument("--keep", type=Path, help="keep results here, and measure only what is missing")
    parser.add_argument("--docs", type=Path, help="replace the measured part of this Markdown file")
    parser.add_argument("--plot", type=Path, help="write the errors as an SVG (needs matplotlib)")
    given = parser.parse_args()
    torch.set_num_threads(1)
    entries = [zoo.entry(name, given.small) for name in given.models.split(",")]
    if given.what == "list":
        print(table.listing([figures.listed(entry) for entry in entries]))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return {"one": measure_parts, "table": measure_all}[given.what](entries, folder, given)


def measure_parts(entries: list[zoo.Entry], folder: Path, given: argparse.Namespace) -> int:
    """The backends named (or other parts, see keeping) of each model, for a table that is written later."""
    backends = given.backends.split(",") if given.backends else measure.backends()
    parts = [keeping.Part(entry, backend, given.inputs) for entry in entries for backend in backends]
    if len(parts) == 1:
        if parts[0].kept(folder) is None:
            parts[0].keep(folder)
        return 0
    return _outcome(keeping.joined(keeping.complete(parts, folder, say)))


def measure_all(entries: list[zoo.Entry], folder: Path, given: argparse.Namespace) -> int:
    installed = measure.backends()
    parts = []
    for entry in entries:
        wanted = (
            installed if entry.name in zoo.NINE else [name for name in installed if name in table.FOR_ALL]
        )
        wanted = given.backends.split(",") if given.backends else wanted
        wanted = [*wanted, *(name for name in keeping.backends_kept(entry, folder) if name not in wanted)]
        wanted += [f"{keeping.TRACED}{name}" for name in wanted if name in rivals.TRACED] + [keeping.OTHERS]
        parts += [keeping.Part(entry, what, given.inputs) for what in wanted]
    found = keeping.complete(parts, folder, say)
    results = {
        "dates": sorted({part["date"] for part in found if part["date"]}),
        "versions": table.versions(),
        "inputs": given.inputs,
        "seconds": sum(part["taken"] for part in found),
        "models": keeping.joined(found),
    }
    text = table.text(results)
    print(text)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    if given.docs:
        given.docs.write_text(_with_measured(given.docs.read_text(), text))
    if given.plot:
        plot.draw(results, given.plot)
    return _outcome(keeping.joined(found))


def _outcome(models: list[dict[str, Any]]) -> int:
    rows = [row for model in models for row in model["backends"].values()]
    return 0 if all(row["compiled"] and row["ok"] for row in rows) else 1


def _with_measured(document: str, text: str) -> str:
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    sys.exit(main())
