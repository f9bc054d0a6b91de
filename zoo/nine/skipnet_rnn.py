# SPDX-License-Identifier: Apache-2.0
"""ResNet-38 in which one LSTM, shared by all blocks, decides from block to block what runs."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import centre, seeded
from zoo.parts.samples import images
from zoo.parts.skipping import Backbone, settled_pictures, skip_or_run

DYNAMIC = "block i runs only if the recurrent gate opens; its state lives on self"
BATCHES = False
SIZES = {False: 32, True: 16}


class RecurrentGate(nn.Module):
    def __init__(self, embedding=10, hidden=10):
        super().__init__()
        self.lstm = nn.LSTM(embedding, hidden)
        self.linear = nn.Linear(hidden, 1)
        self.hidden = None

    def reset(self, x):
        zeros = torch.zeros(1, x.shape[0], self.lstm.hidden_size, dtype=x.dtype)
        self.hidden = (zeros, zeros)

    def score(self, embedded):
        out, self.hidden = self.lstm(embedded.unsqueeze(0), self.hidden)
        return self.linear(out.squeeze(0))

    def forward(self, embedded):
        return torch.sigmoid(self.score(embedded))


class SkipNet(Backbone):
    def __init__(self, per_stage, width):
        super().__init__(per_stage, width)
        self.gate = RecurrentGate()
        self.embeddings = nn.ModuleList(
            nn.Linear(block.conv1.in_channels, self.gate.lstm.input_size) for block in self.blocks
        )

    def embed(self, number, x):
        return self.embeddings[number](F.adaptive_avg_pool2d(x, 1).flatten(1))

    def forward(self, x):
        self.gate.reset(x)
        x = self.stem(x)
        taken = []
        for number, block in enumerate(self.blocks):
            if self.gate(self.embed(number, x)) > 0.5:
                x = block(x)
                taken.append(number)
            else:
                x = block.shortcut(x)
        return self.classify(x), taken


@seeded(15)
def build(small=False):
    model = SkipNet(1, 4) if small else SkipNet(6, 16)
    pictures = settled_pictures(model, SIZES[small])
    x = model.stem(pictures)
    model.gate.reset(pictures)
    scores = []
    for number, block in enumerate(model.blocks):
        centre(model.embeddings[number], model.embed(number, x), width=3.0)
        scores.append(model.gate.score(model.embed(number, x)))
        x = skip_or_run(scores[-1] > scores[-1].median(), block, x)
    centre(model.gate.linear, torch.cat(scores))
    model.gate.hidden = None
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
