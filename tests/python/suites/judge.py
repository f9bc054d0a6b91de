# SPDX-License-Identifier: Apache-2.0
"""Runs one case of ONNX's suite through dycl.onnx_backend and judges it by the stored outputs."""

from dycl import onnx_backend
from python.suites import onnx_cases


def check(name: str, backend: str, rtol: float | None = None) -> None:
    """Within the case's own tolerance, or `rtol`."""
    case = onnx_cases.node_cases().get(name) or onnx_cases.simple_cases()[name]
    model = onnx_cases.model_of(case)
    prepared = onnx_backend.prepare(model, device="CPU", backend=backend, threads=1)
    for inputs, expected in onnx_cases.data_sets_of(case, model):
        outputs = prepared.run(inputs)
        assert len(outputs) == len(expected)
        for index, (output, wanted) in enumerate(zip(outputs, expected)):
            onnx_cases.assert_equal(output, wanted, rtol or case.rtol, case.atol, f"output {index}")
