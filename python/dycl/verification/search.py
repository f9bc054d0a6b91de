# SPDX-License-Identifier: Apache-2.0
"""Searches for inputs that take edges which no input has taken, by changing the given inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from dycl.verification.sequence import Call

if TYPE_CHECKING:
    from dycl.api import Program
    from dycl.verification.subnets import Edge

_SCALES = (-1.0, 0.0, 0.1, 0.5, 2.0, 5.0)
_REPEATS = 4  # how often a call may be repeated, if the program keeps state
_LONGEST = 32  # the largest number of calls in a sequence


class _Entry:
    """A call, the calls that were made before it, and the blocks that it reached."""

    def __init__(self, made: Any) -> None:
        self.leaves, self.structure = tree_flatten((made.call.args, made.call.kwargs))
        self.reached = {block for edge in made.trace.edges for block in edge[:2]}
        self.call, self.before = made.call, made.before


class Search:
    """Grows a pool of calls; the same seed gives the same order of calls."""

    def __init__(self, program: Program, seed: int) -> None:
        self._random = torch.Generator().manual_seed(seed)
        self._resizes = any(isinstance(size, str) for port in program.inputs for size in port.shape or ())
        self._keeps = bool(program.states)
        self._pool: list[_Entry] = []
        self._missed: set[Edge] = set(program.edges)

    def add(self, made: Any) -> None:
        self._pool.append(_Entry(made))
        self._missed -= made.trace.edges.keys()

    def run(self, seconds: float, attempt: Callable[[tuple[Call, ...], Call], Any]) -> Iterator[Any]:
        """Yields calls that take new edges. `attempt` makes a call after others and returns None if it is of
        no use. The search also changes the calls that the caller adds."""
        end = time.monotonic() + seconds
        while self._pool and self._missed and time.monotonic() < end:
            tried = attempt(*self._another())
            if tried is not None and not self._missed.isdisjoint(tried.trace.edges):
                yield tried

    def _another(self) -> tuple[tuple[Call, ...], Call]:
        """Returns a changed call, preferably of one that reached the start of a missing edge."""
        ends = {edge[0] for edge in self._missed}
        near = [entry for entry in self._pool if not ends.isdisjoint(entry.reached)]
        entry = self._one_of(near if near and self._chance(0.8) else self._pool)
        before = entry.before
        if self._keeps and self._chance(0.5):
            repeated = 1 + self._below(_REPEATS)
            before = (*before, *[entry.call] * repeated)[:_LONGEST]
        tensors = [place for place, leaf in enumerate(entry.leaves) if isinstance(leaf, torch.Tensor)]
        changed = list(entry.leaves)
        for _ in range(1 + self._below(2)) if tensors else ():
            place = self._one_of(tensors)
            changed[place] = self._changed(changed[place], self._partner(place, changed[place]))
        return before, Call(*tree_unflatten(changed, entry.structure))

    def _partner(self, place: int, value: torch.Tensor) -> torch.Tensor:
        """Returns the tensor that another call has at that place, if type and shape are the same."""
        for found in self._one_of(self._pool).leaves[place : place + 1]:
            if isinstance(found, torch.Tensor) and (found.dtype, found.shape) == (value.dtype, value.shape):
                return found
        return value

    def _changed(self, value: torch.Tensor, partner: torch.Tensor) -> torch.Tensor:
        if self._resizes and value.dim() and self._chance(0.2):
            return self._resized(value)
        mixed = torch.rand(value.shape, generator=self._random) < self._uniform()
        if value.dtype == torch.bool:
            return value ^ mixed if self._chance(0.5) else torch.where(mixed, partner, value)
        if not value.is_floating_point():
            return torch.where(mixed, self._drawn_from(torch.stack((value, partner))), value)
        kind = self._below(5)
        if kind == 0:
            return value * float(self._one_of(_SCALES))
        if kind == 1:
            return value + self._noise(value) * value.std(unbiased=False) * 2 * self._uniform()
        if kind == 2:
            return value + (partner - value) * (2 * self._uniform() - 0.5)
        if kind == 3:
            return value + float(self._noise(value.new_zeros(()))) * (value.abs().mean() + 0.1)
        return torch.where(mixed, partner, value)

    def _resized(self, value: torch.Tensor) -> torch.Tensor:
        axis = self._below(value.dim())
        size = 1 + self._below(2 * value.shape[axis] + 1)
        return value.index_select(axis, torch.arange(size) % max(1, value.shape[axis])).contiguous()

    def _drawn_from(self, values: torch.Tensor) -> torch.Tensor:
        """Draws numbers between the smallest and the largest given one, which are known to be allowed."""
        if values.numel() == 0:
            return values[0]
        low, high = int(values.min()), int(values.max())
        drawn = torch.randint(low, high + 1, values.shape[1:], generator=self._random)
        return drawn.to(values.dtype)

    def _noise(self, value: torch.Tensor) -> torch.Tensor:
        return torch.randn(value.shape, generator=self._random).to(value.dtype)

    def _uniform(self) -> float:
        return float(torch.rand((), generator=self._random))

    def _chance(self, part: float) -> bool:
        return self._uniform() < part

    def _below(self, count: int) -> int:
        return int(torch.randint(count, (), generator=self._random))

    def _one_of(self, choices: Any) -> Any:
        return choices[self._below(len(choices))]
