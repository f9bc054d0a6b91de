# SPDX-License-Identifier: Apache-2.0
"""Two small models with few distinct sub-DNNs: each costs seconds of g++."""

import torch
from torch import nn


class Gated(nn.Module):
    """Three blocks of one structure and different weights, each behind a gate."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        taken = 0
        for block in self.blocks:
            if x.mean() > 0:
                x = torch.relu(block(x)) - 0.2
                taken += 1
        return {"y": x, "taken": taken}


class Settling(nn.Module):
    """A loop whose length depends on its input, at any batch size."""

    def forward(self, x):
        steps = 0
        while x.abs().max() > 1:
            x = x * 0.5
            steps += 1
        return x, steps


def gated():
    torch.manual_seed(0)
    net = Gated().eval()
    inputs = [(torch.randn(2, 4, generator=torch.Generator().manual_seed(n)) + n % 3 - 1,) for n in range(12)]
    return net, inputs


def settling():
    inputs = [(torch.randn(1 + n % 4, 3) * 2.0**n,) for n in range(6)]
    return Settling().eval(), inputs
