# SPDX-License-Identifier: Apache-2.0
"""How refused programs are written down: what the caret must point at, and words of message and hint."""

import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from python.torch.case import Call, as_call


@dataclass
class Refusal:
    name: str
    source: Any
    at: str  # the text that the caret points at: the refused expression or statement, unique in the program
    says: str  # a regular expression for the message
    hint: str  # one for the hint
    example: Call
    training: bool
    dynamic_shapes: Any = None

    def build(self) -> Any:
        torch.manual_seed(0)
        return self.source().train(self.training) if isinstance(self.source, type) else self.source

    def position(self) -> tuple[str, int, int]:
        """File, line and column (from 1) of the refused text."""
        file = sys.modules[self.source.__module__].__file__ or ""
        lines, first = inspect.getsourcelines(self.source)
        start = next(i for i, line in enumerate(lines) if line.startswith(("def ", "class ")))
        places = [(first + i, line.index(self.at) + 1) for i, line in enumerate(lines) if self.at in line]
        found = [place for place in places if place[0] >= first + start]
        assert len(found) == 1, f"{self.name}: {self.at!r} is there {len(found)} times"
        return file, *found[0]

    def line_text(self) -> str:
        file, line, _ = self.position()
        return Path(file).read_text().splitlines()[line - 1]


REFUSALS: list[Refusal] = []
DEFAULT = Call((torch.tensor([1.0, 2.0]),))


def refused(
    at: str, says: str, hint: str, *, example: Any = None, training: bool = False, dynamic_shapes: Any = None
) -> Any:
    """Registers what it decorates, unchanged."""

    def register(source: Any) -> Any:
        call = DEFAULT if example is None else as_call(example)
        REFUSALS.append(Refusal(source.__name__, source, at, says, hint, call, training, dynamic_shapes))
        return source

    return register
