# SPDX-License-Identifier: Apache-2.0
"""Seeded inputs, different enough to send a network different ways."""

import torch
import torch.nn.functional as F


def images(seed, n, size, batch=1):
    """n batches of pictures: coarse colour patches, a tint and grain, each of its own strength."""
    generator = torch.Generator().manual_seed(seed)
    count = n * batch
    patches = F.interpolate(torch.randn(count, 3, 4, 4, generator=generator), size, mode="bilinear")
    grain = torch.randn(count, 3, size, size, generator=generator)
    tint = torch.randn(count, 3, 1, 1, generator=generator)
    strength = torch.rand(3, count, 1, 1, 1, generator=generator) * 1.5 + 0.2
    pictures = patches * strength[0] + grain * strength[1] + tint * strength[2]
    return list(pictures.split(batch))


def tokens(seed, n, length, vocabulary, batch=1):
    """n batches of token numbers; low ones (ends, starts) are left to the model."""
    generator = torch.Generator().manual_seed(seed)
    return list(torch.randint(4, vocabulary, (n * batch, length), generator=generator).split(batch))


def vectors(seed, n, *shape):
    generator = torch.Generator().manual_seed(seed)
    return list(torch.randn(n, *shape, generator=generator))
