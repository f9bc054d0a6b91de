# SPDX-License-Identifier: Apache-2.0
"""Shows a report of dycl.verify as a table and as data, and what it looks like when something differs."""

import copy
from collections import Counter

import dycl
import torch
from torch import nn


class Gated(nn.Module):
    """Strong signals pass one more layer; a result with NaN is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(8, 16)
        self.more = nn.Linear(16, 16)
        self.head = nn.Linear(16, 2)
        self.fallback = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x).relu()
        if h.max() > 2:
            h = h + self.more(h).relu()
        y = self.head(h)
        if y.isnan().any():
            y = self.fallback(x.nan_to_num())
        return y


def headline(text: str) -> None:
    print(f"\n=== {text}")


def main() -> None:
    torch.manual_seed(0)
    model = Gated().eval()
    inputs = [torch.randn(1, 8), torch.randn(1, 8)]
    program = dycl.compile(model, inputs[0])

    headline("for people")
    report = dycl.verify(program, model, inputs, search=1)
    print(report)

    headline("as data")
    print("edges of the graph, by how they were taken:", dict(Counter(report.ways.values())))
    print("places that no input reached:", report.not_taken)
    worst = max(report.subnets, key=lambda subnet: subnet.error)
    print(f"largest error of a sub-DNN: {worst.error:.0e} ({worst.names[0]}, on {worst.backend})")
    report.check()  # raises dycl.PathMismatch unless report.ok
    program.save("gated.dycl", report)  # `dycl inspect gated.dycl --verification` shows the table anywhere

    headline("another model than the one that was compiled")
    other = copy.deepcopy(model)
    other.stem.bias.data += 1
    report = dycl.verify(program, other, inputs, search=1)
    for number, seen in enumerate(report.inputs):
        print(f"input {number} is {seen.status}:", *seen.problems, sep="\n  ")

    headline("a tolerance that float32 cannot meet")
    report = dycl.verify(program, model, inputs, search=1, tolerance=1e-10)
    for subnet in report.subnets:
        if subnet.problem:
            print(subnet.problem)


if __name__ == "__main__":
    main()
