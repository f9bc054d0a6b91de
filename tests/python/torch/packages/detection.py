# SPDX-License-Identifier: Apache-2.0
"""Detectors: whole ones, and what they do with the boxes that they have found."""

import functools
from typing import Any

import torch
from python.torch.packages.model import boxes, calls, integers, louder, model, normal, uniform
from torch import nn

IMAGES = [(40, 40), (50, 50)]


def backbone(channels: int) -> nn.Module:
    layer = nn.Conv2d(3, channels, 3)
    layer.out_channels = channels
    return layer


@model("ops.nms", "torchvision", "which boxes are kept, and how many")
def nms() -> Any:
    from torchvision.ops import nms

    return functools.partial(nms, iou_threshold=0.3), calls(lambda s: (boxes(s, 8, 30), uniform(s, 8)))


@model("ops.batched_nms", "torchvision", "which boxes are kept, and how many")
def batched_nms() -> Any:
    from torchvision.ops import batched_nms

    run = functools.partial(batched_nms, iou_threshold=0.3)
    return run, calls(lambda s: (boxes(s, 8, 30), uniform(s, 8), integers(s, 2, 8)))


@model("ops.remove_small_boxes", "torchvision", "how many boxes are kept")
def remove_small_boxes() -> Any:
    from torchvision.ops import remove_small_boxes

    return remove_small_boxes, calls(lambda s: (boxes(s, 8), 10.0))


@model("ops.masks_to_boxes", "torchvision", "masks may be empty", grows=False)
def masks_to_boxes() -> Any:
    from torchvision.ops import masks_to_boxes

    return masks_to_boxes, calls(lambda s: (uniform(s, 3, 6, 7) < [0.0, 0.05, 0.1, 0.2, 0.5, 1.0][s],))


@model("RegionProposalNetwork.filter_proposals", "torchvision", "proposals kept by size, score and overlap")
def rpn() -> Any:
    from torchvision.models.detection.rpn import AnchorGenerator, RegionProposalNetwork, RPNHead

    before, after = {"training": 8, "testing": 10}, {"training": 4, "testing": 10}
    network = RegionProposalNetwork(
        AnchorGenerator(((8,),)), RPNHead(4, 3), 0.7, 0.3, 8, 0.5, before, after, 0.5, score_thresh=0.4
    ).eval()
    return network.filter_proposals, calls(
        lambda s: (torch.stack([boxes(s, 10), boxes(s + 50, 10)]), normal(s, 2, 10, 1) * 2, IMAGES, [6, 4])
    )


@model("RoIHeads.postprocess_detections", "torchvision", "detections kept by score, size and overlap")
def roi_heads() -> Any:
    from torchvision.models.detection.roi_heads import RoIHeads

    heads = RoIHeads(None, None, None, 0.5, 0.5, 8, 0.25, None, 0.4, 0.5, 5).eval()
    return heads.postprocess_detections, calls(
        lambda s: (normal(s, 8, 3) * 2, normal(s, 8, 12), [boxes(s, 5), boxes(s + 9, 3)], IMAGES)
    )


def _levels(seed: int, last: int) -> list[torch.Tensor]:
    return [normal(seed, 1, 6, last), normal(seed + 70, 1, 4, last)]


@model("RetinaNet.postprocess_detections", "torchvision", "detections kept by score and overlap, per level")
def retinanet() -> Any:
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.retinanet import RetinaNet

    anchors = AnchorGenerator(((8,),), ((1.0,),))
    options = {"score_thresh": 0.6, "topk_candidates": 5, "detections_per_img": 30}
    network = RetinaNet(backbone(32), 3, anchor_generator=anchors, **options).eval()
    return network.postprocess_detections, calls(
        lambda s: (
            {"cls_logits": _levels(s, 3), "bbox_regression": _levels(s + 20, 4)},
            [[boxes(100, 6), boxes(101, 4)]],
            IMAGES[:1],
        )
    )


@model("FCOS.postprocess_detections", "torchvision", "detections kept by score and overlap, per level")
def fcos() -> Any:
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.fcos import FCOS

    anchors = AnchorGenerator(((8,),), ((1.0,),))
    options = {"score_thresh": 0.5, "topk_candidates": 5, "detections_per_img": 30}
    network = FCOS(backbone(32), 3, anchor_generator=anchors, **options).eval()
    return network.postprocess_detections, calls(
        lambda s: (
            {
                "cls_logits": _levels(s, 3),
                "bbox_regression": _levels(s + 20, 4),
                "bbox_ctrness": _levels(s + 40, 1),
            },
            [[boxes(100, 6), boxes(101, 4)]],
            IMAGES[:1],
        )
    )


@model("SSD.postprocess_detections", "torchvision", "detections kept by score and overlap, per class")
def ssd() -> Any:
    from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
    from torchvision.models.detection.ssd import SSD

    options = {"score_thresh": 0.4, "topk_candidates": 4, "detections_per_img": 30}
    network = SSD(backbone(4), DefaultBoxGenerator([[2]]), (32, 32), 3, head=nn.Identity(), **options).eval()
    return network.postprocess_detections, calls(
        lambda s: (
            {"cls_logits": normal(s, 1, 8, 3), "bbox_regression": normal(s + 20, 1, 8, 4)},
            [boxes(100, 8)],
            [(32, 32)],
        )
    )


def _coarse(channels: int) -> nn.Module:
    """A backbone of a few cells for images of 32 by 32."""
    network = nn.Sequential(nn.Conv2d(3, channels, 8, stride=8), nn.ReLU())
    network.out_channels = channels
    return network


def _scene(seed: int) -> Any:
    return ([normal(seed, 3, 32, 32)],)


PROPOSALS = {"rpn_pre_nms_top_n_test": 20, "rpn_post_nms_top_n_test": 6, "rpn_nms_thresh": 0.5}
SCALED = {"min_size": 32, "max_size": 32}


@model("FasterRCNN", "torchvision", "proposals and detections kept by score, size and overlap", state=True)
def faster_rcnn() -> Any:
    from torchvision.models.detection import FasterRCNN

    network = FasterRCNN(
        _coarse(4),
        box_score_thresh=0.35,
        **_boxes(3),
        **SCALED,
    )
    return louder(network, 2.0), calls(_scene)


def _boxes(classes: int, channels: int = 4) -> dict[str, Any]:
    """What finds boxes and tells so many classes of them apart, of every R-CNN. With few channels, none
    may be above zero in some cells: these have equal scores, of which topk() takes any."""
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.faster_rcnn import FastRCNNPredictor
    from torchvision.ops import MultiScaleRoIAlign

    return {
        "rpn_anchor_generator": AnchorGenerator(((8, 16),), ((1.0,),)),
        "box_roi_pool": MultiScaleRoIAlign(["0"], 3, 2),
        "box_head": nn.Sequential(nn.Flatten(), nn.Linear(9 * channels, 8), nn.ReLU()),
        "box_predictor": FastRCNNPredictor(8, classes),
        **PROPOSALS,
    }


@model("MaskRCNN", "torchvision", "detections kept, and masks pasted where they are", state=True)
def mask_rcnn() -> Any:
    from torchvision.models.detection import MaskRCNN
    from torchvision.models.detection.mask_rcnn import MaskRCNNPredictor
    from torchvision.ops import MultiScaleRoIAlign

    network = MaskRCNN(
        _coarse(4),
        box_score_thresh=0.35,
        **_boxes(3),
        mask_roi_pool=MultiScaleRoIAlign(["0"], 4, 2),
        mask_head=nn.Conv2d(4, 4, 3, padding=1),
        mask_predictor=MaskRCNNPredictor(4, 4, 3),
        **SCALED,
    )
    return louder(network, 2.0), calls(_scene)


@model("KeypointRCNN", "torchvision", "detections kept; a loop over them finds key points", state=True)
def keypoint_rcnn() -> Any:
    from torchvision.models.detection import KeypointRCNN
    from torchvision.models.detection.keypoint_rcnn import KeypointRCNNPredictor
    from torchvision.ops import MultiScaleRoIAlign

    network = KeypointRCNN(
        _coarse(16),
        box_score_thresh=0.6,
        **_boxes(2, 16),
        keypoint_roi_pool=MultiScaleRoIAlign(["0"], 4, 2),
        keypoint_head=nn.Conv2d(16, 4, 3, padding=1),
        keypoint_predictor=KeypointRCNNPredictor(4, 3),
        **SCALED,
    )
    return network.eval(), calls(_scene)


@model("RetinaNet", "torchvision", "detections kept by score and overlap", state=True)
def whole_retinanet() -> Any:
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    from torchvision.models.detection.retinanet import RetinaNet

    anchors = AnchorGenerator(((8, 16),), ((1.0,),))
    options = {"score_thresh": 0.8, "topk_candidates": 8, "detections_per_img": 30}
    network = RetinaNet(_coarse(32), 3, anchor_generator=anchors, **options, **SCALED)
    nn.init.normal_(network.head.classification_head.cls_logits.weight, std=0.05)
    nn.init.zeros_(network.head.classification_head.cls_logits.bias)
    return louder(network, 5.0), calls(_scene)
