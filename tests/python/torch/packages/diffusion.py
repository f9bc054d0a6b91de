# SPDX-License-Identifier: Apache-2.0
"""Diffusion: schedulers, which count their steps, and the networks that they drive."""

from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, model, normal


def _ready(scheduler: Any, steps: int = 6) -> Any:
    scheduler.set_timesteps(steps)
    return scheduler


def _steps(scheduler: Any, **options: Any) -> list[Call]:
    """One call for each step of a schedule, as a pipeline makes them."""
    times = scheduler.timesteps
    return calls(lambda s: Call((normal(s, 1, 3, 4, 4), times[s], normal(s + 9, 1, 3, 4, 4)), options))


@model("DDIMScheduler.step", "diffusers", "the time that a step is at; the last step")
def ddim() -> Any:
    from diffusers import DDIMScheduler

    scheduler = _ready(DDIMScheduler(num_train_timesteps=60, set_alpha_to_one=False))
    return scheduler.step, _steps(scheduler, return_dict=False)


@model("EulerDiscreteScheduler.step", "diffusers", "which step it is: it counts", state=True)
def euler() -> Any:
    from diffusers import EulerDiscreteScheduler

    scheduler = _ready(EulerDiscreteScheduler(num_train_timesteps=60))
    return scheduler.step, _steps(scheduler, return_dict=False)


@model(
    "DPMSolverMultistepScheduler.step",
    "diffusers",
    "which step it is, and what the last ones gave",
    state=True,
)
def dpm_solver() -> Any:
    from diffusers import DPMSolverMultistepScheduler

    scheduler = _ready(DPMSolverMultistepScheduler(num_train_timesteps=60, solver_order=2))
    return scheduler.step, _steps(scheduler, return_dict=False)


def _unet() -> Any:
    from diffusers import UNet2DConditionModel

    blocks = {"down_block_types": ("CrossAttnDownBlock2D",), "up_block_types": ("CrossAttnUpBlock2D",)}
    sizes = {
        "block_out_channels": (8,),
        "layers_per_block": 1,
        "norm_num_groups": 2,
        "cross_attention_dim": 8,
    }
    return UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, attention_head_dim=4, **blocks, **sizes
    ).eval()


@model("UNet2DConditionModel", "diffusers", "the time that a step is at", grows=False)
def unet() -> Any:
    def one(seed: int) -> Call:
        return Call(
            (normal(seed, 1, 4, 8, 8), torch.tensor(10 * seed), normal(seed, 1, 3, 8)), {"return_dict": False}
        )

    return _unet(), calls(one)


def _autoencoder() -> Any:
    from diffusers import AutoencoderKL

    sizes = {"block_out_channels": (8, 8), "layers_per_block": 1, "norm_num_groups": 2, "latent_channels": 4}
    blocks = {"down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2}
    return AutoencoderKL(sample_size=16, **blocks, **sizes).eval()


@model("StableDiffusionPipeline", "diffusers", "a network driven by a scheduler, step by step", grows=False)
def pipeline() -> Any:
    from diffusers import DDIMScheduler, StableDiffusionPipeline
    from transformers import CLIPTextConfig, CLIPTextModel

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 12}
    text = CLIPTextModel(CLIPTextConfig(vocab_size=20, max_position_embeddings=8, **sizes))
    parts = {"vae": _autoencoder(), "text_encoder": text.eval(), "unet": _unet(), "tokenizer": None}
    pipe = StableDiffusionPipeline(
        scheduler=DDIMScheduler(num_train_timesteps=60, set_alpha_to_one=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
        **parts,
    )
    pipe.set_progress_bar_config(disable=True)
    options = {"num_inference_steps": 2, "guidance_scale": 1.0, "output_type": "latent", "return_dict": False}

    def one(seed: int) -> Call:
        given = {"latents": normal(seed, 1, 4, 8, 8), "prompt_embeds": normal(seed, 1, 3, 8)}
        return Call((), {**options, **given})

    return pipe.__call__, calls(one)
