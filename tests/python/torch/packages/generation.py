# SPDX-License-Identifier: Apache-2.0
"""Decoders that write token after token until they have said enough."""

from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, integers, louder, model, normal, redrawn

GREEDY = {"max_new_tokens": 5, "do_sample": False}
TINY = {"vocab_size": 11, "eos_token_id": [3, 4, 5], "bos_token_id": 1, "pad_token_id": 0}


def _gpt2(seed: int = 0, layers: int = 1) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    config = GPT2Config(n_positions=32, n_embd=8, n_layer=layers, n_head=2, **TINY)
    return GPT2LMHeadModel(config).eval()


def _prompts(length: int = 3, **options: Any) -> list[Call]:
    return calls(lambda s: Call((integers(s, 5, 1, length) + 6,), {**GREEDY, **options}))


@model("GPT2LMHeadModel.generate", "transformers", "when the text ends; keys and values kept")
def gpt2() -> Any:
    return louder(_gpt2(), 3.0).generate, _prompts()


@model(
    "GPT2LMHeadModel.generate, prompts of any length",
    "transformers",
    "when the text ends; how long the prompt is",
    dynamic_shapes={"inputs": {1: torch.export.Dim("length", min=2, max=8)}},
)
def gpt2_lengths() -> Any:
    return louder(_gpt2(), 3.0).generate, calls(lambda s: Call((integers(s, 5, 1, 3 + s % 4) + 6,), GREEDY))


@model("GPT2LMHeadModel.generate, assisted", "transformers", "how many guesses of the assistant are accepted")
def gpt2_assisted() -> Any:
    assistant = louder(_gpt2(seed=5), 3.0)
    assistant.generation_config.num_assistant_tokens = 3
    assistant.generation_config.num_assistant_tokens_schedule = "constant"
    assistant.generation_config.assistant_confidence_threshold = 0.0
    return louder(_gpt2(), 3.0).generate, _prompts(assistant_model=assistant)


@model("LlamaForCausalLM.generate", "transformers", "when the text ends; keys and values kept")
def llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(num_key_value_heads=1, max_position_embeddings=32, **sizes, **TINY)
    return redrawn(LlamaForCausalLM(config), 0, 0.5).generate, _prompts()


@model("MambaForCausalLM.generate", "transformers", "when the text ends; the state that is kept")
def mamba() -> Any:
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(hidden_size=8, state_size=4, num_hidden_layers=1, conv_kernel=3, **TINY)
    return louder(MambaForCausalLM(config), 3.0).generate, _prompts()


@model("T5ForConditionalGeneration.generate", "transformers", "when the text ends; two caches")
def t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 12, "num_layers": 1, "num_heads": 2, "vocab_size": 11}
    config = T5Config(decoder_start_token_id=0, eos_token_id=[3, 4, 5], pad_token_id=0, **sizes)
    return redrawn(T5ForConditionalGeneration(config), 2, 0.3).generate, _prompts(length=4)


@model(
    "BartForConditionalGeneration.generate with beams", "transformers", "which beams live, and when all end"
)
def bart() -> Any:
    from transformers import BartConfig, BartForConditionalGeneration

    sizes = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "max_position_embeddings": 32}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    widths = {"encoder_ffn_dim": 12, "decoder_ffn_dim": 12}
    config = BartConfig(
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        tie_word_embeddings=False,
        **sizes,
        **heads,
        **widths,
        **TINY,
    )
    network = redrawn(BartForConditionalGeneration(config), 3, 2.0)
    return network.generate, _prompts(length=4, num_beams=2, early_stopping=True)


@model("WhisperForConditionalGeneration.generate", "transformers", "when the transcript ends")
def whisper() -> Any:
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    sizes = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "num_mel_bins": 4}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    widths = {"encoder_ffn_dim": 12, "decoder_ffn_dim": 12}
    lengths = {"max_source_positions": 10, "max_target_positions": 16}
    config = WhisperConfig(
        decoder_start_token_id=2, suppress_tokens=[], **sizes, **heads, **widths, **lengths, **TINY
    )
    network = redrawn(WhisperForConditionalGeneration(config), 0, 0.3)
    return network.generate, calls(lambda s: Call((normal(s, 1, 4, 20) * 3,), GREEDY))


@model("SpeechT5ForTextToSpeech.generate_speech", "transformers", "when the voice stops", draws=True)
def speech_t5() -> Any:
    from transformers import SpeechT5Config, SpeechT5ForTextToSpeech

    sizes = {"hidden_size": 8, "encoder_layers": 1, "decoder_layers": 1, "num_mel_bins": 4, "vocab_size": 11}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "speech_decoder_prenet_units": 8}
    widths = {"encoder_ffn_dim": 12, "decoder_ffn_dim": 12, "speech_decoder_postnet_units": 8}
    config = SpeechT5Config(
        reduction_factor=2,
        speaker_embedding_dim=4,
        speech_decoder_prenet_dropout=0.0,
        **sizes,
        **heads,
        **widths,
    )
    network = redrawn(SpeechT5ForTextToSpeech(config), 4, 2.0)
    return network.generate_speech, calls(
        lambda s: Call(
            (integers(s, 7, 1, 4) + 4,),
            {"speaker_embeddings": normal(s, 1, 4), "threshold": 1.0, "maxlenratio": 3.0},
        )
    )
