# SPDX-License-Identifier: Apache-2.0
"""The table as text for docs, from what was measured."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import zoo
from zoo import measure

PROTOTYPE = "20 to 200"  # sub-DNNs that the method's prototype makes of one of the nine
FOR_ALL = ("onnxruntime", "openvino")  # the backends that take every model; the others, the nine at least
PACKAGES = ("torch", "onnxruntime", "openvino", "apache-tvm")


def versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def text(results: dict[str, Any]) -> str:
    """Markdown: date and versions, then DyCL against eager, direct compilation, and what each model is."""
    models = results["models"]
    return "\n\n".join(
        [
            f"Measured on {' and '.join(results['dates'])} with {results['versions']}; "
            f"{results['inputs']} inputs per model, {results['seconds'] / 60:.0f} minutes in all.",
            "## DyCL against eager",
            _grid(_OURS, (row for model in models for row in _ours(model))),
            "## Direct compilation and other ways, on the same inputs",
            _grid(_OTHERS, (row for model in models for row in _others(model))),
            "## The models",
            _grid(_MODELS, map(_model, models)),
            *_notes(models),
        ]
    )


def _grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines)


_OURS = (
    "model",
    "backend",
    "compiled",
    "error",
    "final inconsistency",
    "inputs equal / undecided / different",
    "decisions, of them different",
    "paths taken",
    "edges taken",
    "compile s, CPU s",
)


def _ours(model: dict[str, Any]) -> Iterable[tuple[str, ...]]:
    for backend, row in model["backends"].items():
        if not row["compiled"]:
            yield (model["model"], backend, "refused: " + _quoted(row["refused"]), *[""] * (len(_OURS) - 3))
            continue
        different = row["inputs"] - row["equal"] - row["undecided"]
        yield (
            model["model"],
            backend,
            "yes",
            f"{row['error']:.1e}",
            f"{row['inconsistent']:.0%}",
            f"{row['equal']} / {row['undecided']} / {different}",
            f"{row['decisions']}, {row['decisions_differ']}",
            str(row["paths"]),
            f"{row['edges_taken']} of {row['edges'] - row['edges_impossible']}",
            f"{row['seconds']:.1f}, {row['cpu_seconds']:.1f}",
        )


_OTHERS = (
    "model",
    "way",
    "outcome",
    "error",
    "final inconsistency",
    "inputs with other shapes",
)


def _others(model: dict[str, Any]) -> Iterable[tuple[str, ...]]:
    ways = {f"torch.jit.trace + {backend}": row for backend, row in model["traced"].items()}
    ways |= {"torch.export": model["exported"], "torch.jit.script": model["scripted"]}
    for way, row in ways.items():
        if not row["compiled"]:
            yield (model["model"], way, "refused: " + _quoted(row["refused"]), "", "", "")
            continue
        failed = f"; fails on {row['failures']}: {_quoted(row['failure'])}" if row["failures"] else ""
        yield (
            model["model"],
            way,
            "compiles" + failed,
            f"{row['error']:.1e}",
            f"{row['inconsistent']:.0%}",
            str(row["other_shapes"]),
        )


def _quoted(message: str, longest: int = 110) -> str:
    """A message as code: it is no Markdown."""
    short = message if len(message) <= longest else message[: longest - 1] + "…"
    return "`" + short.replace("`", "'") + "`"


_MODELS = (
    "model",
    "parameters",
    "dynamic part",
    "branches in the source",
    "places in the graph",
    "sub-DNNs before / after optimization",
    "distinct",
    "the prototype's",
)


def _model(model: dict[str, Any]) -> tuple[str, ...]:
    prototype = PROTOTYPE if model["model"] in zoo.NINE else ""
    dynamic = model["dynamic"].replace("](", "]\\(")  # it is no link
    head = (model["model"], f"{model['parameters']:,}", dynamic)
    row = next((row for row in model["backends"].values() if row["compiled"]), None)
    if row is None:
        return (*head, "refused", "", "", "", prototype)
    counts = (
        row["branches"],
        row["places"],
        f"{model['subnets_before']} / {row['subnets']}",
        row["distinct"],
    )
    return (*head, *map(str, counts), prototype)


def _notes(models: list[dict[str, Any]]) -> list[str]:
    lines = []
    for model in models:
        row = next((row for row in model["backends"].values() if row.get("not_taken")), None)
        if row is not None:
            lines += [
                f"- {model['model']}: {line}{_reason(model['model'], line)}" for line in row["not_taken"]
            ]
    return ["## Outcomes that no input took", "\n".join(lines)] if lines else []


def _reason(name: str, outcome: str) -> str:
    for (source, what), reason in measure.CANNOT_BE_TAKEN.get(name, {}).items():
        if f"`{source}`: {what} " in outcome:
            return f" (cannot be, and is not counted above: {reason})"
    return ""


def listing(rows: list[dict[str, Any]]) -> str:
    """For terminals."""
    head = ("model", "parameters", "branches", "places", "sub-DNNs", "distinct", "dynamic part")
    cells = [head]
    for row in rows:
        figures = [str(row.get(name, "refused")) for name in ("branches", "places", "subnets", "distinct")]
        cells.append((row["model"], f"{row['parameters']:,}", *figures, row["dynamic"]))
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells
    )
