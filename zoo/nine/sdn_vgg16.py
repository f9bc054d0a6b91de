# SPDX-License-Identifier: Apache-2.0
"""VGG-16 with batch norm and six internal classifiers."""

from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.samples import images
from zoo.parts.shallow_deep import ShallowDeep, calibrated

DYNAMIC = "returns at the first classifier whose softmax maximum passes its threshold"
BATCHES = True
SIZES = {False: 32, True: 16}
# channels of each convolution, and whether the pixels are halved behind it
PLAN = [(64, False), (64, True), (128, False), (128, True), (256, False), (256, False), (256, True)]
PLAN += [(512, False), (512, False), (512, True)] * 2


def convolution(inputs, outputs, halved):
    layers = [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
    if halved:
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers)


@seeded(11)
def build(small=False):
    plan = [(8, False), (8, True), (16, False), (16, True)] if small else PLAN
    exits = [0, 2] if small else [1, 3, 5, 7, 9, 11]
    channels, blocks = 3, []
    for outputs, halved in plan:
        blocks.append(convolution(channels, outputs, halved))
        channels = outputs
    head = nn.Sequential(
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(channels, channels),
        nn.ReLU(),
        nn.Dropout(),
        nn.Linear(channels, 10),
    )
    model = ShallowDeep(nn.Identity(), blocks, head, {number: plan[number][0] for number in exits})
    return calibrated(model, SIZES[small], share=1.0)


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
