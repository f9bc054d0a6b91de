# SPDX-License-Identifier: Apache-2.0
"""Writes equilibrium.onnx: a layer that is applied again and again until its result no longer changes."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE, MOST_TRIPS, SETTLED = 4, 100, 1e-4


def tensor(name: str, kind: int, *dims: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, dims)


def constant(name: str, value: object, dtype: type) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, dtype), name)


def one_trip() -> onnx.GraphProto:
    """Computes state = tanh(state @ inner + x @ outer), and goes on as long as that changes the state."""
    nodes = [
        helper.make_node("MatMul", ["state", "inner"], ["recurrent"]),
        helper.make_node("Add", ["recurrent", "injected"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["new_state"]),
        helper.make_node("Sub", ["new_state", "state"], ["difference"]),
        helper.make_node("Abs", ["difference"], ["size"]),
        helper.make_node("ReduceMax", ["size"], ["change"], keepdims=0),
        helper.make_node("Greater", ["change", "settled"], ["go_on"]),
        helper.make_node("Add", ["trips", "one"], ["new_trips"]),
    ]
    takes = [
        tensor("number", TensorProto.INT64),
        tensor("go", TensorProto.BOOL),
        tensor("state", TensorProto.FLOAT, 1, SIZE),
        tensor("trips", TensorProto.INT64),
    ]
    gives = [
        tensor("go_on", TensorProto.BOOL),
        tensor("new_state", TensorProto.FLOAT, 1, SIZE),
        tensor("new_trips", TensorProto.INT64),
    ]
    return helper.make_graph(nodes, "one_trip", takes, gives)


def equilibrium() -> onnx.ModelProto:
    random = np.random.default_rng(0)
    weights = [
        constant("inner", random.standard_normal((SIZE, SIZE)) * 0.4, np.float32),
        constant("outer", random.standard_normal((SIZE, SIZE)), np.float32),
        constant("start", np.zeros((1, SIZE)), np.float32),
        constant("settled", SETTLED, np.float32),
        constant("most", MOST_TRIPS, np.int64),
        constant("always", True, np.bool_),
        constant("none", 0, np.int64),
        constant("one", 1, np.int64),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "outer"], ["injected"]),
        helper.make_node("Loop", ["most", "always", "start", "none"], ["y", "trips"], body=one_trip()),
    ]
    x, y = tensor("x", TensorProto.FLOAT, 1, SIZE), tensor("y", TensorProto.FLOAT, 1, SIZE)
    graph = helper.make_graph(nodes, "equilibrium", [x], [y, tensor("trips", TensorProto.INT64)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    onnx.save(equilibrium(), "equilibrium.onnx")
