# SPDX-License-Identifier: Apache-2.0
"""The ATen payload of a fragment: its functional graph as JSON, for backends that speak torch."""

from __future__ import annotations

import base64
import json
from typing import Any

import torch

from dycl.frontend.lower.torch_adapter import overload_name
from dycl.frontend.sizes.values import DTYPE_NAMES

Names = dict[torch.fx.Node, str]
# Same arguments and meaning: torch cannot trace the first, and need not know the second.
_PUBLIC = {
    "dycl::narrow": "aten::narrow.Tensor",
    "dycl::nms": "torchvision::nms",
    "dycl::roi_align": "torchvision::roi_align",
}


def aten_text(graph: torch.fx.GraphModule) -> str:
    """Deterministic: values are renumbered, literals that JSON lacks are tagged objects."""
    names: Names = {}
    inputs: list[str] = []
    nodes: list[dict[str, Any]] = []
    outputs: list[Any] = []
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            names[node] = f"x{len(inputs)}"
            inputs.append(names[node])
        elif node.op == "output":
            outputs = [_encode(value, names) for value in node.args[0]]
        else:
            names[node] = f"v{len(nodes)}"
            nodes.append({"name": names[node], **_node(graph, node, names)})
    content = {"inputs": inputs, "nodes": nodes, "outputs": outputs}
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _node(
    graph: torch.fx.GraphModule, node: torch.fx.Node, names: dict[torch.fx.Node, str]
) -> dict[str, Any]:
    if node.op == "get_attr":
        return {"op": "constant", "value": _constant(getattr(graph, str(node.target)))}
    kwargs = {key: _encode(value, names) for key, value in node.kwargs.items()}
    name = overload_name(node.target)
    name = _PUBLIC.get(name, name)
    return {"op": name, "args": [_encode(value, names) for value in node.args], "kwargs": kwargs}


def _encode(value: Any, names: Names) -> Any:
    if isinstance(value, torch.fx.Node):
        return {"value": names[value]}
    if isinstance(value, (list, tuple)):
        return [_encode(item, names) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, torch.dtype):
        return {"dtype": DTYPE_NAMES.get(value, str(value))}
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return {type(value).__name__: str(value).removeprefix("torch.")}
    raise TypeError(f"an argument of type {type(value).__name__}")


def _constant(tensor: torch.Tensor) -> dict[str, Any]:
    data = tensor.detach().contiguous().cpu().view(-1).view(torch.uint8).numpy().tobytes()
    return {
        "dtype": DTYPE_NAMES[tensor.dtype],
        "shape": list(tensor.shape),
        "data": base64.b64encode(data).decode("ascii"),
    }
