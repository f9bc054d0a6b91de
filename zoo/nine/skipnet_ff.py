# SPDX-License-Identifier: Apache-2.0
"""ResNet-38 in which a small gate before each block decides whether it runs."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import centre, seeded
from zoo.parts.samples import images
from zoo.parts.skipping import Backbone, settled_pictures, skip_or_run

DYNAMIC = "block i runs only if its feed-forward gate opens"
BATCHES = False
SIZES = {False: 32, True: 16}


class Gate(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, 2, 1, bias=False)
        self.bn = nn.BatchNorm2d(channels)
        self.linear = nn.Linear(channels, 1)

    def score(self, x):
        x = F.relu(self.bn(self.conv(x)))
        return self.linear(F.adaptive_avg_pool2d(x, 1).flatten(1))

    def forward(self, x):
        return torch.sigmoid(self.score(x))


class SkipNet(Backbone):
    def __init__(self, per_stage, width):
        super().__init__(per_stage, width)
        self.gates = nn.ModuleList(Gate(block.conv1.in_channels) for block in self.blocks)

    def forward(self, x):
        x = self.stem(x)
        taken = []
        for number, (block, gate) in enumerate(zip(self.blocks, self.gates)):
            if gate(x).item() > 0.5:
                x = block(x)
                taken.append(number)
            else:
                x = block.shortcut(x)
        return self.classify(x), taken

    def every_block(self, x):
        x = self.stem(x)
        for block, gate in zip(self.blocks, self.gates):
            gate(x)
            x = block(x)
        return self.classify(x)


@seeded(14)
def build(small=False):
    model = SkipNet(1, 4) if small else SkipNet(6, 16)
    x = model.stem(settled_pictures(model, SIZES[small]))
    for block, gate in zip(model.blocks, model.gates):
        centre(gate.linear, gate.score(x))
        x = skip_or_run(gate.score(x) > 0, block, x)
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
