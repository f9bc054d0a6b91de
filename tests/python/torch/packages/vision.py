# SPDX-License-Identifier: Apache-2.0
"""Networks for images: most have little control flow, some stop early or look at what they see."""

from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, integers, louder, model, normal, uniform

SIZES = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12}


def _image(seed: int, *shape: int) -> Any:
    return (normal(seed, 1, 3, *(shape or (32, 32))),)


@model("VisionTransformer with patch dropout", "timm", "tokens are dropped in training only", grows=False)
def vision_transformer() -> Any:
    import timm

    options = {"img_size": 32, "embed_dim": 12, "depth": 1, "num_heads": 2, "num_classes": 4}
    network = timm.create_model("vit_tiny_patch16_224", patch_drop_rate=0.5, dynamic_img_size=True, **options)
    return network.eval(), calls(_image)


@model("test_efficientnet", "timm", "nothing but sizes", grows=False)
def efficientnet() -> Any:
    import timm

    return timm.create_model("test_efficientnet", num_classes=4).eval(), calls(_image)


@model("DeepLabV3", "torchvision", "nothing but sizes", grows=False)
def deeplab() -> Any:
    from torchvision.models import resnet
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.segmentation.deeplabv3 import DeepLabHead, DeepLabV3

    body = resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1])
    features = IntermediateLayerGetter(body, {"layer1": "out"})
    return DeepLabV3(features, DeepLabHead(64, 3)).eval(), calls(_image)


@model("RAFT", "torchvision", "a flow that is refined again and again", grows=False)
def raft() -> Any:
    from torchvision.models.optical_flow.raft import _raft

    network = _raft(
        feature_encoder_layers=(8, 8, 8, 8, 16),
        feature_encoder_block=_bottleneck(),
        feature_encoder_norm_layer=torch.nn.InstanceNorm2d,
        context_encoder_layers=(8, 8, 8, 8, 16),
        context_encoder_block=_bottleneck(),
        context_encoder_norm_layer=torch.nn.BatchNorm2d,
        corr_block_num_levels=2,
        corr_block_radius=1,
        motion_encoder_corr_layers=(8,),
        motion_encoder_flow_layers=(8, 4),
        motion_encoder_out_channels=8,
        recurrent_block_hidden_state_size=8,
        recurrent_block_kernel_size=(3,),
        recurrent_block_padding=(1,),
        flow_head_hidden_size=8,
        use_mask_predictor=False,
    )
    return network.eval(), calls(lambda s: Call((normal(s, 1, 3, 32, 32), normal(s + 9, 1, 3, 32, 32), 2)))


def _bottleneck() -> Any:
    from torchvision.models.optical_flow.raft import BottleneckBlock

    return BottleneckBlock


@model("ViTForImageClassification", "transformers", "nothing but sizes", grows=False)
def vit() -> Any:
    from transformers import ViTConfig, ViTForImageClassification

    network = ViTForImageClassification(ViTConfig(image_size=16, patch_size=8, num_labels=3, **SIZES))
    return network.eval(), calls(lambda s: _image(s, 16, 16))


def _detr() -> Any:
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

    stages = {"embedding_size": 4, "hidden_sizes": [4, 8], "depths": [1, 1], "layer_type": "basic"}
    layers = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "num_queries": 5, "num_labels": 3}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    widths = {"encoder_ffn_dim": 12, "decoder_ffn_dim": 12}
    config = DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=ResNetConfig(out_features=["stage2"], **stages),
        **layers,
        **heads,
        **widths,
    )
    return DetrForObjectDetection(config)


@model("DetrForObjectDetection", "transformers", "the pixels that are padding")
def detr() -> Any:
    def one(seed: int) -> Call:
        seen = torch.ones(1, 32, 32, dtype=torch.long)
        seen[:, 32 - 4 * seed :] = 0
        return Call((normal(seed, 1, 3, 32, 32), seen))

    return louder(_detr(), 1.5), calls(one)


@model("post_process_object_detection", "transformers", "how many objects are sure enough")
def detr_objects() -> Any:
    from transformers import DetrImageProcessor
    from transformers.models.detr.modeling_detr import DetrObjectDetectionOutput

    process = DetrImageProcessor().post_process_object_detection

    def one(seed: int) -> Call:
        found = DetrObjectDetectionOutput(logits=normal(seed, 1, 5, 4) * 2, pred_boxes=uniform(seed, 1, 5, 4))
        return Call((found,), {"threshold": 0.6, "target_sizes": [(40, 30)]})

    return process, calls(one)


@model("post_process_panoptic_segmentation", "transformers", "which segments are kept, and how many")
def panoptic() -> Any:
    from transformers import Mask2FormerImageProcessor
    from transformers.models.mask2former.modeling_mask2former import Mask2FormerForUniversalSegmentationOutput

    process = Mask2FormerImageProcessor().post_process_panoptic_segmentation

    def one(seed: int) -> Call:
        found = Mask2FormerForUniversalSegmentationOutput(
            class_queries_logits=normal(seed, 1, 5, 4) * 4, masks_queries_logits=normal(seed, 1, 5, 8, 8) * 3
        )
        return Call(
            (found,), {"threshold": 0.6, "overlap_mask_area_threshold": 0.3, "label_ids_to_fuse": {1}}
        )

    return process, calls(one)


@model("LoopedViT, adaptive_exit", "vit-pytorch", "after how many loops it stops")
def looped_vit() -> Any:
    from vit_pytorch.looped_vit import LoopedViT

    network = LoopedViT(
        image_size=16,
        patch_size=8,
        num_classes=3,
        dim=8,
        heads=2,
        dim_head=4,
        mlp_dim=12,
        pre_loop_depth=1,
        num_looped_blocks=1,
        post_loop_depth=1,
        loop_depth=4,
        adaptive_loop=True,
    )
    options = {"adaptive_exit": True, "exit_threshold": -3.3}
    return louder(network, 2.0), calls(lambda s: Call((normal(s, 1, 3, 16, 16),), options))


@model("CLIP.encode_text", "open-clip-torch", "the token that is pooled", grows=False)
def open_clip_text() -> Any:
    from open_clip.model import CLIP

    vision = {"layers": 1, "width": 8, "head_width": 4, "patch_size": 8, "image_size": 16}
    text = {"context_length": 6, "vocab_size": 20, "width": 8, "heads": 2, "layers": 1}
    network = CLIP(embed_dim=6, vision_cfg=vision, text_cfg=text).eval()
    return network.encode_text, calls(lambda s: (integers(s, 20, 2, 6), True))
