# SPDX-License-Identifier: Apache-2.0
"""What the two SkipNets share."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import settle
from zoo.parts.resnet import cifar_blocks, cifar_stem
from zoo.parts.samples import images


class Backbone(nn.Module):
    def __init__(self, per_stage, width):
        super().__init__()
        self.stem = cifar_stem(width)
        self.blocks = cifar_blocks(per_stage, width)
        self.classifier = nn.Linear(4 * width, 10)

    def classify(self, x):
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))

    def every_block(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.classify(x)


def skip_or_run(opened, block, x):
    """Block by block, each picture of the batch on its own."""
    return torch.where(opened.view(-1, 1, 1, 1), block(x), block.shortcut(x))


def settled_pictures(model, size, count=48):
    pictures = torch.cat(images(1, count, size))
    settle(model, lambda: model.every_block(pictures))
    return pictures
