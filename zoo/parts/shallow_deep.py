# SPDX-License-Identifier: Apache-2.0
"""Shallow-deep networks: internal classifiers, and a return at the first that is sure."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import settle, sharpen, threshold
from zoo.parts.samples import images


class InternalClassifier(nn.Module):
    """Reduces the features by a learned mixture of max and average pooling."""

    def __init__(self, channels, classes, pixels=2):
        super().__init__()
        self.pixels = pixels
        self.alpha = nn.Parameter(torch.rand(1))
        self.linear = nn.Linear(channels * pixels * pixels, classes)

    def forward(self, x):
        alpha = torch.sigmoid(self.alpha)
        largest = F.adaptive_max_pool2d(x, self.pixels)
        average = F.adaptive_avg_pool2d(x, self.pixels)
        mixed = alpha * largest + (1 - alpha) * average
        return self.linear(mixed.flatten(1))


class ShallowDeep(nn.Module):
    """`exits`: the blocks (by number) that a classifier follows, and their channels."""

    def __init__(self, stem, blocks, head, exits, classes=10):
        super().__init__()
        self.stem = stem
        self.blocks = nn.ModuleList(blocks)
        self.head = head
        self.classifiers = nn.ModuleDict(
            {str(block): InternalClassifier(channels, classes) for block, channels in exits.items()}
        )
        self.thresholds = dict.fromkeys(self.classifiers, 0.5)

    def forward(self, x):
        x = self.stem(x)
        for number, block in enumerate(self.blocks):
            x = block(x)
            name = str(number)
            if name in self.classifiers:
                logits = self.classifiers[name](x)
                confidence = F.softmax(logits, dim=1).max(dim=1).values
                if confidence.min() > self.thresholds[name]:
                    return {"logits": logits, "exit": number, "early": True}
        return {"logits": self.head(x), "exit": len(self.blocks), "early": False}

    def all_exits(self, x):
        """What training looks at: every classifier's answer."""
        x = self.stem(x)
        outputs = []
        for number, block in enumerate(self.blocks):
            x = block(x)
            if str(number) in self.classifiers:
                outputs.append(self.classifiers[str(number)](x))
        outputs.append(self.head(x))
        return outputs


def calibrated(model, size, count=48, share=0.5):
    """About as many pictures leave at each exit."""
    pictures = torch.cat(images(1, count, size))
    settle(model, lambda: model.all_exits(pictures), share)
    for classifier, logits in zip(model.classifiers.values(), model.all_exits(pictures)):
        sharpen(classifier.linear, logits)
    left = torch.ones(count, dtype=torch.bool)
    for number, (name, logits) in enumerate(zip(model.classifiers, model.all_exits(pictures))):
        confidence = F.softmax(logits, dim=1).max(dim=1).values
        limit = threshold(confidence[left], 1 / (len(model.classifiers) + 1 - number))
        model.thresholds[name] = limit
        left &= confidence <= limit
    return model
