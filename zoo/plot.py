# SPDX-License-Identifier: Apache-2.0
"""Direct compilation's error per model beside ours, as an SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SMALLEST = 1e-8  # what is exact is drawn here: the scale has no zero


def draw(results: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "dycl"  # the same results give the same file
    from matplotlib import pyplot

    models = results["models"]
    names = [model["model"] for model in models]
    ours = [_worst(model["backends"]) for model in models]
    direct = [_worst(model["traced"]) for model in models]
    figure, axes = pyplot.subplots(figsize=(11, 4.5))
    places = range(len(names))
    axes.bar(
        [place - 0.2 for place in places],
        direct,
        0.4,
        label="torch.jit.trace, then the backend",
        color="#c44e52",
    )
    axes.bar([place + 0.2 for place in places], ours, 0.4, label="DyCL", color="#4c72b0")
    axes.axhline(1e-5, color="black", linewidth=0.8, linestyle="--", label="bound 1e-5")
    axes.set_yscale("log")
    axes.set_ylim(SMALLEST, None)
    axes.set_ylabel("largest error against eager")
    axes.set_xticks(list(places), names, rotation=45, ha="right")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.18), ncols=3, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _worst(rows: dict[str, dict[str, Any]]) -> float:
    return max([SMALLEST, *[row["error"] for row in rows.values() if row["compiled"]]])
