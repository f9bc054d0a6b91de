# SPDX-License-Identifier: Apache-2.0
"""Which subgraphs of a model its inputs reach, found by instrumenting the model itself.

Every If branch and every Loop or Scan body gets one more output, which counts how often the subgraph
was entered; the count travels out through the nodes around it, so ONNX Runtime itself tells."""

import itertools

import onnx
import onnxruntime
from onnx import TensorProto, helper

from equivalence.case import Feed

COUNT = "entered_"


class Instrument:
    """Adds to each graph one float vector: how often every known subgraph was entered below it."""

    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.names: list[str] = []
        self.fresh = itertools.count()
        self._collect(model.graph)

    def _collect(self, graph: onnx.GraphProto) -> None:
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    self.names.append(attribute.g.name)
                    self._collect(attribute.g)

    def add_counts(self, graph: onnx.GraphProto, entered: str | None) -> str:
        """Returns the name of the graph's count vector, defined inside the graph."""
        parts = [self._one_hot(graph, entered)]
        for node in list(graph.node):
            parts += self._counts_of(graph, node)
        total = self._name()
        graph.node.append(helper.make_node("Sum", parts, [total]))
        return total

    def _counts_of(self, graph: onnx.GraphProto, node: onnx.NodeProto) -> list[str]:
        subgraphs = [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        if not subgraphs:
            return []
        inner = [self.add_counts(subgraph, subgraph.name) for subgraph in subgraphs]
        result = self._name()
        if node.op_type == "If":
            for subgraph, count in zip(subgraphs, inner):
                subgraph.output.append(self._info(count))
            node.output.append(result)
            return [result]
        # A body's count is one more scan output; its sum over the trips is what we want.
        subgraphs[0].output.append(self._info(inner[0]))
        stacked = self._name()
        node.output.append(stacked)
        for attribute in node.attribute:
            if attribute.name in ("scan_output_axes", "scan_output_directions"):
                attribute.ints.append(0)
        if node.op_type == "SequenceMap":
            sequence, stacked = stacked, self._name()
            graph.node.append(
                helper.make_node("ConcatFromSequence", [sequence], [stacked], axis=0, new_axis=1)
            )
        axes = self._constant(graph, TensorProto.INT64, [0], [1])
        graph.node.append(helper.make_node("ReduceSum", [stacked, axes], [result], keepdims=0))
        return [result]

    def _one_hot(self, graph: onnx.GraphProto, entered: str | None) -> str:
        return self._constant(
            graph, TensorProto.FLOAT, [float(name == entered) for name in self.names], [len(self.names)]
        )

    def _constant(self, graph: onnx.GraphProto, dtype: int, values: list, dims: list[int]) -> str:
        name = self._name()
        graph.node.append(
            helper.make_node("Constant", [], [name], value=helper.make_tensor(name, dtype, dims, values))
        )
        return name

    def _info(self, name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [len(self.names)])

    def _name(self) -> str:
        return f"{COUNT}{next(self.fresh)}"


def unreached_subgraphs(model: onnx.ModelProto, feeds: list[Feed]) -> set[str]:
    """Names of the subgraphs that none of the inputs enters. Needs opset 13 (ReduceSum's axes)."""
    instrument = Instrument(model)
    if not instrument.names:
        return set()
    total = instrument.add_counts(model.graph, None)
    model.graph.output.append(instrument._info(total))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    counts = sum(session.run([total], feed)[0] for feed in feeds)
    return {name for name, count in zip(instrument.names, counts) if count == 0}
