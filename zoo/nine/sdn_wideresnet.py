# SPDX-License-Identifier: Apache-2.0
"""WideResNet-32-4 with six internal classifiers."""

import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.samples import images
from zoo.parts.shallow_deep import ShallowDeep, calibrated

DYNAMIC = "returns at the first classifier whose softmax maximum passes its threshold"
BATCHES = True
SIZES = {False: 32, True: 16}


class WideBlock(nn.Module):
    """Norms come before convolutions, and a dropout between them."""

    def __init__(self, inputs, outputs, stride, dropout=0.3):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.dropout = dropout
        self.equal = inputs == outputs
        self.shortcut = None if self.equal else nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        if not self.equal:
            x = F.relu(self.bn1(x))
            out = self.conv1(x)
        else:
            out = self.conv1(F.relu(self.bn1(x)))
        out = F.relu(self.bn2(out))
        if self.dropout > 0:
            out = F.dropout(out, p=self.dropout, training=self.training)
        out = self.conv2(out)
        return out + (x if self.equal else self.shortcut(x))


@seeded(13)
def build(small=False):
    width, per_stage = (4, 2) if small else (64, 5)
    blocks, channels, exits = [], width // 4, {}
    stem = nn.Conv2d(3, channels, 3, 1, 1, bias=False)
    for planes in (width, 2 * width, 4 * width):
        for number in range(per_stage):
            blocks.append(WideBlock(channels, planes, 2 if number == 0 and planes != width else 1))
            channels = planes
    for number in [1, 3] if small else [1, 3, 5, 7, 9, 12]:
        exits[number] = blocks[number].conv2.out_channels
    head = nn.Sequential(
        nn.BatchNorm2d(channels), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10)
    )
    return calibrated(ShallowDeep(stem, blocks, head, exits), SIZES[small], count=24)


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
