# SPDX-License-Identifier: Apache-2.0
"""Attention over points; each layer drops those that matter little, until few enough are left."""

import torch
from torch import nn

from zoo.parts.calibration import seeded, threshold
from zoo.parts.transformer import Layer

DYNAMIC = "each layer keeps x[scores > limit]: a size that depends on values; may stop early"
BATCHES = False
POINTS = {False: 64, True: 12}


class PointPrune(nn.Module):
    def __init__(self, layers, width, heads, few):
        super().__init__()
        self.lift = nn.Linear(3, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.importance = nn.ModuleList(nn.Linear(width, 1) for _ in range(layers))
        self.limits = [0.0] * layers
        self.few = few
        self.classifier = nn.Linear(width, 6)

    def forward(self, points):
        x = self.lift(points)
        kept = torch.arange(points.shape[0])
        for number, layer in enumerate(self.layers):
            x = layer(x.unsqueeze(0))[0].squeeze(0)
            keep = self.importance[number](x).squeeze(-1) > self.limits[number]
            if keep.sum() < self.few:
                break
            x = x[keep]
            kept = kept[keep]
        return self.classifier(x.mean(dim=0, keepdim=True)), kept


def clouds(seed, n, count):
    """Each cloud has a centre and a size of its own."""
    generator = torch.Generator().manual_seed(seed)
    centres = torch.randn(n, 1, 3, generator=generator)
    sizes = torch.rand(n, 1, 1, generator=generator) * 2 + 0.2
    return list(torch.randn(n, count, 3, generator=generator) * sizes + centres)


@seeded(27)
def build(small=False):
    model = PointPrune(2, 8, 2, 4) if small else PointPrune(5, 64, 4, 8)
    states = [model.lift(cloud) for cloud in clouds(1, 32, POINTS[small])]
    for number, layer in enumerate(model.layers):
        states = [layer(x.unsqueeze(0))[0].squeeze(0) for x in states]
        scores = [model.importance[number](x).squeeze(-1) for x in states]
        model.limits[number] = threshold(torch.cat(scores), 0.7)
        states = [x[score > model.limits[number]] for x, score in zip(states, scores)]
        states = [x for x in states if len(x) >= model.few]
    return model


def inputs(seed, n, small=False):
    return [(cloud,) for cloud in clouds(seed, n, POINTS[small])]
