# SPDX-License-Identifier: Apache-2.0
"""Draws the random numbers of a program that takes them as inputs (randomness="inputs")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.calls.needs import require_torch
from dycl.errors import PackageError, UsageError

_DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_TERM = re.compile(r"([+-]?)(?:(\d+)\*)?([A-Za-z_]\w*)|([+-]?\d+)")


@dataclass(frozen=True)
class Draw:
    """An input of base draws. A line of the model takes its rows in order, one each time it draws."""

    name: str  # of the input: "draws:model.py:31:uniform"
    kind: str  # "uniform" in [0, 1), standard "normal", or "exponential" of rate 1
    file: str  # the line that draws; "" if only torch's own code does
    line: int


class Draws:
    """`inputs` are the ports of the program, of which `described` (signature.json) says which hold draws."""

    def __init__(self, inputs: Sequence[Any], described: Iterable[Mapping[str, Any]]) -> None:
        self._ports = {inputs[entry["input"]].name: _rows(inputs[entry["input"]]) for entry in described}
        self.others = [port for port in inputs if port.name not in self._ports]
        self.all = tuple(
            Draw(inputs[entry["input"]].name, entry["kind"], entry["file"], entry["line"])
            for entry in described
        )

    def fresh(self, tensors: Sequence[Any], generator: Any = None) -> dict[str, Any]:
        """Draws with torch's generator for a call that gives `tensors` for the other inputs. A line in a loop
        of the program gets as many rows as it may take."""
        if not self.all:
            return {}
        require_torch()
        sizes = self._sizes_in(tensors)
        return {draw.name: self._drawn(draw, sizes, generator) for draw in self.all}

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the draws of a caller, who must give all; the program checks their types."""
        for name in [*(name for name in self._ports if name not in given), *(given.keys() - self._ports)]:
            known = ", ".join(self._ports) or "none"
            raise UsageError(
                f"the draws {'lack' if name in self._ports else 'have no input'} '{name}'",
                code="call.draws",
                hint=f"Program.draw() makes all: {known}",
            )
        return dict(given)

    def _sizes_in(self, tensors: Sequence[Any]) -> dict[str, int]:
        """The sizes that the caller declared as dynamic. Each is alone in some size of an input."""
        found: dict[str, int] = {}
        for port, tensor in zip(self.others, tensors):
            for text, size in zip(port.shape or (), getattr(tensor, "shape", ())):
                terms, rest = _parsed(text)
                if len(terms) == 1:
                    ((name, factor),) = terms.items()
                    found.setdefault(name, (size - rest) // factor)
        return found

    def _drawn(self, draw: Draw, sizes: Mapping[str, int], generator: Any) -> Any:
        import torch

        port = self._ports[draw.name]
        smallest = {name: least for name, (least, _) in port.ranges.items()}
        rows = port.shape[0]
        most = port.ranges[rows][1] if isinstance(rows, str) else rows
        shape = [most, *(_evaluated(size, {**smallest, **sizes}) for size in port.shape[1:])]
        made = torch.empty(shape, dtype=getattr(torch, _DTYPES[port.dtype]), device="cpu")
        return _FILLERS[draw.kind](made, generator)


def _rows(port: Any) -> Any:
    if port.dtype not in _DTYPES or not port.shape:
        raise PackageError(
            f"the input '{port.name}' cannot hold random numbers: {port.type}", code="package.bad_signature"
        )
    return port


_FILLERS: dict[str, Callable[[Any, Any], Any]] = {
    "uniform": lambda made, generator: made.uniform_(generator=generator),
    "normal": lambda made, generator: made.normal_(generator=generator),
    "exponential": lambda made, generator: made.exponential_(generator=generator),
}


def _parsed(size: int | str) -> tuple[dict[str, int], int]:
    """ "2*batch+1" as its factors and its constant."""
    if isinstance(size, int):
        return {}, size
    terms: dict[str, int] = {}
    rest = 0
    for sign, factor, name, number in _TERM.findall(size):
        if name:
            terms[name] = int(factor or 1) * (-1 if sign == "-" else 1)
        else:
            rest += int(number)
    return terms, rest


def _evaluated(size: int | str, sizes: Mapping[str, int]) -> int:
    terms, rest = _parsed(size)
    return max(0, rest + sum(factor * sizes[name] for name, factor in terms.items()))
