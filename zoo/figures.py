# SPDX-License-Identifier: Apache-2.0
"""Everything that the table shows of one model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dycl

import zoo
from zoo import measure, rivals

SEED = 0


def listed(entry: zoo.Entry) -> dict[str, Any]:
    """What the model is, and what becomes of it."""
    model = entry.build()
    row = _described(entry, model)
    call = entry.inputs(SEED, 1)[0]
    try:
        program, _ = measure.compiled(model, call, "onnxruntime")
    except dycl.Error as error:
        return {**row, "refused": str(error).splitlines()[0]}
    return {**row, **measure.made_of(program)}


def _described(entry: zoo.Entry, model: Any) -> dict[str, Any]:
    weights = sum(tensor.numel() for tensor in model.parameters())
    return {"model": entry.name, "parameters": weights, "dynamic": entry.dynamic}


def measured(
    entry: zoo.Entry, backends: list[str], n: int, say: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """One model on every backend, and what the rivals make of it."""
    model = entry.build()
    calls = entry.inputs(SEED, n)
    expected = measure.eager_results(model, calls)
    found: dict[str, Any] = {**_described(entry, model), "inputs": n, "backends": {}, "traced": {}}
    for backend in backends:
        say(f"{entry.name} on {backend}")
        found["backends"][backend] = measure.measure(entry, model, backend, calls, expected)
        if backend in rivals.TRACED:
            found["traced"][backend] = rivals.judge(
                lambda backend=backend: rivals.traced(model, calls[0], backend), calls, expected
            )
    say(f"{entry.name} by other ways")
    found["exported"] = rivals.judge(lambda: rivals.exported(model, calls[0]), calls, expected)
    found["scripted"] = rivals.judge(lambda: rivals.scripted(model, calls[0]), calls, expected)
    say(f"{entry.name} without optimization")
    return {**found, "subnets_before": _subnets_before(model, calls[0], backends[0])}


def _subnets_before(model: Any, call: tuple[Any, ...], backend: str) -> int | None:
    try:
        return int(measure.compiled(model, call, backend, optimize=0)[0].stats()["subnets"])
    except dycl.Error:
        return None
