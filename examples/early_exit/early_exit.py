# SPDX-License-Identifier: Apache-2.0
"""Explains, compiles, runs, verifies and saves a PyTorch model that leaves early when it is sure."""

import dycl
import torch
from torch import nn


class EarlyExit(nn.Module):
    """An ordinary PyTorch module, which does not use DyCL."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU())
        self.glance = nn.Linear(16, 10)
        self.judge = nn.Linear(16, 10)

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, str]:
        features = self.stem(image)
        probabilities = self.glance(features.mean(dim=(2, 3))).softmax(-1)
        if probabilities.max() > 0.5:
            return probabilities, "left early"
        features = self.body(features)
        return self.judge(features.mean(dim=(2, 3))).softmax(-1), "went all the way"


def main() -> None:
    torch.manual_seed(0)
    model = EarlyExit().eval()
    images = {"faint": torch.randn(1, 3, 32, 32), "glaring": 40 * torch.randn(1, 3, 32, 32)}

    print(dycl.explain(model, images["faint"]))
    # The example gives types and sizes. DyCL never looks at its values, so it does not choose a path.
    program = dycl.compile(model, images["faint"])

    for name, image in images.items():
        probabilities, path = program(image)
        print(f"{name}: class {probabilities.argmax().item()}, {path}")

    report = dycl.verify(program, model, images.values())
    report.check()  # raises unless all results and decisions are equal
    print(f"equal to eager; {len(report.missed)} of {len(report.edges)} edges were not taken")
    program.save("early_exit.dycl")


if __name__ == "__main__":
    main()
