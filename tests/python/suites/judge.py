# SPDX-License-Identifier: Apache-2.0
"""Runs one case of ONNX's suite through dycl.onnx_backend and judges it by the stored outputs."""

from collections.abc import Iterable
from typing import Any

import onnx
from dycl import onnx_backend
from python.suites import onnx_cases


def check(name: str, backend: str, rtol: float | None = None) -> None:
    """Within the case's own tolerance, or `rtol`."""
    case = onnx_cases.node_cases().get(name) or onnx_cases.simple_cases()[name]
    model = onnx_cases.model_of(case)
    _judge(case, model, onnx_cases.data_sets_of(case, model), backend, rtol)


def may_have_constants(name: str) -> bool:
    """Has it one data set, and several inputs, all of them tensors?"""
    case = onnx_cases.node_cases()[name]
    model = onnx_cases.model_of(case)
    is_plain = len(model.graph.input) > 1 and not onnx_cases.has_sequences(model)
    return is_plain and len(list(onnx_cases.data_sets_of(case, model))) == 1


def check_with_constants(name: str, backend: str, rtol: float | None = None) -> None:
    """The same with every input but the first as a constant, as models have weights, axes, scales and sizes:
    compilers treat them differently."""
    case = onnx_cases.node_cases()[name]
    model = onnx.ModelProto()
    model.CopyFrom(onnx_cases.model_of(case))
    ((inputs, expected),) = onnx_cases.data_sets_of(case, model)
    first, *others = model.graph.input
    for port in others:
        model.graph.initializer.append(onnx.numpy_helper.from_array(inputs[port.name], port.name))
        model.graph.input.remove(port)
    _judge(case, model, [({first.name: inputs[first.name]}, expected)], backend, rtol)


def _judge(case: Any, model: Any, data_sets: Iterable[Any], backend: str, rtol: float | None) -> None:
    prepared = onnx_backend.prepare(model, device="CPU", backend=backend, threads=1)
    for inputs, expected in data_sets:
        outputs = prepared.run(inputs)
        assert len(outputs) == len(expected)
        for index, (output, wanted) in enumerate(zip(outputs, expected)):
            onnx_cases.assert_equal(output, wanted, rtol or case.rtol, case.atol, f"output {index}")
