# SPDX-License-Identifier: Apache-2.0
"""Residual blocks and networks."""

import torch.nn.functional as F
from torch import nn


class PadShortcut(nn.Module):
    """A shortcut without weights: every second pixel, and new channels of zeros."""

    def __init__(self, channels):
        super().__init__()
        self.channels = channels

    def forward(self, x):
        more = self.channels - x.shape[1]
        return F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, more // 2, more - more // 2))


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Identity() if stride == 1 and inputs == planes else PadShortcut(planes)

    def residual(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return self.bn2(self.conv2(x))

    def forward(self, x):
        return F.relu(self.residual(x) + self.shortcut(x))


class Bottleneck(nn.Module):
    """With groups and their width it is ResNeXt's."""

    expansion = 4

    def __init__(self, inputs, planes, stride=1, groups=1, width_per_group=64):
        super().__init__()
        middle = planes * width_per_group // 64 * groups
        outputs = planes * self.expansion
        self.conv1 = nn.Conv2d(inputs, middle, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(middle)
        self.conv2 = nn.Conv2d(middle, middle, 3, stride, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(middle)
        self.conv3 = nn.Conv2d(middle, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        nn.init.constant_(self.bn3.weight, 0.3)  # deep stacks begin close to their shortcuts
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


def cifar_stem(channels):
    return nn.Sequential(nn.Conv2d(3, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU())


def cifar_blocks(per_stage, width=16):
    """Three stages, each of half the pixels and twice the channels: 6 * per_stage + 2 layers."""
    blocks, channels = [], width
    for planes in (width, 2 * width, 4 * width):
        for number in range(per_stage):
            blocks.append(BasicBlock(channels, planes, 2 if number == 0 and planes != width else 1))
            channels = planes
    return nn.ModuleList(blocks)


class ResNet(nn.Module):
    """For large pictures: a stem, four stages, and a classifier (none: feature maps)."""

    def __init__(self, block, layers, classes=None, width=64, **options):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )
        stages, channels = [], width
        for stage, count in enumerate(layers):
            for number in range(count):
                planes = width * 2**stage
                stride = 2 if stage > 0 and number == 0 else 1
                stages.append(block(channels, planes, stride, **options))
                channels = planes * block.expansion
        self.stages = nn.Sequential(*stages)
        self.channels = channels
        self.classifier = nn.Linear(channels, classes) if classes else None

    def forward(self, x):
        x = self.stages(self.stem(x))
        if self.classifier is None:
            return x
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))
