# SPDX-License-Identifier: Apache-2.0
"""A sweep over the numbers that f32 holds, from the smallest to the largest, and a judge of what comes out.

An element passes if it is no further from eager in f64 than four times what eager is, and 8 units in the last
place; what is not finite must be what eager says.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

Function = Callable[[torch.Tensor], torch.Tensor]
COUNT = 1000
SMALLEST_NORMAL = 2.0**-126
SLACK = 2.0**-140  # of what is computed with subnormal numbers
LARGEST = float(np.finfo(np.float32).max)
EDGES = (0.5, 1.0, 3.0, 6.0, 20.0, np.pi / 2, np.pi, np.log(2.0))


def grid() -> torch.Tensor:
    """COUNT numbers of both signs: all decades, where functions saturate, edges, infinity and NaN."""
    near_edges = [edge * (1 + sign * 10.0**-k) for edge in EDGES for k in (2, 4, 6, 7) for sign in (-1, 1)]
    sizes = np.concatenate(
        [
            np.linspace(15, 25, 21),
            np.linspace(80, 105, 51),
            [127, 128, 149, 150, 500, 700, 709, 710, 745, 746, 1000],
            EDGES,
            near_edges,
            np.linspace(0, 12, 98)[1:-1],
        ]
    )
    decades = np.logspace(-45, np.log10(LARGEST), (COUNT - 6) // 2 - len(sizes))
    sizes = np.minimum(np.concatenate([decades, sizes]), LARGEST).astype(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-8]
    values = np.concatenate([sizes, -sizes, np.array(special, np.float32)])
    return torch.from_numpy(np.random.default_rng(0).permutation(values))


def rows(length: int) -> Iterator[torch.Tensor]:
    """The grid in pieces of `length`, the last one filled up with zeros."""
    for piece in grid().split(length):
        yield torch.cat([piece, torch.zeros(length - len(piece))])


@dataclass(frozen=True)
class Wrong:
    x: float
    result: float
    eager: float
    exact: float

    def __str__(self) -> str:
        return f"of {self.x:.9g}: {self.result:.9g}, eager {self.eager:.9g}, in f64 {self.exact:.9g}"


def unit(exact: np.ndarray) -> np.ndarray:
    """The unit in the last place of f32."""
    held = np.clip(np.abs(exact), SMALLEST_NORMAL, LARGEST)
    return np.exp2(np.floor(np.log2(held)) - 23)


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.double().numpy()


def noise(function: Function, x: torch.Tensor) -> np.ndarray:
    """How far eager is from f64 here and at numbers nearby: at one of them it may be right by luck."""
    largest = 0.0
    for step in (0, *(sign * 2.0**-k for k in (11, 12, 13, 23) for sign in (-1, 1))):
        near = x * (1 + step)
        with np.errstate(all="ignore"):
            error = np.abs(numbers(function(near)) - numbers(function(near.double())))
        largest = np.fmax(largest, np.where(np.isfinite(error), error, 0))
    return largest


def passes(result: np.ndarray, eager: np.ndarray, exact: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """All in f64; `exact` is eager computed in f64, `allowed` what may be lost beside the last digits."""
    with np.errstate(all="ignore"):
        tolerance = allowed + 8 * unit(exact)
        close = np.abs(result - exact) <= tolerance
        near_eager = np.abs(result - eager) <= tolerance
        counts = (np.minimum(np.abs(eager), np.abs(exact)) >= SMALLEST_NORMAL) & (np.abs(exact) > allowed)
        turned = counts & (np.sign(result) != np.sign(eager))  # also to zero
        tiny = np.maximum(np.abs(exact), np.abs(eager)) < SMALLEST_NORMAL
        least = np.minimum(np.abs(result - eager), np.abs(result - exact))
        near_zero = (least <= np.maximum(allowed, SLACK)) & (np.sign(result) * np.sign(exact) >= 0)
        finite = np.where(tiny, near_zero, (close | near_eager) & ~turned)
        rescued = np.abs(result - exact) <= 2.0**-4 * np.abs(exact)  # where eager overflows on the way
        ends = np.abs(exact) >= LARGEST * (1 - 2.0**-20)  # where overflow begins
        ends &= (np.sign(result) == np.sign(exact)) & (np.abs(result) >= LARGEST * (1 - 2.0**-20))
        same = (result == eager) | (np.isnan(result) & np.isnan(eager)) | (result == exact.astype(np.float32))
    return same | np.where(
        np.isfinite(eager) & np.isfinite(result), finite, ends | (rescued & ~np.isfinite(eager))
    )


def judge(function: Function, x: torch.Tensor, result: torch.Tensor, summand: Function | None) -> list[Wrong]:
    """What is wrong in `result`, which a backend made of `function(x)`."""
    eager, exact = function(x), function(x.double())
    assert (result.dtype, result.shape) == (eager.dtype, eager.shape)
    of = _spread(x.double(), eager)
    allowed = 4 * noise(function, x) + SLACK * np.clip(np.abs(of), 1, 128)
    if summand is not None:
        allowed = allowed + 1e-6 * _spread(summand(x.double()), eager)
    columns = of, numbers(result), numbers(eager), numbers(exact)
    bad = ~passes(*columns[1:], allowed)
    return [Wrong(*map(float, values)) for values in zip(*(column[bad] for column in columns), strict=True)]


def _spread(values: torch.Tensor, like: torch.Tensor) -> np.ndarray:
    """One number for each of a result's rows."""
    return values.reshape([-1] + [1] * (like.dim() - 1)).expand(like.shape).numpy()
