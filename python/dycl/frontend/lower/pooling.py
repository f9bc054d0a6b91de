# SPDX-License-Identifier: Apache-2.0
"""Windows that reach over the end, written as padding: every backend has the same view of that."""

from __future__ import annotations

import onnx_ir


def pad_instead_of_ceil(model: onnx_ir.Model) -> None:
    """MaxPool without ceil_mode, where the sizes are known; its padding never is the largest element."""
    for node in model.graph:
        if node.op_type == "MaxPool" and node.attributes.get_int("ceil_mode", False):
            shape = node.inputs[0].shape if node.inputs[0] is not None else None
            sizes = list(shape)[2:] if shape is not None else []
            known = [size for size in sizes if isinstance(size, int)]
            if known and len(known) == len(sizes):
                _pad(node, known)


def _pad(node: onnx_ir.Node, sizes: list[int]) -> None:
    ones, kernel = [1] * len(sizes), list(node.attributes.get_ints("kernel_shape"))
    strides = list(node.attributes.get_ints("strides", ones))
    dilations = list(node.attributes.get_ints("dilations", ones))
    pads = list(node.attributes.get_ints("pads", [0] * (2 * len(sizes))))
    for i, size in enumerate(sizes):
        before, after = pads[i], pads[i + len(sizes)]
        reach = dilations[i] * (kernel[i] - 1) + 1
        windows = -(-(size + before + after - reach) // strides[i]) + 1
        if (windows - 1) * strides[i] >= size + before:  # a window of padding alone is left out
            windows -= 1
        missing = (windows - 1) * strides[i] + reach - (size + before + after)
        pads[i + len(sizes)] += max(missing, 0)
        if pads[i + len(sizes)] >= kernel[i]:  # dilated: backends take no such padding
            return
    node.attributes["pads"] = onnx_ir.AttrInt64s("pads", pads)
    node.attributes["ceil_mode"] = onnx_ir.AttrInt64("ceil_mode", 0)
