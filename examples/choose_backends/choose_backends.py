# SPDX-License-Identifier: Apache-2.0
"""Compiles one model for one backend, for two by rules, and with each sub-DNN on the fastest."""

import dycl
import torch
from torch import nn


class Cascade(nn.Module):
    """A cheap look at the picture decides whether the expensive one is worth it."""

    def __init__(self) -> None:
        super().__init__()
        self.glance = nn.Sequential(nn.AvgPool2d(8), nn.Flatten(), nn.Linear(48, 10))
        self.study = nn.Sequential(
            nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten()
        )
        self.decide = nn.Linear(32 * 28 * 28, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.glance(x)
        if first.softmax(1).max() > 0.14:
            return first
        return self.decide(self.study(x))


def main() -> None:
    torch.manual_seed(0)
    model = Cascade().eval()
    pictures = [torch.randn(1, 3, 32, 32) * scale for scale in (0.1, 1.0, 4.0)]
    choices = {
        "one for all": "onnxruntime",
        "by rules": {"s0": "openvino", "*": "onnxruntime"},  # s0 is the first sub-DNN: the glance
        "the fastest for each": "auto:onnxruntime,openvino",
    }
    for name, backend in choices.items():
        program = dycl.compile(model, (pictures[0],), backend=backend, threads=1)
        dycl.verify(program, model, pictures).check()
        print(f"{name:<22} runs on {', '.join(sorted(program.stats()['backends']))}, equal to eager")
    program.save("fastest.dycl")  # `dycl inspect fastest.dycl` shows the times that were measured


if __name__ == "__main__":
    main()
