# SPDX-License-Identifier: Apache-2.0
"""Captions from ResNeXt-50's feature maps."""

from zoo.parts.calibration import seeded
from zoo.parts.captioning import Captioner, calibrated
from zoo.parts.resnet import Bottleneck, ResNet
from zoo.parts.samples import images

DYNAMIC = "one word a step, until the end token or max_steps"
BATCHES = False
SIZES = {False: 224, True: 64}


@seeded(44)
def build(small=False, max_steps=10):
    if small:
        encoder = ResNet(Bottleneck, [1, 1, 1, 1], width=8, groups=4, width_per_group=8)
        model = Captioner(encoder, encoder.channels, 50, embedding=16, hidden=32, max_steps=min(max_steps, 4))
    else:
        encoder = ResNet(Bottleneck, [3, 4, 6, 3], groups=32, width_per_group=4)
        model = Captioner(encoder, encoder.channels, 2000, max_steps=max_steps)
    return calibrated(model, SIZES[small], few=16 if small else 4, seed=5 if small else 7)


def inputs(seed, n, small=False):
    return [(picture,) for picture in images(seed, n, SIZES[small])]
