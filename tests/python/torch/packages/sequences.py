# SPDX-License-Identifier: Apache-2.0
"""Transformers of smaller packages, experts, quantizers of vectors, forecasts."""

from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, integers, model, normal, redrawn, uniform

LENGTHS = [6, 3, 5, 1, 4, 2]


def _decoder(**options: Any) -> Any:
    from x_transformers import Decoder, TransformerWrapper

    layers = Decoder(dim=8, depth=1, heads=2, **{"attn_dim_head": 4, **options})
    return TransformerWrapper(num_tokens=7, max_seq_len=16, attn_layers=layers)


@model("AutoregressiveWrapper.generate", "x-transformers", "when the text ends")
def x_generate() -> Any:
    from x_transformers import AutoregressiveWrapper

    wrapper = AutoregressiveWrapper(_decoder()).eval()
    options = {"eos_token": 2, "temperature": 0.0, "cache_kv": False}
    return wrapper.generate, calls(lambda s: Call((integers(s, 7, 1, 3), 6), options))


@model(
    "AutoregressiveWrapper.generate with a cache",
    "x-transformers",
    "when the text ends; keys and values kept",
)
def x_generate_cached() -> Any:
    from x_transformers import AutoregressiveWrapper

    wrapper = redrawn(AutoregressiveWrapper(_decoder(rotary_pos_emb=True, attn_dim_head=32)), 0, 0.5)
    options = {"eos_token": 2, "temperature": 0.0, "cache_kv": True}
    return wrapper.generate, calls(lambda s: Call((integers(s, 7, 1, 3), 6), options))


@model("MoE", "mixture-of-experts", "the experts of each token, and who has no room", grows=False)
def mixture() -> Any:
    from mixture_of_experts import MoE

    block = MoE(dim=8, num_experts=3, hidden_dim=12, second_policy_eval="all").eval()
    return block, calls(lambda s: (normal(s, 1, 6, 8),))


@model(
    "VectorQuantize",
    "vector-quantize-pytorch",
    "which entries of the codebook are taken",
    grows=False,
    quick=True,
)
def vector_quantize() -> Any:
    from vector_quantize_pytorch import VectorQuantize

    return VectorQuantize(dim=4, codebook_size=8).eval(), calls(lambda s: (normal(s, 1, 5, 4),))


@model(
    "ResidualVQ",
    "vector-quantize-pytorch",
    "which entries of the codebooks are taken",
    grows=False,
    quick=True,
)
def residual_vq() -> Any:
    from vector_quantize_pytorch import ResidualVQ

    return ResidualVQ(dim=4, num_quantizers=3, codebook_size=8).eval(), calls(lambda s: (normal(s, 1, 5, 4),))


@model("ChronosBoltModelForForecasting", "chronos-forecasting", "the values that are missing")
def chronos() -> Any:
    from chronos.chronos_bolt import ChronosBoltModelForForecasting
    from transformers import T5Config

    forecast = {
        "context_length": 16, "input_patch_size": 4, "input_patch_stride": 4, "prediction_length": 6,
        "quantiles": [0.1, 0.5, 0.9], "use_reg_token": True,
    }  # fmt: skip
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 12, "num_layers": 1, "num_heads": 2, "vocab_size": 2}
    config = T5Config(
        pad_token_id=0, decoder_start_token_id=0, reg_token_id=1, chronos_config=forecast, **sizes
    )
    network = ChronosBoltModelForForecasting(config).eval()

    def one(seed: int) -> Any:
        past = normal(seed, 2, 16).cumsum(1)
        past[uniform(seed, 2, 16) < 0.1 * seed] = torch.nan
        return (past,)

    return network, calls(one)


@model("unconstrained_rational_quadratic_spline", "nflows", "which numbers lie inside, and in which bin")
def spline() -> Any:
    import functools

    from nflows.transforms.splines import unconstrained_rational_quadratic_spline

    run = functools.partial(unconstrained_rational_quadratic_spline, tails="linear", tail_bound=1.0)
    return run, calls(
        lambda s: (normal(s, 6) * (0.3 + s), normal(s + 1, 6, 4), normal(s + 2, 6, 4), normal(s + 3, 6, 3))
    )
