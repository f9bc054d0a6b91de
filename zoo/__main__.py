# SPDX-License-Identifier: Apache-2.0
"""python -m zoo: lists the models with their figures. python -m zoo table: measures them on every backend."""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

import zoo
from zoo import figures, measure, plot, table

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
    parser.add_argument("--inputs", type=int, default=50, help="inputs per model")
    parser.add_argument("--small", action="store_true", help="the small forms")
    parser.add_argument("--json", type=Path, help="write what was measured")
    parser.add_argument("--keep", type=Path, help="a folder: models that are there are not measured again")
    parser.add_argument("--docs", type=Path, help="a Markdown file whose measured part is written anew")
    parser.add_argument("--plot", type=Path, help="write the errors as an SVG (needs matplotlib)")
    given = parser.parse_args()
    torch.set_num_threads(1)
    entries = [zoo.entry(name, given.small) for name in given.models.split(",")]
    if given.what == "list":
        print(table.listing([figures.listed(entry) for entry in entries]))
        return 0
    backends = given.backends.split(",") if given.backends else measure.backends()
    if given.what == "one":
        start = time.perf_counter()
        found = figures.measured(entries[0], backends, given.inputs, say)
        given.json.write_text(json.dumps({**found, "seconds": time.perf_counter() - start}))
        return 0
    return measure_all(entries, backends, given)


def measure_all(entries: list[zoo.Entry], backends: list[str], given: argparse.Namespace) -> int:
    """Each model in a process of its own: what one compiler leaves behind must not reach the next model."""
    with tempfile.TemporaryDirectory() as folder:
        kept = given.keep or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        models = [_in_a_process(entry, backends, given.inputs, kept) for entry in entries]
    results = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": table.versions(),
        "inputs": given.inputs,
        "seconds": sum(model["seconds"] for model in models),
        "models": models,
    }
    text = table.text(results)
    print(text)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    if given.docs:
        given.docs.write_text(_with_measured(given.docs.read_text(), text))
    if given.plot:
        plot.draw(results, given.plot)
    rows = [row for model in models for row in model["backends"].values()]
    return 0 if all(row["compiled"] and row["ok"] for row in rows) else 1


def _in_a_process(entry: zoo.Entry, backends: list[str], n: int, folder: Path) -> dict[str, Any]:
    file = folder.resolve() / f"{entry.name}.json"
    if not file.exists():
        command = [sys.executable, "-m", "zoo", "one", "--models", entry.name, "--inputs", str(n)]
        command += ["--backends", ",".join(backends), "--json", str(file), *(["--small"] * entry.small)]
        subprocess.run(command, check=True, cwd=Path(__file__).parent.parent)
    return dict(json.loads(file.read_text()))


def _with_measured(document: str, text: str) -> str:
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    sys.exit(main())
