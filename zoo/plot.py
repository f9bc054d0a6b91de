# SPDX-License-Identifier: Apache-2.0
"""Direct compilation's error per model beside ours, as an SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SMALLEST = 1e-8  # what is exact is drawn here: the scale has no zero
CONTROL = "resnet_static"  # nothing in it depends on the input


def draw(results: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "dycl"  # the same results give the same file
    mpl.rcParams["svg.fonttype"] = "none"  # letters stay letters: a small file
    from matplotlib import pyplot

    models = results["models"]
    names = [model["model"] + (" (control)" if model["model"] == CONTROL else "") for model in models]
    figure, axes = pyplot.subplots(figsize=(11, 4.5))
    _bars(axes, -0.2, [model["traced"] for model in models], "torch.jit.trace, then the backend", "#c44e52")
    _bars(axes, 0.2, [model["backends"] for model in models], "DyCL", "#4c72b0")
    axes.axhline(1e-5, color="black", linewidth=0.8, linestyle="--", label="bound 1e-5")
    axes.set_yscale("log")
    axes.set_ylim(SMALLEST, None)
    axes.set_ylabel("largest error against eager")
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.18), ncols=3, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _bars(axes: Any, shift: float, models: list[dict[str, dict[str, Any]]], label: str, color: str) -> None:
    found = worst(models)
    axes.bar([place + shift for place in found], list(found.values()), 0.4, label=label, color=color)


def worst(models: list[dict[str, dict[str, Any]]]) -> dict[int, float]:
    """By the models' numbers: the largest error of the backends. Where all refuse there is none."""
    errors = [[row["error"] for row in rows.values() if row["compiled"]] for rows in models]
    return {number: max(SMALLEST, *found) for number, found in enumerate(errors) if found}
