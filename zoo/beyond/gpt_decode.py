# SPDX-License-Identifier: Apache-2.0
"""Greedy decoding with keys and values kept: the cache grows by one token a step."""

import torch
from torch import nn

from zoo.parts.calibration import seeded, threshold
from zoo.parts.samples import tokens
from zoo.parts.transformer import Layer

DYNAMIC = "key/value caches grow by cat; a list of tokens; stops at the end token or the longest length"
BATCHES = False
LENGTHS = {False: 8, True: 3}
VOCABULARY = 200
END = 0


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, longest):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(longest, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY)
        self.longest = longest

    def step(self, words, caches, position):
        length = words.shape[1]
        x = self.embedding(words) + self.positions(torch.arange(position, position + length))
        mask = None
        if length > 1:
            mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        grown = []
        for number, layer in enumerate(self.layers):
            x, cache = layer(x, mask, caches[number] if caches is not None else None)
            grown.append(cache)
        return self.head(self.norm(x[:, -1])), grown

    def forward(self, prompt):
        logits, caches = self.step(prompt, None, 0)
        spoken = []
        position = prompt.shape[1]
        while position < self.longest:
            word = logits.argmax(dim=-1)
            if word.item() == END:
                break
            spoken.append(word.item())
            logits, caches = self.step(word.unsqueeze(0), caches, position)
            position += 1
        return {"tokens": spoken, "logits": logits, "keys": [k for k, _ in caches]}


@seeded(78)
def build(small=False):
    model = Gpt(2, 16, 2, 8) if small else Gpt(6, 192, 6, 40)
    for layer in model.layers:
        layer.attention.qkv.weight *= 3
        layer.mlp[2].weight *= 3
    margins = []
    for prompt in tokens(1, 16, LENGTHS[small], VOCABULARY):
        logits, caches = model.step(prompt, None, 0)
        for position in range(prompt.shape[1], model.longest):
            best = logits[0, 1:].max(dim=0)
            margins.append(float(logits[0, END] - best.values))
            logits, caches = model.step(best.indices.view(1, 1) + 1, caches, position)
    model.head.bias[END] -= threshold(margins, 0.15 if small else 0.06)
    return model


def inputs(seed, n, small=False):
    return [(prompt,) for prompt in tokens(seed, n, LENGTHS[small], VOCABULARY)]
