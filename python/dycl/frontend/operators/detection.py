# SPDX-License-Identifier: Apache-2.0
"""Rules for the operators of torchvision, which need not be installed: they are found by name."""

from __future__ import annotations

import struct

import torch

from dycl.frontend.operators.rules import RULES, Tensor, refuse_if, sort


@torch.library.custom_op("dycl::nms", mutates_args=())
def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """torchvision::nms of boxes that have an inside, with scores that differ: its ONNX form is exact then."""
    chosen: Tensor = torch.ops.torchvision.nms(boxes, scores, iou_threshold)
    return chosen


@nms.register_fake
def _(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    return boxes.new_empty([torch.library.get_ctx().new_dynamic_size()], dtype=torch.int64)


def _rounded_down(number: float) -> float:
    """The largest f32 that is no larger, of a positive number: an overlap in f32 exceeds both or none."""
    (bits,) = struct.unpack("i", struct.pack("f", number))
    (nearest,) = struct.unpack("f", struct.pack("f", number))
    (below,) = struct.unpack("f", struct.pack("i", max(bits - 1, 0)))
    return float(below if nearest > number else nearest)


def _nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    refuse_if(boxes.dtype != torch.float32, "nms", "it is lowered for boxes of f32 only")
    refuse_if(not isinstance(iou_threshold, (int, float)), "nms", "its threshold depends on the input")
    refuse_if(not 0 <= iou_threshold <= 1, "nms", "its threshold does not lie between 0 and 1")
    _, order = sort(scores, 0, True)
    ordered = boxes.index_select(0, order)
    # Eager lets boxes without inside overlap nothing, ONNX turns them the right way round first.
    inside = (ordered[:, 2] > ordered[:, 0]) & (ordered[:, 3] > ordered[:, 1])
    ordered = torch.where(inside.unsqueeze(1), ordered, torch.zeros_like(ordered))
    ranks = -torch.arange(scores.shape[0]).to(torch.float32)  # in place of scores that may be equal or NaN
    chosen: Tensor = torch.ops.dycl.nms(ordered, ranks, _rounded_down(iou_threshold))
    kept: Tensor = order.index_select(0, chosen)
    return kept


RULES["torchvision::nms"] = _nms
