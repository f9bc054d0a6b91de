# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of trips depends on the input: what a trip costs beside the backend's calls, and how the
cost of a step grows with a cache that grows, ours beside eager's."""

import time
from pathlib import Path
from typing import Any

import dycl
import torch

TRIPS = 1000


def counting(x: torch.Tensor) -> torch.Tensor:
    for _ in range(TRIPS):
        if x.sum() > 1e30:
            break
        x = x + 1
    return x


class GrowingCache(torch.nn.Module):
    """Attends to all earlier steps; runs as many as the input says."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.query, self.value = torch.nn.Linear(width, width), torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        cache = x
        for _ in range(int(steps)):
            last = cache[-1:]
            weights = torch.softmax(self.query(last) @ cache.T / 8, -1)
            cache = torch.cat([cache, torch.tanh(self.value(weights @ cache)) + last * 0.5])
        return cache


def save_counting(folder: Path) -> Path:
    package = folder / "counting_loop.dycl"
    dycl.compile(counting, (torch.zeros(4),), threads=1).save(package)
    return package


def _best(run: Any, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def measure_growth(lengths: list[int]) -> list[dict[str, float]]:
    """Microseconds per step at growing lengths, eager and ours by turns."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, x = GrowingCache().eval(), torch.randn(1, 64)
    program = dycl.compile(model, (x, torch.tensor(3)), threads=1)
    rows = []
    with torch.no_grad():
        for length in lengths:
            steps = torch.tensor(length)
            eager = _best(lambda steps=steps: model(x, steps), 5) / length * 1e6
            ours = _best(lambda steps=steps: program(x, steps), 5) / length * 1e6
            rows.append({"steps": length, "eager_us": eager, "ours_us": ours, "ratio": ours / eager})
    return rows
