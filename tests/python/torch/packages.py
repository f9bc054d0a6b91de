# SPDX-License-Identifier: Apache-2.0
"""Models of packages on PyPI, called as they are: tiny, seeded, in evaluation; imported when built."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from dycl import Call
from torch import nn

IMAGES = [(40, 40), (50, 50)]
SEEDS = range(6)


@dataclass
class Model:
    name: str
    package: str  # as PyPI calls it
    dynamic: str  # what depends on the input
    grows: bool  # it has a dynamic loop or a size that depends on values
    build: Callable[[], tuple[Any, list[Call]]]
    refused: str = ""  # the file and line that the message names


MODELS: list[Model] = []


def model(name: str, package: str, dynamic: str, *, grows: bool = True, refused: str = "") -> Any:
    def register(build: Callable[[], tuple[Any, list[Call]]]) -> Any:
        MODELS.append(Model(name, package, dynamic, grows, build, refused))
        return build

    return register


def calls(make: Callable[[int], Any]) -> list[Call]:
    made = [make(seed) for seed in SEEDS]
    return [value if isinstance(value, Call) else Call(value) for value in made]


def normal(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def uniform(seed: int, *shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def integers(seed: int, below: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


def boxes(seed: int, count: int, size: float = 50.0) -> torch.Tensor:
    corners = uniform(seed, count, 2) * size * 0.7
    return torch.cat([corners, corners + uniform(seed + 1000, count, 2) * size * 0.4], 1)


def backbone(channels: int) -> nn.Module:
    layer = nn.Conv2d(3, channels, 3)
    layer.out_channels = channels
    return layer


# --- torchvision ----------------------------------------------------------------------------------------


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


# --- transformers ---------------------------------------------------------------------------------------


@model("MixtralSparseMoeBlock", "transformers", "the experts that are hit (a loop), the tokens of each")
def mixtral() -> Any:
    from transformers import MixtralConfig
    from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

    config = MixtralConfig(hidden_size=8, intermediate_size=12, num_local_experts=4, num_experts_per_tok=2)
    config._experts_implementation = "eager"
    block = MixtralSparseMoeBlock(config).eval()
    for parameter in block.parameters():
        nn.init.normal_(parameter)
    return block, calls(lambda s: (normal(s, 1, 3, 8),))


@model(
    "SwitchTransformersSparseMLP",
    "transformers",
    "the experts that are hit (a loop), the tokens of each",
    refused="modeling_switch_transformers.py:177",
)
def switch() -> Any:
    from transformers import SwitchTransformersConfig
    from transformers.models.switch_transformers.modeling_switch_transformers import (
        SwitchTransformersSparseMLP,
    )

    config = SwitchTransformersConfig(d_model=8, d_ff=12, num_experts=3, expert_capacity=2)
    return SwitchTransformersSparseMLP(config).eval(), calls(lambda s: (normal(s, 1, 4, 8) * 3,))


@model("SuperPointInterestPointDecoder", "transformers", "how many key points are found")
def superpoint() -> Any:
    from transformers import SuperPointConfig
    from transformers.models.superpoint.modeling_superpoint import SuperPointInterestPointDecoder

    config = SuperPointConfig(
        encoder_hidden_sizes=[4, 4], decoder_hidden_size=6, keypoint_threshold=0.02, nms_radius=2
    )
    scales = [1, 0.1, 2, 3, 0, 5]
    return SuperPointInterestPointDecoder(config).eval(), calls(
        lambda s: (normal(s, 1, 4, 2, 3) * scales[s],)
    )


@model(
    "fastspeech2_conformer.length_regulator",
    "transformers",
    "the length of what is spoken",
    refused="modeling_fastspeech2_conformer.py:115",
)
def length_regulator() -> Any:
    from transformers.models.fastspeech2_conformer.modeling_fastspeech2_conformer import length_regulator

    return length_regulator, calls(lambda s: (normal(s, 1, 4, 3), integers(s, 4, 1, 4)))


@model("NoRepeatNGramLogitsProcessor", "transformers", "which tokens are forbidden", grows=False)
def no_repeat_ngram() -> Any:
    from transformers.generation.logits_process import NoRepeatNGramLogitsProcessor

    return NoRepeatNGramLogitsProcessor(2).__call__, calls(lambda s: (integers(s, 3, 1, 6), normal(s, 1, 5)))


@model("TopPLogitsWarper", "transformers", "which tokens are left", grows=False)
def top_p() -> Any:
    from transformers.generation.logits_process import TopPLogitsWarper

    return TopPLogitsWarper(0.7).__call__, calls(lambda s: (integers(s, 3, 1, 6), normal(s, 1, 5)))


@model("EosTokenCriteria", "transformers", "whether each row has ended", grows=False)
def eos_criteria() -> Any:
    from transformers.generation.stopping_criteria import EosTokenCriteria

    return EosTokenCriteria(3).__call__, calls(lambda s: (integers(s, 5, 2, 5), torch.zeros(2, 5)))


def _gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=11, n_positions=32, n_embd=8, n_layer=1, n_head=2, eos_token_id=3, bos_token_id=1
    )
    return GPT2LMHeadModel(config).eval()


@model(
    "GPT2LMHeadModel.generate",
    "transformers",
    "when the text ends; keys and values kept",
    refused="transformers/utils/generic.py:472",
)
def gpt2_generate() -> Any:
    return _gpt2().generate, calls(
        lambda s: Call((integers(s, 11, 1, 3),), {"max_new_tokens": 5, "do_sample": False})
    )


# --- others ---------------------------------------------------------------------------------------------


@model("AutoregressiveWrapper.generate", "x-transformers", "when the text ends")
def x_generate() -> Any:
    from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

    layers = Decoder(dim=8, depth=1, heads=2, attn_dim_head=4)
    wrapper = AutoregressiveWrapper(
        TransformerWrapper(num_tokens=7, max_seq_len=16, attn_layers=layers)
    ).eval()
    options = {"eos_token": 2, "temperature": 0.0, "cache_kv": False}
    return wrapper.generate, calls(lambda s: Call((integers(s, 7, 1, 3), 6), options))


@model("CRF.decode", "pytorch-crf", "how far each best path is traced back")
def crf() -> Any:
    from torchcrf import CRF

    lengths = [(1, 6), (6, 6), (3, 2), (1, 1), (5, 4), (2, 6)]

    def one(seed: int) -> Any:
        mask = torch.arange(6)[None] < torch.tensor(lengths[seed])[:, None]
        return normal(seed, 2, 6, 5) * 3, mask

    return CRF(5, batch_first=True).eval().decode, calls(one)


@model("VectorQuantize", "vector-quantize-pytorch", "which entries of the codebook are taken", grows=False)
def vector_quantize() -> Any:
    from vector_quantize_pytorch import VectorQuantize

    return VectorQuantize(dim=4, codebook_size=8).eval(), calls(lambda s: (normal(s, 1, 5, 4),))


@model("VisionTransformer with patch dropout", "timm", "tokens are dropped in training only", grows=False)
def vision_transformer() -> Any:
    import timm

    options = {"img_size": 32, "embed_dim": 12, "depth": 1, "num_heads": 2, "num_classes": 4}
    network = timm.create_model("vit_tiny_patch16_224", patch_drop_rate=0.5, dynamic_img_size=True, **options)
    return network.eval(), calls(lambda s: (normal(s, 1, 3, 32, 32),))
