# SPDX-License-Identifier: Apache-2.0
"""The ONNX payload of a fragment: a FunctionProto whose bytes depend on the graph alone."""

from __future__ import annotations

from typing import Any

import onnx
import onnx_ir

from dycl._core import is_control_flow
from dycl.frontend.lower import torch_adapter


class NotLowerableError(Exception):
    """The graph has no ONNX form that DyCL takes."""


def function_proto(name: str, model: onnx_ir.Model) -> onnx.FunctionProto:
    """`model` as one function: values renumbered, constants as nodes, nothing that depends on the process."""
    proto = onnx_ir.to_proto(model)
    graph = proto.graph
    del graph.value_info[:]
    try:  # the declared types of inputs and outputs must follow from the operators' own rules
        inferred = onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise NotLowerableError(" ".join(str(error).split())[:200]) from error
    names: dict[str, str] = {"": ""}
    function = onnx.FunctionProto(name=name, domain="dycl.fragment")
    for position, value in enumerate(graph.input):
        names[value.name] = f"x{position}"
        function.input.append(f"x{position}")
    for tensor in graph.initializer:
        names[tensor.name] = f"v{len(names)}"
        node = function.node.add(op_type="Constant", output=[names[tensor.name]])
        constant = onnx.TensorProto()
        constant.CopyFrom(tensor)
        constant.ClearField("name")
        constant.ClearField("doc_string")
        node.attribute.append(onnx.helper.make_attribute("value", constant))
    domains = {"": torch_adapter.OPSET}
    for node in graph.node:
        _append(function, node, names)
        domains.setdefault(node.domain, 1)
    for position, value in enumerate(graph.output):
        function.node.add(op_type="Identity", input=[names[value.name]], output=[f"y{position}"])
        function.output.append(f"y{position}")
    _drop_identities(function)
    _add_types(function, inferred.graph, names)
    function.opset_import.extend(onnx.helper.make_opsetid(d, v) for d, v in sorted(domains.items()))
    return function


def _add_types(function: onnx.FunctionProto, inferred: onnx.GraphProto, names: dict[str, str]) -> None:
    """Says what the operators' own rules know of values inside: no backend need be asked for it."""
    defined = {output for node in function.node for output in node.output}
    for value in inferred.value_info:
        name = names.get(value.name, "")
        if name in defined and value.type.HasField("tensor_type"):
            function.value_info.add(name=name, type=value.type)


def _append(function: onnx.FunctionProto, node: onnx.NodeProto, names: dict[str, str]) -> None:
    if is_control_flow(node.op_type) or any(a.HasField("g") or a.graphs for a in node.attribute):
        raise NotLowerableError(f"its ONNX form needs {node.op_type}")
    if node.domain not in ("", "ai.onnx"):
        raise NotLowerableError(f"its ONNX form needs the operator {node.domain}.{node.op_type}")
    copy = function.node.add(op_type=node.op_type, input=[names[i] for i in node.input])
    for output in node.output:
        if output:
            names[output] = f"v{len(names)}"
        copy.output.append(names[output])
    for attribute in sorted(node.attribute, key=lambda a: a.name):
        added = copy.attribute.add()
        added.CopyFrom(attribute)
        if attribute.HasField("t"):
            added.t.ClearField("name")
            added.t.ClearField("doc_string")
        added.ClearField("doc_string")


def _drop_identities(function: onnx.FunctionProto) -> None:
    """Lets a node write an output directly where that is its only name."""
    producers: dict[str, tuple[Any, int]] = {}
    for node in function.node:
        for position, output in enumerate(node.output):
            producers[output] = (node, position)
    kept = []
    renamed: dict[str, str] = {}
    for node in function.node:
        source = node.input[0] if node.op_type == "Identity" else ""
        movable = source in producers and source not in renamed and not source.startswith("y")
        if movable and node.output[0].startswith("y"):
            renamed[source] = node.output[0]
            continue
        kept.append(node)
    for node in kept:
        node.input[:] = [renamed.get(i, i) for i in node.input]
        node.output[:] = [renamed.get(o, o) for o in node.output]
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in kept]
    del function.node[:]
    function.node.extend(nodes)
