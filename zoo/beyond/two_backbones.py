# SPDX-License-Identifier: Apache-2.0
"""A cheap router looks at a small form of the picture: ResNet-18 for easy ones, ResNet-101 for hard ones."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import centre, seeded, settle
from zoo.parts.resnet import BasicBlock, Bottleneck, ResNet
from zoo.parts.samples import images

DYNAMIC = "one of two networks runs; the other may cost nothing"
BATCHES = False
SIZES = {False: 128, True: 32}


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, 2, 1)
        self.linear = nn.Linear(8, 1)

    def forward(self, x):
        x = F.relu(self.conv(F.avg_pool2d(x, 4)))
        return self.linear(x.mean(dim=(2, 3)))


class TwoBackbones(nn.Module):
    def __init__(self, light, heavy):
        super().__init__()
        self.router = Router()
        self.light = light
        self.heavy = heavy

    def forward(self, x):
        hard = torch.sigmoid(self.router(x)) > 0.5
        return self.heavy(x) if hard else self.light(x)


@seeded(24)
def build(small=False):
    if small:
        model = TwoBackbones(
            ResNet(BasicBlock, [1, 1, 1, 1], 10, width=4), ResNet(Bottleneck, [1, 1, 1, 1], 10, width=4)
        )
    else:
        model = TwoBackbones(ResNet(BasicBlock, [2, 2, 2, 2], 100), ResNet(Bottleneck, [3, 4, 23, 3], 100))
    pictures = torch.cat(images(1, 12, SIZES[small]))
    settle(model.light, lambda: model.light(pictures))
    settle(model.heavy, lambda: model.heavy(pictures))
    centre(model.router.linear, model.router(pictures))
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
