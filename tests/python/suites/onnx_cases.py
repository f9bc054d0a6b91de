# SPDX-License-Identifier: Apache-2.0
"""ONNX's own backend suite, as the onnx wheel carries it, and the judge of its stored outputs."""

import functools
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx.backend.test import loader

CONTROL_FLOW = {"If", "Loop", "Scan", "SequenceMap"}
FOLDER = Path(__file__).parent


@functools.cache
def node_cases():
    """name -> case; takes some seconds, so it is done once per process and never while collecting."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return {case.name: case for case in loader.load_model_tests(kind="node")}


@functools.cache
def simple_cases():
    return {case.name: case for case in loader.load_model_tests(kind="simple")}


def names_in(file: str) -> list[str]:
    """The first word of each line of a checked-in list; what follows is a reason."""
    lines = (FOLDER / file).read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def reasons_in(file: str) -> dict[str, str]:
    """Name -> what follows it on its line."""
    lines = (FOLDER / file).read_text().splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return {name: reason.strip() for name, reason in pairs}


def model_of(case) -> onnx.ModelProto:
    return case.model if case.model is not None else onnx.load(Path(case.model_dir) / "model.onnx")


def data_sets_of(case, model: onnx.ModelProto):
    """(inputs by name, expected outputs in order) for each stored data set."""
    names = [value.name for value in model.graph.input]
    if case.data_sets is not None:
        for inputs, outputs in case.data_sets:
            yield dict(zip(names, map(as_value, inputs))), [as_value(output) for output in outputs]
        return
    for folder in sorted(Path(case.model_dir).glob("test_data_set_*")):
        inputs = read_values(folder, "input", model.graph.input)
        yield dict(zip(names, inputs)), read_values(folder, "output", model.graph.output)


def as_value(value):
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)):
        return [as_value(item) for item in value]
    return value if value is None else np.asarray(value)


def read_values(folder: Path, role: str, ports):
    values = []
    for index, port in enumerate(ports):
        file = folder / f"{role}_{index}.pb"
        if not file.exists():  # inputs with initializers come last and are left out
            break
        contents = file.read_bytes()
        kind = port.type.WhichOneof("value")
        if kind == "sequence_type":
            values.append(onnx.numpy_helper.to_list(onnx.SequenceProto.FromString(contents)))
        elif kind == "optional_type":
            values.append(onnx.numpy_helper.to_optional(onnx.OptionalProto.FromString(contents)))
        else:
            values.append(onnx.numpy_helper.to_array(onnx.TensorProto.FromString(contents)))
    return values


def assert_equal(actual, expected, rtol: float, atol: float, where: str = "output") -> None:
    """Structure, dtype and shape exactly; numbers within the suite's tolerance."""
    if expected is None or (
        isinstance(expected, np.ndarray)
        and expected.dtype == object
        and expected.shape == ()
        and expected.item() is None
    ):
        assert actual is None, f"{where}: none expected"
        return
    if isinstance(expected, list):
        assert isinstance(actual, list), f"{where}: a list expected"
        assert len(actual) == len(expected), (
            f"{where}: {len(expected)} elements expected, {len(actual)} given"
        )
        for index, (one, other) in enumerate(zip(actual, expected)):
            assert_equal(one, other, rtol, atol, f"{where}[{index}]")
        return
    assert isinstance(actual, np.ndarray), f"{where}: an array expected, {type(actual)} given"
    assert actual.shape == expected.shape, f"{where}: shape {expected.shape} expected, {actual.shape} given"
    if expected.dtype.kind in "OUS":
        assert actual.tolist() == [decoded(item) for item in expected.ravel()] or np.array_equal(
            actual.astype(str), expected.astype(str)
        ), where
        return
    assert actual.dtype == expected.dtype, f"{where}: {expected.dtype} expected, {actual.dtype} given"
    if expected.dtype.kind == "V" or expected.dtype.name.startswith(("float", "bfloat")):
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, err_msg=where)


def decoded(item):
    return item.decode() if isinstance(item, bytes) else item


def operators_of(model: onnx.ModelProto) -> set[str]:
    found: set[str] = set()
    pending = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    while pending:
        node = pending.pop()
        found.add(node.op_type)
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)
    return found


def has_control_flow(model: onnx.ModelProto) -> bool:
    return bool(operators_of(model) & CONTROL_FLOW)


def has_sequences(model: onnx.ModelProto) -> bool:
    kinds = {port.type.WhichOneof("value") for port in (*model.graph.input, *model.graph.output)}
    operators = operators_of(model) - {"ReverseSequence"}
    named = any("Sequence" in name or "Optional" in name for name in operators)
    return named or bool(kinds & {"sequence_type", "optional_type"})
