# SPDX-License-Identifier: Apache-2.0
"""Every other node case of ONNX's suite: what onnxruntime alone passes must pass through DyCL; what it
does not pass must be right or refused; where its own kernels are off, we give what it gives."""

import dycl
import onnxruntime
import pytest
from dycl import onnx_backend
from python.suites import judge, onnx_cases
from python.suites.judge import check

DIFFERS = onnx_cases.names_in("onnxruntime_differs.txt")
TVM_ROUNDS = onnx_cases.reasons_in("tvm_rounds.txt")
EVERY = [*onnx_cases.names_in("node_cases.txt"), *onnx_cases.names_in("beyond_onnxruntime.txt")]
BEYOND = [name for name in onnx_cases.names_in("beyond_onnxruntime.txt") if name not in DIFFERS]


@pytest.mark.long
@pytest.mark.suite("onnx-node")
@pytest.mark.parametrize("name", onnx_cases.names_in("node_cases.txt"))
def test_what_onnxruntime_alone_passes_passes(name):
    check(name, "onnxruntime")


@pytest.mark.long
@pytest.mark.suite("onnx-node-beyond-onnxruntime")
@pytest.mark.parametrize("name", BEYOND)
def test_what_onnxruntime_alone_does_not_pass_is_right_or_refused(name, record_property):
    try:
        check(name, "onnxruntime")
    except dycl.Error:
        record_property("outcome", "refused")


@pytest.mark.long
@pytest.mark.suite("onnx-node-tvm")
@pytest.mark.parametrize("name", EVERY)
def test_on_tvm_each_case_is_right_or_refused_while_compiling(name, record_property):
    try:
        check(name, "tvm", rtol=2e-3 if name in TVM_ROUNDS else None)
    except dycl.Error as error:
        if error.code.startswith("run."):  # it was compiled, and does something else
            raise
        record_property("outcome", "refused")


@pytest.mark.long
@pytest.mark.parametrize(
    "backend",
    [
        pytest.param(backend, marks=pytest.mark.suite(f"onnx-node-constants-{backend}"))
        for backend in ("onnxruntime", "openvino", "tvm")
    ],
)
def test_with_constants_each_case_is_right_or_refused(backend, record_property):
    refused, wrong = [], []
    names = [name for name in EVERY if judge.may_have_constants(name)]
    names = [name for name in names if backend != "onnxruntime" or name not in DIFFERS]
    for name in names:
        rtol = 2e-3 if backend == "tvm" and name in TVM_ROUNDS else None
        fails_alone = backend == "onnxruntime" and name in BEYOND  # some of them while running
        try:
            judge.check_with_constants(name, backend, rtol)
        except dycl.Error as error:
            is_refusal = fails_alone or not error.code.startswith("run.")
            (refused if is_refusal else wrong).append(name)
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    record_property("equal", str(len(names) - len(refused) - len(wrong)))
    record_property("refused", str(len(refused)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.suite("onnx-node-as-onnxruntime")
@pytest.mark.parametrize("name", DIFFERS)
def test_where_onnxruntime_misses_the_tolerance_we_give_what_it_gives(name):
    case = onnx_cases.node_cases()[name]
    model = onnx_cases.model_of(case)
    prepared = onnx_backend.prepare(model, threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    for inputs, _ in onnx_cases.data_sets_of(case, model):
        for ours, theirs in zip(prepared.run(inputs), session.run(None, inputs)):
            onnx_cases.assert_equal(ours, theirs, case.rtol, case.atol)
