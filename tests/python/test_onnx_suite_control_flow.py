# SPDX-License-Identifier: Apache-2.0
"""ONNX's own control-flow, sequence and optional cases, judged by the outputs stored with the suite."""

import re

import dycl
import pytest
from python.suites import onnx_cases
from python.suites.judge import check

CONTROL_FLOW = onnx_cases.names_in("control_flow_cases.txt")
SEQUENCES = onnx_cases.names_in("sequence_cases.txt")
OPENVINO_LACKS = onnx_cases.names_in("openvino_lacks.txt")
TVM_LACKS = onnx_cases.reasons_in("tvm_lacks.txt")  # with TVM's own words


def check_or_refused(name, backend, reason, record_property):
    """Equal; or, where there is a reason, refused with these words."""
    if reason is None:
        check(name, backend)
        return
    record_property("outcome", "refused")
    with pytest.raises(dycl.BackendError, match=re.escape(reason)):
        check(name, backend)


@pytest.mark.suite("onnx-control-flow-onnxruntime")
@pytest.mark.parametrize("name", CONTROL_FLOW)
def test_control_flow_on_onnxruntime(name):
    check(name, "onnxruntime")


@pytest.mark.suite("onnx-sequences-onnxruntime")
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_and_optionals_on_onnxruntime(name):
    check(name, "onnxruntime")


@pytest.mark.suite("onnx-control-flow-openvino")
@pytest.mark.parametrize("name", CONTROL_FLOW)
def test_control_flow_on_openvino(name, record_property):
    check_or_refused(name, "openvino", "" if name in OPENVINO_LACKS else None, record_property)


@pytest.mark.long
@pytest.mark.suite("onnx-control-flow-tvm")
@pytest.mark.parametrize("name", CONTROL_FLOW)
def test_control_flow_on_tvm(name, record_property):
    check_or_refused(name, "tvm", TVM_LACKS.get(name), record_property)


def test_tvm_lacks_at_most_six():
    assert len(TVM_LACKS) <= 6
    assert TVM_LACKS.keys() <= set(CONTROL_FLOW)


def test_openvino_lacks_at_most_six():
    assert len(OPENVINO_LACKS) <= 6
    assert set(OPENVINO_LACKS) <= set(CONTROL_FLOW)


def test_the_checked_in_lists_are_what_the_wheel_holds():
    models = {name: onnx_cases.model_of(case) for name, case in onnx_cases.node_cases().items()}
    control_flow = {name for name, model in models.items() if onnx_cases.has_control_flow(model)}
    assert control_flow == set(CONTROL_FLOW)
    assert len(control_flow) == 44
    simple = {name for name, case in onnx_cases.simple_cases().items()
              if onnx_cases.has_sequences(onnx_cases.model_of(case))}  # fmt: skip
    sequences = {name for name, model in models.items() if onnx_cases.has_sequences(model)} - control_flow
    assert sequences | simple == set(SEQUENCES)
    listed = set(onnx_cases.names_in("node_cases.txt")) | set(onnx_cases.names_in("beyond_onnxruntime.txt"))
    assert listed == models.keys() - control_flow - sequences
