# SPDX-License-Identifier: Apache-2.0
"""MobileNet for small pictures with six internal classifiers."""

import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.resnet import cifar_stem
from zoo.parts.samples import images
from zoo.parts.shallow_deep import ShallowDeep, calibrated

DYNAMIC = "returns at the first classifier whose softmax maximum passes its threshold"
BATCHES = True
SIZES = {False: 32, True: 16}
PLAN = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


class SeparableBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.depthwise = nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False)
        nn.init.uniform_(self.depthwise.weight, 0, 0.3)  # blurs: random signs make rounding errors grow
        self.bn1 = nn.BatchNorm2d(inputs)
        self.pointwise = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)

    def forward(self, x):
        x = F.relu(self.bn1(self.depthwise(x)))
        return F.relu(self.bn2(self.pointwise(x)))


@seeded(10)
def build(small=False):
    plan = [(8, 1), (16, 2), (16, 1), (32, 2)] if small else PLAN
    exits = [0, 2] if small else [1, 3, 5, 7, 9, 11]
    channels = 8 if small else 32
    stem, blocks = cifar_stem(channels), []
    for outputs, stride in plan:
        blocks.append(SeparableBlock(channels, outputs, stride))
        channels = outputs
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))
    model = ShallowDeep(stem, blocks, head, {number: plan[number][0] for number in exits})
    return calibrated(model, SIZES[small], count=48 if small else 96)


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
