# SPDX-License-Identifier: Apache-2.0
"""A detector, a verifier for what it finds, a refiner for what is verified: each asked only if needed."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import centre, seeded, settle
from zoo.parts.resnet import BasicBlock, cifar_stem
from zoo.parts.samples import images

DYNAMIC = "if in if in if; dict results with different keys per path"
BATCHES = False
SIZES = {False: 48, True: 16}


class Stage(nn.Module):
    """A few blocks, and a score."""

    def __init__(self, inputs, channels, blocks):
        super().__init__()
        self.blocks = nn.Sequential(
            BasicBlock(inputs, channels, 2), *[BasicBlock(channels, channels) for _ in range(blocks - 1)]
        )
        self.score = nn.Linear(channels, 1)

    def forward(self, x):
        x = self.blocks(x)
        return x, self.score(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Cascade(nn.Module):
    def __init__(self, width, blocks):
        super().__init__()
        self.stem = cifar_stem(width)
        self.detector = Stage(width, 2 * width, blocks)
        self.verifier = Stage(2 * width, 4 * width, blocks)
        self.refiner = Stage(4 * width, 8 * width, blocks)
        self.box = nn.Linear(4 * width, 4)
        self.offset = nn.Linear(8 * width, 4)

    def forward(self, picture):
        features, found = self.detector(self.stem(picture))
        result = {"found": found}
        if found > 0:
            features, real = self.verifier(features)
            result["real"] = real
            if real > 0:
                box = self.box(features.mean(dim=(2, 3)))
                features, unsure = self.refiner(features)
                if unsure.item() > 0:
                    offset = self.offset(features.amax(dim=(2, 3)))
                    result["box"] = box + 0.1 * torch.tanh(offset)
                    result["offset"] = offset
                else:
                    result["box"] = box
            else:
                result["reason"] = "not verified"
        return result

    def every_stage(self, x):
        x = self.stem(x)
        for stage in (self.detector, self.verifier, self.refiner):
            x, _ = stage(x)


@seeded(25)
def build(small=False):
    model = Cascade(4, 1) if small else Cascade(16, 3)
    pictures = torch.cat(images(1, 64, SIZES[small]))
    settle(model, lambda: model.every_stage(pictures))
    x = model.stem(pictures)
    for stage, share in ((model.detector, 0.75), (model.verifier, 0.7), (model.refiner, 0.5)):
        features, score = stage(x)
        centre(stage.score, score, share=share)
        x = features[stage(x)[1].flatten() > 0]
    return model


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
