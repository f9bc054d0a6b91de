# SPDX-License-Identifier: Apache-2.0
"""What random programs are called with: plain inputs, and pairs on either side of a threshold."""

import random
from typing import Any

import torch
from dycl import Call
from dycl.verification.eager import Recorder

VECTORS = [
    [1.0, 2.0, 3.0],
    [-1.0, -2.0, 0.5],
    [0.0, 0.0, 0.0],
    [3.0, -2.5, 0.25],
    [-0.5, 0.75, 1.5],
    [10.0, -4.0, 2.0],
    [0.5, 0.5, -8.0],
]
NUMBERS = [2, 0, 1, 3, -1, 5, 4]
INTEGERS = [[1, 2, 3], [0, -1, 2], [0, 0, 0], [5, -3, 1], [-2, 4, 0], [1, 1, 1], [3, 0, -7]]
DTYPES = {"i": torch.int64, "d": torch.float64, "b": torch.bool}


def plain(seed: int, kind_of_w: str) -> list[Call]:
    """The vectors in order, each with another number and another w for every program."""
    shuffled = random.Random(seed)
    numbers, others = NUMBERS.copy(), INTEGERS.copy()
    shuffled.shuffle(numbers)
    shuffled.shuffle(others)
    return [
        Call((torch.tensor(x), torch.tensor(n), torch.tensor(w).to(DTYPES[kind_of_w])), {})
        for x, n, w in zip(VECTORS, numbers, others)
    ]


def way_of(model: Any, call: Call) -> Any:
    """The decisions of eager on this input."""
    args = [tensor.clone() for tensor in call.args]
    with torch.no_grad(), Recorder(args, 1e-5) as recorder:
        try:
            model(*args)
        except Exception as error:
            return type(error), [d.value for d in recorder.decisions if d.kind == "bool"]
    return None, [d.value for d in recorder.decisions if d.kind == "bool"]


def next_to_a_threshold(model: Any, calls: list[Call], seed: int, steps: int = 24) -> list[Call]:
    """Two inputs that differ in their last bits and yet go different ways, where two given inputs do."""
    first, second = random.Random(seed).sample(calls, 2)
    rest = first.args[1:]
    low, high = first.args[0], second.args[0]
    if way_of(model, first) == way_of(model, Call((high, *rest), {})):
        return []
    of_low = way_of(model, first)
    for _ in range(steps):
        middle = low + (high - low) / 2
        if way_of(model, Call((middle, *rest), {})) == of_low:
            low = middle
        else:
            high = middle
    return [Call((low, *rest), {}), Call((high, *rest), {})]
