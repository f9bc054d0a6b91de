# SPDX-License-Identifier: Apache-2.0
"""Which constants of a graph are data of its library, so that blocks equal but for them share one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import onnx

_FLOATING = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE)
_INTEGER = (onnx.TensorProto.INT32, onnx.TensorProto.INT64)


def weights_as_inputs(model: onnx.ModelProto, names: Sequence[str]) -> None:
    """External weights become the last inputs, so that equal graphs share one library."""
    outside = {tensor.name: tensor for tensor in model.graph.initializer if tensor.name in names}
    _drop_initializers(model, outside)
    for name in names:
        tensor = outside[name]
        model.graph.input.append(
            onnx.helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims))
        )


def small_weights(model: onnx.ModelProto) -> list[str]:
    """Constants inside the graph which differ between blocks that are else equal: vectors of numbers, a bias
    say (of one number, too), and indices; and tensors without elements, which TVM cannot store."""
    indices = _indices(model.graph)
    return [
        tensor.name
        for tensor in model.graph.initializer
        if 0 in tensor.dims
        or (tensor.raw_data and tensor.dims and tensor.data_type in _FLOATING)
        or tensor.name in indices
    ]


def weights_inside(model: onnx.ModelProto, contents: Mapping[str, bytes]) -> None:
    """For operators that want to see them."""
    outside = {tensor.name: tensor for tensor in model.graph.initializer if tensor.name in contents}
    _drop_initializers(model, outside)
    for name, data in contents.items():
        tensor = outside[name]
        model.graph.initializer.append(
            onnx.TensorProto(name=name, data_type=tensor.data_type, dims=list(tensor.dims), raw_data=data)
        )


def _indices(graph: onnx.GraphProto) -> set[str]:
    """Integers that only choose elements."""
    if any(node.op_type in ("Shape", "Size") for node in graph.node):
        return set()  # what they choose may be a size, and TVM compiles for sizes
    integers = {t.name for t in graph.initializer if t.raw_data and t.data_type in _INTEGER}
    others = {
        name
        for node in graph.node
        for position, name in enumerate(node.input)
        if node.op_type != "Gather" or position != 1 or node.input[0] in integers
    }
    return integers - others


def _drop_initializers(model: onnx.ModelProto, dropped: Container[str]) -> None:
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in dropped]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
