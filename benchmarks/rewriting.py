# SPDX-License-Identifier: Apache-2.0
"""How long PyTorch models take to compile: our own part per leaf call, its growth, and the whole beside
torch.compile's first call."""

import importlib
import logging
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import dycl
import torch
from dycl import _core, _search
from dycl.frontend.capture import Capture
from dycl.frontend.torch_model import quiet_torch

ROOT = Path(__file__).resolve().parents[1]


def module(folder: str, name: str) -> Any:
    sys.path.insert(0, str(ROOT / folder))
    return importlib.import_module(name)


class TimedCapture(Capture):
    """Counts the leaf calls and the seconds that torch's typing and lowering take."""

    def __init__(self) -> None:
        super().__init__()
        self.calls, self.seconds = 0, 0.0

    def _timed(self, method: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return method(*arguments)
        finally:
            self.seconds += time.perf_counter() - start

    def call(self, *arguments: Any) -> Any:
        self.calls += 1
        return self._timed(super().call, *arguments)

    def metadata(self, *arguments: Any) -> Any:
        return self._timed(super().metadata, *arguments)


def rewrite(model: torch.nn.Module, example: torch.Tensor) -> dict[str, Any]:
    """Seconds of rewriting and HCFG construction, printing included, without what torch does."""
    limits = _core.RewriteLimits()
    with quiet_torch(), TimedCapture() as capture:
        start = time.perf_counter()
        _, report = _core.rewrite(_search.runtime(), model, (example,), {}, capture, limits, [], [])
        total = time.perf_counter() - start
    own = total - capture.seconds
    return {
        "leaf_calls": capture.calls,
        "blocks": report["blocks"],
        "seconds": own,
        "torch_seconds": capture.seconds,
        "ms_per_call": own / capture.calls * 1e3,
    }


def measure_gates(lengths: list[int]) -> list[dict]:
    """n independent gates in a row: the graph has 3n blocks, the program 2^n paths."""
    gated = module("tests/python/torch", "gated")
    example = torch.tensor([1.0, 0.25])
    rewrite(gated.Plain(4), example)  # imports and the backend's first start
    results = []
    for length in lengths:
        results.append({"gates": length, **rewrite(gated.Plain(length), example)})
    return results


def measure_whole() -> dict[str, Any]:
    """dycl.compile of all paths beside torch.compile's first call, which compiles the one that it takes."""
    import torch._inductor.config as inductor

    inductor.force_disable_caches = True
    warnings.simplefilter("ignore")
    torch._logging.set_logs(dynamo=logging.ERROR)  # graph breaks are what this model is about
    skip = module("examples/demo/pytorch", "layer_skip")
    image = skip.images(1)[0]
    dycl.compile(torch.relu, image, threads=1)
    torch.compile(lambda x: x.relu())(image)
    torch._dynamo.reset()
    model = skip.LayerSkip().eval()
    start = time.perf_counter()
    dycl.compile(model, image, threads=1)
    ours = time.perf_counter() - start
    with torch.inference_mode():
        start = time.perf_counter()
        torch.compile(model)(image)
        theirs = time.perf_counter() - start
    return {"model": "LayerSkip", "dycl": ours, "torch_compile": theirs, "ratio": theirs / ours}
