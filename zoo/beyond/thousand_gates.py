# SPDX-License-Identifier: Apache-2.0
"""n tiny gated layers: how compile time, memory and dispatch grow."""

import torch
from torch import nn

from zoo.parts.calibration import centre, seeded
from zoo.parts.samples import vectors

DYNAMIC = "each of n layers runs only if its gate opens"
BATCHES = False
WIDTH = 8


class Gates(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(n))
        self.gates = nn.ModuleList(nn.Linear(WIDTH, 1) for _ in range(n))

    def forward(self, x):
        ran = 0
        for layer, gate in zip(self.layers, self.gates):
            if gate(x) > 0:
                x = torch.tanh(layer(x))
                ran += 1
        return x, ran


@seeded(29)
def build(small=False, n=None):
    model = Gates(n or (12 if small else 250))
    x = torch.cat(vectors(1, 64, 1, WIDTH))
    for layer, gate in zip(model.layers, model.gates):
        nn.init.orthogonal_(layer.weight, gain=1.1)
        centre(gate, gate(x))
        x = torch.where(gate(x) > 0, torch.tanh(layer(x)), x)
    return model


def inputs(seed, n, small=False):
    return [(x,) for x in vectors(seed, n, 1, WIDTH)]
