# SPDX-License-Identifier: Apache-2.0
"""Key points and what is matched between images; filters that run until nothing changes."""

import functools
from typing import Any

import torch
from python.torch.packages.model import calls, louder, model, normal, redrawn, uniform


@model("SuperPointInterestPointDecoder", "transformers", "how many key points are found")
def superpoint_decoder() -> Any:
    from transformers import SuperPointConfig
    from transformers.models.superpoint.modeling_superpoint import SuperPointInterestPointDecoder

    config = SuperPointConfig(
        encoder_hidden_sizes=[4, 4], decoder_hidden_size=6, keypoint_threshold=0.02, nms_radius=2
    )
    scales = [1, 0.1, 2, 3, 0, 5]
    return SuperPointInterestPointDecoder(config).eval(), calls(
        lambda s: (normal(s, 1, 4, 2, 3) * scales[s],)
    )


def _superpoint_config() -> Any:
    from transformers import SuperPointConfig

    return SuperPointConfig(
        encoder_hidden_sizes=[4, 4, 4, 4],
        decoder_hidden_size=6,
        descriptor_decoder_dim=8,
        keypoint_threshold=0.03,
        nms_radius=2,
        border_removal_distance=1,
    )


@model("LightGlue", "kornia", "points dropped, layers left out")
def kornia_lightglue() -> Any:
    from kornia.feature import LightGlue

    network = LightGlue(
        None,
        input_dim=8,
        descriptor_dim=8,
        n_layers=3,
        num_heads=2,
        depth_confidence=0.6,
        width_confidence=0.7,
    )

    def image(seed: int) -> Any:
        places = uniform(seed, 1, 5, 2) * 20
        return {
            "keypoints": places,
            "descriptors": normal(seed, 1, 5, 8),
            "image_size": torch.tensor([[20.0, 20.0]]),
        }

    return redrawn(network, 0, 0.7), calls(lambda s: ({"image0": image(s), "image1": image(s + 50)},))


@model("LoFTR", "kornia", "how many places match")
def loftr() -> Any:
    import copy

    from kornia.feature import LoFTR
    from kornia.feature.loftr.loftr import default_cfg

    config = copy.deepcopy(default_cfg)
    config["resnetfpn"] = {"initial_dim": 4, "block_dims": [4, 6, 8]}
    config["coarse"].update(d_model=8, d_ffn=8, nhead=2, layer_names=["self", "cross"])
    config["fine"].update(d_model=4, d_ffn=4, nhead=2)
    config["match_coarse"].update(thr=0.05, border_rm=0)
    network = louder(LoFTR(None, config), 2.0)
    return network, calls(
        lambda s: ({"image0": uniform(s, 1, 1, 32, 32), "image1": uniform(s + 9, 1, 1, 32, 32)},)
    )


@model("match_smnn", "kornia", "how many descriptors find each other", quick=True)
def match_smnn() -> Any:
    from kornia.feature import match_smnn

    return functools.partial(match_smnn, th=0.9), calls(lambda s: (normal(s, 6, 4), normal(s + 9, 7, 4)))


@model("Canny", "kornia", "a loop until no edge grows", quick=True)
def canny() -> Any:
    from kornia.filters import Canny

    return Canny(0.3, 0.9).eval(), calls(lambda s: (uniform(s, 1, 1, 12, 12) * (0.3 + 0.3 * s),))
