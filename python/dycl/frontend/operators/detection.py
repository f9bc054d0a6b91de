# SPDX-License-Identifier: Apache-2.0
"""Rules for the operators of torchvision, which need not be installed: they are found by name."""

from __future__ import annotations

import functools
import struct

import torch
from torch.utils._python_dispatch import _disable_current_modes

from dycl.frontend.operators.guards import guard
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


@torch.library.custom_op("dycl::roi_align", mutates_args=())
def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """torchvision::roi_align of boxes whose first column is an image that is there: it raises on no value."""
    pooled: Tensor = torch.ops.torchvision.roi_align(
        input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned
    )
    return pooled


@roi_align.register_fake
def _(
    input: Tensor, rois: Tensor, scale: float, height: int, width: int, ratio: int, aligned: bool
) -> Tensor:
    return input.new_empty([rois.shape[0], input.shape[1], height, width])


@functools.cache
def _message_of_no_image() -> str:
    """Eager's own words: they name a file of the version that is installed."""
    try:
        with _disable_current_modes():
            image, box = torch.zeros(1, 1, 1, 1), torch.ones(1, 5)
            torch.ops.torchvision.roi_align(image, box, 1.0, 1, 1, 1, False)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("torchvision takes boxes of an image that is not there")


def _roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    refuse_if(input.dtype != torch.float32, "roi_align", "it is lowered for f32 only")
    image = rois[:, :1].to(torch.int64)
    missing = (image < 0) | (image >= input.shape[0])
    guard(missing, "RuntimeError", _message_of_no_image())
    image = torch.where(missing, torch.zeros_like(image), image)
    corners = rois[:, 1:]
    empty = None
    if aligned and sampling_ratio <= 0:
        empty = _empty_boxes(corners * spatial_scale - 0.5, pooled_height, pooled_width)
        corners = torch.where(empty, corners.new_tensor([0.0, 0.0, 1.0, 1.0]), corners)
    safe = torch.cat([image.to(rois.dtype), corners], 1)
    pooled: Tensor = torch.ops.dycl.roi_align(
        input, safe, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned
    )
    return pooled if empty is None else torch.where(empty[:, :, None, None], torch.zeros_like(pooled), pooled)


def _empty_boxes(placed: Tensor, height: int, width: int) -> Tensor:
    """A box gets as many samples as it has pixels: eager takes none of an empty one, or raises."""
    samples = ((placed[:, 2:] - placed[:, :2]) / placed.new_tensor([width, height])).ceil()
    guard(samples.prod(1) < 0, "RuntimeError", "cannot create std::vector larger than max_size()")
    return (samples <= 0).any(1, keepdim=True)


RULES["torchvision::roi_align"] = _roi_align
