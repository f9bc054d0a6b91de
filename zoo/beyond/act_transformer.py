# SPDX-License-Identifier: Apache-2.0
"""Adaptive computation time: one layer is applied until every position has thought enough."""

import torch
from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.samples import tokens
from zoo.parts.transformer import Layer

DYNAMIC = "while with a halting sum per position, not bounded in the source"
BATCHES = True
LENGTHS = {False: 24, True: 6}
VOCABULARY = 200


class ActTransformer(nn.Module):
    def __init__(self, width, heads, length, enough=0.99):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Parameter(torch.randn(1, length, width))
        self.layer = Layer(width, heads)
        self.halting = nn.Linear(width, 1)
        self.frequencies = nn.Parameter(torch.logspace(0, -2, width), requires_grad=False)
        self.enough = enough
        self.classifier = nn.Linear(width, 5)

    def forward(self, words):
        state = self.embedding(words) + self.positions[:, : words.shape[1]]
        halted = torch.zeros(words.shape, dtype=state.dtype)
        remainders = torch.zeros_like(halted)
        thought = torch.zeros_like(state)
        steps = 0
        while (halted < self.enough).any():
            state = state + torch.sin(steps * self.frequencies)
            p = torch.sigmoid(self.halting(state)).squeeze(-1)
            running = (halted < self.enough).to(p.dtype)
            stops = (halted + p * running > self.enough).to(p.dtype) * running
            goes_on = running - stops
            weight = p * goes_on + (1 - halted) * stops
            remainders = remainders + (1 - halted) * stops
            halted = halted + weight
            state, _ = self.layer(state)
            thought = thought * (1 - weight.unsqueeze(-1)) + state * weight.unsqueeze(-1)
            steps += 1
        return self.classifier(thought.mean(dim=1)), steps, remainders


@seeded(21)
def build(small=False):
    model = ActTransformer(16, 2, LENGTHS[small]) if small else ActTransformer(128, 4, LENGTHS[small])
    nn.init.normal_(model.halting.weight, std=2 / model.halting.in_features**0.5)
    nn.init.constant_(model.halting.bias, -1.0)
    return model


def inputs(seed, n, small=False):
    return [(words,) for words in tokens(seed, n, LENGTHS[small], VOCABULARY)]
