# SPDX-License-Identifier: Apache-2.0
"""Encoders of text, experts, and the parts of decoding that look at one step."""

from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, integers, mask_of, model, normal, redrawn
from torch import nn

SIZES = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12}
LENGTHS = [(6, 6), (1, 6), (6, 2), (3, 4), (1, 1), (5, 2)]


def _padded(seed: int, vocabulary: int = 20) -> Call:
    kept = mask_of(list(LENGTHS[seed]), 6)
    tokens = torch.where(kept, integers(seed, vocabulary - 3, 2, 6) + 3, 0)
    return Call((), {"input_ids": tokens, "attention_mask": kept.long()})


@model("BertModel", "transformers", "the tokens that are masked")
def bert() -> Any:
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(vocab_size=20, **SIZES)).eval(), calls(_padded)


@model("LongformerModel", "transformers", "whether any token, and which, is global")
def longformer() -> Any:
    from transformers import LongformerConfig, LongformerModel

    config = LongformerConfig(vocab_size=20, attention_window=4, pad_token_id=0, **SIZES)
    counts = [0, 1, 2, 0, 3, 1]

    def one(seed: int) -> Call:
        everywhere = integers(seed + 5, 8, 1, 8).argsort() < counts[seed]
        tokens = integers(seed, 17, 1, 8) + 3
        return Call(
            (),
            {
                "input_ids": tokens,
                "attention_mask": torch.ones_like(tokens),
                "global_attention_mask": everywhere.long(),
            },
        )

    return LongformerModel(config).eval(), calls(one)


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


@model("MixtralForCausalLM", "transformers", "the experts that are hit (a loop), the tokens of each")
def mixtral_model() -> Any:
    from transformers import MixtralConfig, MixtralForCausalLM

    experts = {"num_local_experts": 4, "num_experts_per_tok": 1, "num_key_value_heads": 1, "head_dim": 4}
    config = MixtralConfig(vocab_size=20, use_cache=False, **experts, **SIZES)
    network = redrawn(MixtralForCausalLM(config), 0, 0.5)
    network.set_experts_implementation("eager")
    return network, calls(lambda s: Call((), {"input_ids": integers(s, 20, 1, 4)}))


@model(
    "SwitchTransformersSparseMLP",
    "transformers",
    "the experts that are hit (a loop), the tokens of each",
)
def switch() -> Any:
    from transformers import SwitchTransformersConfig
    from transformers.models.switch_transformers.modeling_switch_transformers import (
        SwitchTransformersSparseMLP,
    )

    config = SwitchTransformersConfig(d_model=8, d_ff=12, num_experts=3, expert_capacity=2)
    return SwitchTransformersSparseMLP(config).eval(), calls(lambda s: (normal(s, 1, 4, 8) * 3,))


@model("DeepseekV3MoE", "transformers", "groups of experts, the experts that are hit")
def deepseek() -> Any:
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE

    routing = {
        "n_routed_experts": 6,
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "n_group": 3,
        "topk_group": 2,
    }
    config = DeepseekV3Config(hidden_size=8, moe_intermediate_size=6, **routing)
    config._experts_implementation = "eager"
    block = redrawn(DeepseekV3MoE(config), 0, 0.5)
    return block, calls(lambda s: (normal(s, 1, 2, 8),))


@model("NoRepeatNGramLogitsProcessor", "transformers", "which tokens are forbidden", grows=False)
def no_repeat_ngram() -> Any:
    from transformers.generation.logits_process import NoRepeatNGramLogitsProcessor

    return NoRepeatNGramLogitsProcessor(2).__call__, calls(lambda s: (integers(s, 3, 1, 6), normal(s, 1, 5)))


@model("TopPLogitsWarper", "transformers", "which tokens are left", grows=False)
def top_p() -> Any:
    from transformers.generation.logits_process import TopPLogitsWarper

    return TopPLogitsWarper(0.7).__call__, calls(lambda s: (integers(s, 3, 1, 6), normal(s, 1, 5)))


@model("WhisperTimeStampLogitsProcessor", "transformers", "which time stamps may follow")
def time_stamps() -> Any:
    from transformers import GenerationConfig
    from transformers.generation.logits_process import WhisperTimeStampLogitsProcessor

    config = GenerationConfig(eos_token_id=5, bos_token_id=4, max_initial_timestamp_index=2)
    config.no_timestamps_token_id = 6
    process = WhisperTimeStampLogitsProcessor(config, begin_index=2)
    return process.__call__, calls(lambda s: (integers(s, 14, 2, 5), normal(s, 2, 14) * 2))


@model("EosTokenCriteria", "transformers", "whether each row has ended", grows=False)
def eos_criteria() -> Any:
    from transformers.generation.stopping_criteria import EosTokenCriteria

    return EosTokenCriteria(3).__call__, calls(lambda s: (integers(s, 5, 2, 5), torch.zeros(2, 5)))
