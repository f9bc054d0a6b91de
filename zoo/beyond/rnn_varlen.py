# SPDX-License-Identifier: Apache-2.0
"""A recurrent classifier for padded sequences: how many rows are real is an input."""

import torch
from torch import nn

from zoo.parts.calibration import seeded
from zoo.parts.samples import vectors

DYNAMIC = "for t in range(int(length)), with the length read from a tensor"
BATCHES = False
LENGTHS = {False: 40, True: 6}
FEATURES = {False: 32, True: 4}


class VariableLength(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.cell = nn.GRUCell(features, hidden)
        self.score = nn.Linear(hidden, 1)
        self.classifier = nn.Linear(hidden, 7)

    def forward(self, x, length):
        h = torch.zeros(1, self.cell.hidden_size, dtype=x.dtype)
        scores = []
        for t in range(int(length)):
            h = self.cell(x[t].unsqueeze(0), h)
            scores.append(self.score(h))
        if not scores:
            return self.classifier(h), None
        return self.classifier(h), torch.cat(scores)


@seeded(26)
def build(small=False):
    return VariableLength(4, 8) if small else VariableLength(32, 128)


def inputs(seed, n, small=False):
    padded = vectors(seed, n, LENGTHS[small], FEATURES[small])
    lengths = torch.randint(0, LENGTHS[small] + 1, (n,), generator=torch.Generator().manual_seed(seed))
    lengths[n // 2] = 0
    return list(zip(padded, lengths.unbind()))
