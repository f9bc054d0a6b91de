# SPDX-License-Identifier: Apache-2.0
"""Models whose calls have structure, and classes that packages name."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

import torch


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@dataclass
class Batch:
    image: torch.Tensor
    scale: float = 1.0


class Config:
    """Compares by identity, so that only its attributes can tell."""

    def __init__(self, depth, names):
        self.depth = depth
        self.names = names


def plain(x, mode="fast", scale=2):
    return x * scale if x.sum() > 0 and mode == "fast" else x


def nested(batch, pair, parts, *, options):
    total = batch.image * batch.scale + pair.left - pair.right
    for name, part in parts.items():
        total = total + part if name != "skip" else total
    if total.sum() > 0:
        return {"total": total, "mode": options["mode"].value}
    return [total, options["sizes"]]


def configured(x, config):
    y = x
    for _ in range(config.depth):
        y = y + 1 if y.sum() > 0 else y - 1
    return y, list(config.names)


def variadic(x, *others, flag=True, **named):
    for other in others:
        x = x + other
    for other in named.values():
        x = x * other
    return x if x.sum() > 0 and flag else -x


def applied(x, function):
    return function(x) if x.sum() > 0 else x


def shared(items, again):
    return items[0] + again[0] if items[0].sum() > 0 else items[0]


def numbers(x, values):
    return (x * values[0], x * values[1]) if x.sum() > 0 else (x, x)


def first_of(parts):
    first = next(iter(parts.values()))
    return first * 2 if first.sum() > 0 else first
