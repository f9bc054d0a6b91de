# SPDX-License-Identifier: Apache-2.0
"""Everything that the table shows of one model."""

from __future__ import annotations

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


def on_backend(entry: zoo.Entry, backend: str, n: int) -> dict[str, Any]:
    """What DyCL makes of the model there."""
    model, calls = entry.build(), entry.inputs(SEED, n)
    return measure.measure(entry, model, backend, calls, measure.eager_results(model, calls))


def traced(entry: zoo.Entry, backend: str, n: int) -> dict[str, Any]:
    """What tracing makes of the model, with the same backend."""
    model, calls = entry.build(), entry.inputs(SEED, n)
    expected = measure.eager_results(model, calls)
    return rivals.judge(lambda: rivals.traced(model, calls[0], backend), calls, expected)


def others(entry: zoo.Entry, n: int) -> dict[str, Any]:
    """What the model is, what torch's own ways make of it, and its sub-DNNs without optimization."""
    model, calls = entry.build(), entry.inputs(SEED, n)
    expected = measure.eager_results(model, calls)
    return {
        **_described(entry, model),
        "exported": rivals.judge(lambda: rivals.exported(model, calls[0]), calls, expected),
        "scripted": rivals.judge(lambda: rivals.scripted(model, calls[0]), calls, expected),
        "subnets_before": _subnets_before(model, calls[0]),
    }


def _subnets_before(model: Any, call: tuple[Any, ...]) -> int | None:
    try:
        return int(measure.compiled(model, call, "onnxruntime", optimize=0)[0].stats()["subnets"])
    except dycl.Error:
        return None
