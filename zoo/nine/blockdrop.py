# SPDX-License-Identifier: Apache-2.0
"""ResNet-110 whose blocks are chosen beforehand, by a small network that looks at the picture."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import centre, seeded
from zoo.parts.samples import images
from zoo.parts.skipping import Backbone, settled_pictures

DYNAMIC = "the policy's binary vector decides which blocks run"
BATCHES = True
SIZES = {False: 32, True: 16}


class BlockDrop(Backbone):
    def __init__(self, per_stage, width):
        super().__init__(per_stage, width)
        self.policy = Backbone(1, width)
        self.policy.classifier = nn.Linear(4 * width, len(self.blocks))

    def forward(self, x):
        policy = (torch.sigmoid(self.policy.every_block(x)) > 0.5).float()
        x = self.stem(x)
        for number, block in enumerate(self.blocks):
            action = policy[:, number]
            residual = block.shortcut(x)
            if action.sum() == 0:
                x = residual
            else:
                x = F.relu(residual + block.residual(x) * action.view(-1, 1, 1, 1))
        return self.classify(x), policy


@seeded(16)
def build(small=False):
    model = BlockDrop(1, 4) if small else BlockDrop(18, 16)
    pictures = settled_pictures(model, SIZES[small])
    settled_pictures(model.policy, SIZES[small])
    centre(model.policy.classifier, model.policy.every_block(pictures))
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
