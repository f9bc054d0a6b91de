# SPDX-License-Identifier: Apache-2.0
"""A text classifier with a classifier after each layer: it leaves where the answer's entropy is low."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import seeded, sharpen, threshold
from zoo.parts.samples import tokens
from zoo.parts.transformer import Layer

DYNAMIC = "leaves at the first layer whose entropy is low; returns a dataclass"
BATCHES = False
LENGTHS = {False: 32, True: 8}
VOCABULARY = 500


@dataclass
class Answer:
    logits: torch.Tensor
    layer: int
    entropies: list


def entropy(logits):
    log_p = F.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)


class DeeBert(nn.Module):
    def __init__(self, layers, width, heads, length, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Parameter(torch.randn(1, length, width))
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.classifiers = nn.ModuleList(nn.Linear(width, classes) for _ in range(layers))
        self.limits = [0.0] * (layers - 1)

    def embed(self, words):
        return self.embedding(words) + self.positions[:, : words.shape[1]]

    def forward(self, words):
        x = self.embed(words)
        entropies = []
        for number, layer in enumerate(self.layers):
            x, _ = layer(x)
            logits = self.classifiers[number](x[:, 0])
            entropies.append(entropy(logits))
            if number < len(self.limits) and entropies[-1].item() < self.limits[number]:
                break
        return Answer(logits, number, entropies)


@seeded(20)
def build(small=False):
    model = DeeBert(3, 16, 2, LENGTHS[small]) if small else DeeBert(12, 256, 4, LENGTHS[small])
    x = model.embed(torch.cat(tokens(1, 48 if small else 144, LENGTHS[small], VOCABULARY)))
    left = torch.ones(len(x), dtype=torch.bool)
    for number, layer in enumerate(model.layers):
        x, _ = layer(x)
        classifier = model.classifiers[number]
        sharpen(classifier, classifier(x[:, 0]))
        if number < len(model.limits):
            sure = -entropy(classifier(x[:, 0]))
            limit = threshold(sure[left], 1 / (len(model.layers) - number))
            model.limits[number] = -limit
            left &= sure <= limit
    return model


def inputs(seed, n, small=False):
    return [(words,) for words in tokens(seed, n, LENGTHS[small], VOCABULARY)]
