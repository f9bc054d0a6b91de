# SPDX-License-Identifier: Apache-2.0
"""Models with n independent gates: the graph must grow with n, not with 2^n."""

import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.weight = nn.Parameter(torch.tensor([0.5, 0.25]))

    def gate(self, x, i):
        return x[i % 2] > 0.5


class Plain(Gated):
    def forward(self, x):
        h = x
        for i in range(self.n):
            if self.gate(x, i):
                h = h * self.weight
        return h


class Appends(Gated):
    """A list of the taken layers: one sequence, not one list per path."""

    def forward(self, x):
        h, taken = x, []
        for i in range(self.n):
            if self.gate(x, i):
                h = h + self.weight
                taken.append(i)
        return h, taken


class AppendsNames(Gated):
    """A list of names and numbers, of which the program only returns the list."""

    def forward(self, x):
        h, taken = x, []
        for i in range(self.n):
            if self.gate(x, i):
                h = h + self.weight
                taken.append(f"layer {i}")
                taken.append(i)
        return h, taken


class SetsAFlag(Gated):
    def forward(self, x):
        h, skipped = x, False
        for i in range(self.n):
            if self.gate(x, i):
                h = h + self.weight
            else:
                skipped = True
        return h, skipped


class Counts(Gated):
    def forward(self, x):
        h, count = x, 0
        for i in range(self.n):
            if self.gate(x, i):
                h = h + self.weight
                count += 1
        return h, count


class WritesItself(Gated):
    def forward(self, x):
        h = x
        for i in range(self.n):
            if self.gate(x, i):
                h = h + self.weight
                self.last = i
        return h


class TwoWays(Gated):
    """Both ways do work, and one of them in a helper."""

    def half(self, h):
        return h / 2

    def forward(self, x):
        h = x
        for i in range(self.n):
            h = self.half(h) if self.gate(x, i) else h - self.weight
        return h


KINDS = [Plain, Appends, AppendsNames, SetsAFlag, Counts, WritesItself, TwoWays]
