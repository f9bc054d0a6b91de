# SPDX-License-Identifier: Apache-2.0
"""What comes after a network for images: suppression, masks, windows, key points."""

import functools
from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import boxes, calls, integers, louder, model, normal, uniform
from torch import nn


@model("nms.non_max_suppression", "ultralytics", "images without boxes; which boxes are kept, and how many")
def yolo_suppression() -> Any:
    from ultralytics.utils.nms import non_max_suppression

    def one(seed: int) -> Any:
        places = torch.cat([uniform(seed, 2, 2, 6) * 30, uniform(seed + 9, 2, 2, 6) * 20 + 4], 1)
        return (torch.cat([places, uniform(seed + 20, 2, 3, 6) * (0.4 + 0.1 * seed)], 1),)

    return functools.partial(non_max_suppression, conf_thres=0.45, iou_thres=0.3), calls(one)


@model("TorchNMS.nms", "ultralytics", "a loop until no box is left; it skips where nothing overlaps")
def torch_nms() -> Any:
    from ultralytics.utils.nms import TorchNMS

    run = functools.partial(TorchNMS.nms, iou_threshold=0.3)
    return run, calls(lambda s: (boxes(s, 6, 20 + 30 * s), uniform(s, 6)))


@model("soft_nms.soft_nms", "effdet", "a loop until no box is left; scores sink")
def soft_nms() -> Any:
    from effdet.soft_nms import soft_nms

    run = functools.partial(soft_nms, score_threshold=0.3)
    return run, calls(lambda s: (boxes(s, 6, 20), uniform(s, 6)))


@model("box_utils.non_max_suppression", "monai", "a loop until no box is left")
def monai_nms() -> Any:
    from monai.data.box_utils import non_max_suppression

    run = functools.partial(non_max_suppression, nms_thresh=0.2)

    def one(seed: int) -> Any:
        corners = uniform(seed, 6, 3) * 12
        return torch.cat([corners, corners + 2 + uniform(seed + 1, 6, 3) * 8], 1), uniform(seed, 6)

    return run, calls(one)


@model("sliding_window_inference", "monai", "nothing but sizes", grows=False)
def sliding_window() -> Any:
    from monai.inferers import sliding_window_inference

    network = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 2, 1)).eval()
    run = functools.partial(
        sliding_window_inference,
        roi_size=(8, 8),
        sw_batch_size=2,
        predictor=network,
        overlap=0.25,
        mode="gaussian",
    )
    return run, calls(lambda s: (normal(s, 1, 1, 12, 14),))


@model("amg.mask_to_rle_pytorch", "segment-anything", "how many runs each mask has")
def runs_of_masks() -> Any:
    from segment_anything.utils.amg import mask_to_rle_pytorch

    return mask_to_rle_pytorch, calls(lambda s: (uniform(s, 2, 4, 5) < 0.2 * s,))


@model("Sam", "segment-anything", "nothing but sizes", grows=False)
def sam() -> Any:
    from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam, TwoWayTransformer

    encoder = ImageEncoderViT(
        img_size=32, patch_size=16, embed_dim=8, depth=1, num_heads=2, out_chans=8, window_size=2
    )
    prompts = PromptEncoder(
        embed_dim=8, image_embedding_size=(2, 2), input_image_size=(32, 32), mask_in_chans=4
    )
    decoder = MaskDecoder(
        transformer_dim=8,
        transformer=TwoWayTransformer(depth=1, embedding_dim=8, mlp_dim=12, num_heads=2),
        num_multimask_outputs=3,
        iou_head_depth=2,
        iou_head_hidden_dim=8,
    )
    network = louder(Sam(encoder, prompts, decoder), 2.0)

    def one(seed: int) -> Call:
        image = {
            "image": uniform(seed, 3, 32, 24) * 255,
            "original_size": (40, 30),
            "point_coords": uniform(seed, 1, 2, 2) * 30,
            "point_labels": integers(seed, 2, 1, 2),
        }
        return Call(([image], True))

    return network.forward, calls(one)
