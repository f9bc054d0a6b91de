# SPDX-License-Identifier: Apache-2.0
"""Fifteen dynamic models as they are published: early exit, skipping, routing, cascades, adaptive depth."""

import torch
from python.torch.case import case
from torch import nn
from torch.nn import functional as F  # noqa: N812


def spread(*shape):
    """Inputs of many scales and offsets, so that every exit and gate is taken by some."""
    generator = torch.Generator().manual_seed(1)
    scales = [(a, b) for a in (0.1, 1.0, 3.0, 10.0) for b in (-3.0, -1.0, 0.0, 1.0, 3.0)]
    return [torch.randn(shape, generator=generator) * scale + offset for scale, offset in scales]


def sharpen(module, factor):
    """Decisions of untrained weights hardly depend on the input: make them."""
    for parameter in module.parameters():
        parameter.data.mul_(factor)
    return module


IMAGES = spread(1, 3, 8, 8)
TOKENS = spread(1, 4, 8)


class ConvBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


@case(*IMAGES)
class EarlyExit(nn.Module):
    """BranchyNet: leave when a head is sure."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([ConvBlock(3, 4), ConvBlock(4, 4), ConvBlock(4, 4)])
        self.heads = nn.ModuleList(nn.Linear(4, 5) for _ in range(3))
        self.thresholds = (0.26, 0.25, 0.342)

    def forward(self, x):
        for i, (block, head) in enumerate(zip(self.blocks, self.heads)):
            x = block(x)
            probabilities = head(x.mean((2, 3))).softmax(-1)
            if probabilities.max() > self.thresholds[i]:
                break
        return probabilities, i


@case(*IMAGES)
class SkipNet(nn.Module):
    """Layers behind gates."""

    def __init__(self):
        super().__init__()
        self.stem = ConvBlock(3, 4)
        self.blocks = nn.ModuleList(ConvBlock(4, 4) for _ in range(3))
        self.gates = nn.ModuleList(nn.Linear(4, 1, bias=False) for _ in range(3))
        self.offsets = (0.05, 1.0, 0.25)
        for gate in self.gates:
            nn.init.normal_(gate.weight)

    def forward(self, x):
        x = self.stem(x)
        taken = []
        for i, block in enumerate(self.blocks):
            if torch.sigmoid(self.gates[i](x.mean((2, 3))) + self.offsets[i]) > 0.5:
                x = x + block(x)
                taken.append(i)
        return x.mean((2, 3)), taken


@case(*TOKENS, unreachable=1)
class SwitchTransformer(nn.Module):
    """One expert per sequence."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 3)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)) for _ in range(3)
        )

    def forward(self, x):
        scores = self.router(x.mean(1)).softmax(-1)
        chosen = int(scores.argmax())
        return x + self.experts[chosen](x) * scores[0, chosen]


@case(*TOKENS, unreachable=4)
class TokenMixture(nn.Module):
    """One expert per token."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 2)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))

    def forward(self, x):
        outputs = []
        for token in x[0]:
            expert = self.router(token).argmax().item()
            outputs.append(self.experts[expert](token))
        return torch.stack(outputs)


@case(*IMAGES)
class Cascade(nn.Module):
    """A small model, and a large one where it is unsure."""

    def __init__(self):
        super().__init__()
        self.small = nn.Sequential(nn.Flatten(), nn.Linear(192, 5))
        self.large = nn.Sequential(ConvBlock(3, 8), ConvBlock(8, 8), nn.Flatten(), nn.Linear(512, 5))

    def forward(self, x):
        top = self.small(x).softmax(-1).topk(2).values[0]
        if top[0] - top[1] > 0.2:
            return {"p": top, "by": "small"}
        return {"p": self.large(x).softmax(-1).topk(2).values[0], "by": "large"}


@case(*TOKENS)
class DeeBert(nn.Module):
    """Entropy decides after each encoder layer."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True) for _ in range(2)
        )
        self.heads = nn.ModuleList(nn.Linear(8, 4) for _ in range(2))

    @staticmethod
    def entropy(logits):
        p = logits.softmax(-1)
        return -(p * p.log()).sum()

    def forward(self, x):
        all_logits = ()
        for layer, head in zip(self.layers, self.heads):
            x = layer(x)
            logits = head(x[:, 0])
            all_logits += (logits,)
            if self.entropy(logits) < 1.2:
                return logits, all_logits
        return logits, all_logits


@case(*TOKENS)
class AdaptiveComputation(nn.Module):
    """ACT: ponder at most four times."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 8)
        self.halt = nn.Linear(8, 1)
        sharpen(self, 6)

    def forward(self, x):
        h = torch.zeros(1, 8)
        total, steps = 0.0, 0
        for _ in range(4):
            h = self.cell(x.mean(1), h)
            total = total + torch.sigmoid(self.halt(h)).item()
            steps += 1
            if total > 0.9:
                break
        return h, steps


@case(*IMAGES)
class MultiScale(nn.Module):
    """Resolution is chosen from the content."""

    def __init__(self):
        super().__init__()
        self.block = ConvBlock(3, 4)
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        detail = (x[..., 1:] - x[..., :-1]).abs().mean()
        if detail < 0.5:
            x = F.avg_pool2d(x, 4)
        elif detail < 2:
            x = F.avg_pool2d(x, 2)
        return self.head(self.block(x).mean((2, 3)))


@case(*TOKENS)
class RaisesToExit(nn.Module):
    """Leaves by an exception, as some code bases do."""

    class Confident(Exception):
        pass

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.limits = (0.95, 0.7, 0.44)

    def run(self, x):
        for layer, limit in zip(self.layers, self.limits):
            x = torch.tanh(layer(x))
            self.last = x
            if x.abs().max() > limit:
                raise self.Confident
        return x

    def forward(self, x):
        try:
            return self.run(x), "all layers"
        except self.Confident:
            return self.last, "early"


@case(*TOKENS)
class TreeOfExperts(nn.Module):
    """A soft decision tree taken hard."""

    def __init__(self):
        super().__init__()
        self.routers = nn.ModuleList(nn.Linear(8, 1) for _ in range(3))
        self.leaves = nn.ModuleList(nn.Linear(8, 2) for _ in range(4))

    def descend(self, x, node=0):
        if node >= 3:
            return self.leaves[node - 3](x)
        right = bool(self.routers[node](x) > 0)
        return self.descend(x, 2 * node + 1 + right)

    def forward(self, x):
        return self.descend(x.mean(1))


@case(*TOKENS)
class Greedy(nn.Module):
    """Decodes up to three tokens and stops at the end token."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 8)
        self.cell = nn.LSTMCell(8, 8)
        self.head = nn.Linear(8, 6)
        sharpen(self, 2)

    def forward(self, x):
        h, c = x.mean(1), torch.zeros(1, 8)
        token, out = torch.zeros(1, dtype=torch.long), []
        for _ in range(3):
            h, c = self.cell(self.embed(token), (h, c))
            token = self.head(h).argmax(-1)
            if token.item() == 2:
                break
            out.append(token)
        return torch.cat(out) if out else None


@case(*IMAGES)
class ChannelGate(nn.Module):
    """Groups of channels are computed only where a gate is open."""

    def __init__(self):
        super().__init__()
        self.groups = nn.ModuleList(nn.Conv2d(3, 2, 1) for _ in range(2))
        self.gate = nn.Linear(3, 2)

    def forward(self, x):
        open_ = (self.gate(x.mean((2, 3)))[0] > 0).tolist()
        parts = [g(x) if is_open else x.new_zeros(1, 2, 8, 8) for g, is_open in zip(self.groups, open_)]
        return torch.cat(parts, dim=1).sum((2, 3))


@case(*TOKENS)
class Detector(nn.Module):
    """Keeps boxes above a score, in a loop over proposals."""

    def __init__(self):
        super().__init__()
        self.score, self.box = nn.Linear(8, 1), nn.Linear(8, 4)

    def forward(self, x):
        kept = []
        for i, feature in enumerate(x[0]):
            score = torch.sigmoid(self.score(feature))
            if score > 0.5:
                kept.append({"index": i, "score": score, "box": self.box(feature)})
        return kept


@case(*TOKENS)
class LayerDropByDistance(nn.Module):
    """Stops when a layer hardly changes its input."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.hidden = None

    def forward(self, x, return_all: bool = False):
        self.hidden = [x]
        for layer in self.layers:
            y = layer(x).tanh()
            change = (F.cosine_similarity(x.flatten(), y.flatten(), dim=0) < 0.2).item()
            self.hidden.append(y)
            if not change:
                return self.hidden if return_all else y
            x = y
        return x


@case(*IMAGES)
class Refiner(nn.Module):
    """Two passes; the second looks at the half that answered less."""

    def __init__(self):
        super().__init__()
        self.block, self.head = ConvBlock(3, 4), nn.Linear(4, 3)

    def look(self, x):
        return self.head(self.block(x).mean((2, 3)))

    def forward(self, x):
        first = self.look(x)
        left, right = x.chunk(2, dim=-1)
        half = left if left.var() > right.var() else right
        if first.softmax(-1).max().item() >= 0.45:
            return first
        return first + self.look(half)
