# SPDX-License-Identifier: Apache-2.0
"""ResNet-56 with six internal classifiers."""

from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.resnet import cifar_blocks, cifar_stem
from zoo.parts.samples import images
from zoo.parts.shallow_deep import ShallowDeep, calibrated

DYNAMIC = "returns at the first classifier whose softmax maximum passes its threshold"
BATCHES = True
SIZES = {False: 32, True: 16}


@seeded(12)
def build(small=False):
    width = 4 if small else 16
    blocks = cifar_blocks(1 if small else 9, width)
    exits = [0, 1] if small else [3, 7, 11, 15, 19, 23]
    channels = {number: blocks[number].conv2.out_channels for number in exits}
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, 10))
    return calibrated(ShallowDeep(cifar_stem(width), blocks, head, channels), SIZES[small])


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
