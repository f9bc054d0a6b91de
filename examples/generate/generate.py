# SPDX-License-Identifier: Apache-2.0
"""Compiles generate() of a small GPT-2 and of a small Llama, as transformers ships them, for generate.cpp."""

import time
from pathlib import Path
from typing import Any

import dycl
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

LETTERS = ".abcdefghijklmnopqrstuvwxyz"  # a text ends with the full stop
END = 0
PROMPTS = ["we", "the cat", "a longer story", "x"]
GREEDY = {"max_new_tokens": 16, "do_sample": False}
COMMON = {"vocab_size": len(LETTERS), "bos_token_id": END, "eos_token_id": END, "pad_token_id": END}


def gpt2() -> Any:
    torch.manual_seed(2)
    return GPT2LMHeadModel(GPT2Config(n_positions=64, n_embd=64, n_layer=2, n_head=4, **COMMON)).eval()


def llama() -> Any:
    torch.manual_seed(2)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(max_position_embeddings=64, num_key_value_heads=2, **sizes, **COMMON)
    return LlamaForCausalLM(config).eval()


def numbers(text: str) -> torch.Tensor:
    return torch.tensor([[LETTERS.index(letter) for letter in text if letter in LETTERS]])


def text(tokens: torch.Tensor) -> str:
    return "".join(LETTERS[token] for token in tokens[0])


def seconds(generate: Any, prompts: list[torch.Tensor]) -> float:
    """The shortest of five rounds over all prompts."""
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        for prompt in prompts:
            generate(prompt, **GREEDY)
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    torch.set_num_threads(1)  # the matrices are tiny
    prompts = [numbers(prompt) for prompt in PROMPTS]
    lengths = torch.export.Dim("length", min=1, max=32)
    for name, model in (("gpt2", gpt2()), ("llama", llama())):
        for weight in model.parameters():
            weight.data *= 4  # untrained and small, they would give the same letter for ever
        program = dycl.compile(model.generate, (prompts[0],), GREEDY, dynamic_shapes={"inputs": {1: lengths}})
        program.save(f"{name}.dycl")
        for prompt in prompts:
            said = model.generate(prompt, **GREEDY)
            assert torch.equal(program(prompt, **GREEDY), said)
            print(f"{name}: {text(said)}")
        ratio = seconds(model.generate, prompts) / seconds(program, prompts)
        Path(f"{name}.speed").write_text(f"{ratio:.1f}")


if __name__ == "__main__":
    main()
