# SPDX-License-Identifier: Apache-2.0
"""Captions from GoogLeNet's feature maps."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.captioning import Captioner, calibrated
from zoo.parts.samples import images

DYNAMIC = "one word a step, until the end token or max_steps"
BATCHES = False
SIZES = {False: 224, True: 64}
# Per module: 1x1, 3x3 reduced, 3x3, 5x5 reduced, 5x5, pooled; None halves the pixels.
PLAN = [(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None]
PLAN += [(192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64)]
PLAN += [(112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128), None]
PLAN += [(256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]


class Convolution(nn.Module):
    def __init__(self, inputs, outputs, size, **options):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, bias=False, **options)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)), inplace=True)


class Inception(nn.Module):
    def __init__(self, inputs, one, reduce3, three, reduce5, five, pooled):
        super().__init__()
        self.branches = nn.ModuleList(
            [
                Convolution(inputs, one, 1),
                nn.Sequential(Convolution(inputs, reduce3, 1), Convolution(reduce3, three, 3, padding=1)),
                nn.Sequential(Convolution(inputs, reduce5, 1), Convolution(reduce5, five, 5, padding=2)),
                nn.Sequential(
                    nn.MaxPool2d(3, stride=1, padding=1, ceil_mode=True), Convolution(inputs, pooled, 1)
                ),
            ]
        )
        self.channels = one + three + five + pooled

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], dim=1)


class GoogLeNet(nn.Module):
    def __init__(self, plan, width=64):
        super().__init__()
        self.stem = nn.Sequential(
            Convolution(3, width, 7, stride=2, padding=3),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Convolution(width, width, 1),
            Convolution(width, 3 * width, 3, padding=1),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
        )
        modules, self.channels = [], 3 * width
        for row in plan:
            if row is None:
                modules.append(nn.MaxPool2d(3, stride=2, ceil_mode=True))
            else:
                modules.append(Inception(self.channels, *row))
                self.channels = modules[-1].channels
        self.inceptions = nn.Sequential(*modules)

    def forward(self, x):
        return self.inceptions(self.stem(x))


@seeded(43)
def build(small=False, max_steps=10):
    if small:
        encoder = GoogLeNet([(8, 4, 8, 4, 8, 8), None, (16, 8, 16, 4, 8, 8)], width=8)
        model = Captioner(encoder, encoder.channels, 50, embedding=16, hidden=32, max_steps=min(max_steps, 4))
    else:
        encoder = GoogLeNet(PLAN)
        model = Captioner(encoder, encoder.channels, 2000, max_steps=max_steps)
    return calibrated(model, SIZES[small], few=16 if small else 4, seed=13 if small else 6)


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
