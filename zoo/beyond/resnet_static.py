# SPDX-License-Identifier: Apache-2.0
"""The control: nothing in it depends on the input."""

import torch

from zoo.parts.calibration import seeded, settle
from zoo.parts.resnet import BasicBlock, ResNet
from zoo.parts.samples import images

DYNAMIC = "none: direct compilation must be right, too"
BATCHES = True
SIZES = {False: 64, True: 32}


@seeded(28)
def build(small=False):
    model = ResNet(BasicBlock, [1, 1, 1, 1] if small else [2, 2, 2, 2], 10, width=4 if small else 64)
    pictures = torch.cat(images(1, 16, SIZES[small]))
    settle(model, lambda: model(pictures))
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
