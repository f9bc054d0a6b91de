# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts: in each layer one of them, the best by the router's scores, does the work."""

from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.samples import vectors

DYNAMIC = "self.experts[int(scores.argmax())](x) in each layer: a switch"
BATCHES = False
WIDTHS = {False: 64, True: 8}


class Expert(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class TopOne(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))

    def forward(self, x):
        y = self.norm(x)
        scores = self.router(y).softmax(dim=-1)
        best = int(scores.argmax())
        return x + scores[0, best] * self.experts[best](y), best


class Experts(nn.Module):
    def __init__(self, width, layers, experts):
        super().__init__()
        self.layers = nn.ModuleList(TopOne(width, experts) for _ in range(layers))
        self.classifier = nn.Linear(width, 10)

    def forward(self, x):
        route = []
        for layer in self.layers:
            x, best = layer(x)
            route.append(best)
        return self.classifier(x), route


@seeded(23)
def build(small=False):
    return Experts(8, 2, 3) if small else Experts(64, 6, 4)


def inputs(seed, n, small=False):
    return [(x,) for x in vectors(seed, n, 1, WIDTHS[small])]
