# SPDX-License-Identifier: Apache-2.0
"""A residual network whose blocks are behind gates: a block runs only for images that need it."""

import torch
from torch import nn


class GatedBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gate = nn.Linear(channels, 1)
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def wanted(self, h: torch.Tensor) -> bool:
        return self.gate(h.mean(dim=(2, 3))).sigmoid().item() > 0.5


class LayerSkip(nn.Module):
    def __init__(self, channels: int = 24, blocks: int = 4, classes: int = 10) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(GatedBlock(channels) for _ in range(blocks))
        self.head = nn.Linear(channels, classes)
        for block, shift in zip(
            self.blocks, (-0.85, -0.1, 0.75, 0.45)
        ):  # untrained gates always say the same
            block.gate.bias.data.add_(shift)

    def forward(self, image: torch.Tensor) -> dict[str, object]:
        h = self.stem(image).relu()
        taken = []
        for number, block in enumerate(self.blocks):
            if block.wanted(h):
                h = (h + block.body(h)).relu()
                taken.append(number)
        return {"logits": self.head(h.mean(dim=(2, 3))), "taken": taken}


def images(count: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    return [
        torch.randn(1, 3, 32, 32, generator=generator) * 4 + torch.randn(1, 3, 1, 1, generator=generator) * 4
        for _ in range(count)
    ]
