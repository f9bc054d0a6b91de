# SPDX-License-Identifier: Apache-2.0
"""How the programs of this folder are written down: a function or module class, and inputs for every path.

    @case(v(1.0), v(-1.0))
    def doubled_if_positive(x): ...

The first input is the example that is compiled with, unless `example` is given.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from dycl import Call


@dataclass
class Case:
    name: str
    source: Any  # function or module class
    calls: list[Call]
    example: Call
    tolerance: float
    every_path: bool  # every decision both ways, every edge of the HCFG
    may_raise: bool = False  # some calls end with an exception
    may_lack: bool = False  # nothing depends on some decisions
    unreachable: int = 0  # edges that no input can take, since decisions depend on each other
    make: Callable[[], Any] | None = None
    dynamic_shapes: Any = None

    def build(self) -> Any:
        torch.manual_seed(0)
        if self.make is not None:
            return self.make()
        if isinstance(self.source, type):
            return self.source().eval()
        return self.source


CASES: dict[str, list[Case]] = {}


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def as_call(value: Any) -> Call:
    if isinstance(value, Call):
        return value
    return Call(value if type(value) is tuple else (value,))


def case(
    *inputs: Any,
    example: Any = None,
    tolerance: float = 1e-5,
    every_path: bool = True,
    may_raise: bool = False,
    may_lack: bool = False,
    unreachable: int = 0,
    make: Any = None,
    dynamic_shapes: Any = None,
) -> Any:
    """Registers what it decorates, unchanged, under its module."""
    calls = [as_call(value) for value in inputs]

    def register(source: Any) -> Any:
        first = calls[0] if example is None else as_call(example)
        flags = every_path, may_raise, may_lack, unreachable
        entry = Case(source.__name__, source, calls, first, tolerance, *flags, make, dynamic_shapes)
        CASES.setdefault(source.__module__, []).append(entry)
        return source

    return register


def v(*numbers: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A vector; floats unless all numbers are ints or bools."""
    return torch.tensor(numbers, dtype=dtype)


def m(*rows: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A matrix."""
    return torch.tensor(rows, dtype=dtype)


def s(number: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A tensor without dims."""
    return torch.tensor(number, dtype=dtype)


def cases_of(module_name: str) -> list[Case]:
    return CASES[sys.modules[module_name].__name__]
