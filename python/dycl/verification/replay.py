# SPDX-License-Identifier: Apache-2.0
"""Runs a model in eager with the random numbers of a program that takes them as inputs (randomness="inputs").

Where the model draws, the formulas of the prelude compute what the program computes, from rows of the same
inputs. So the two can be compared, which torch's own stream of random numbers would not allow.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from dycl.errors import UsageError
from dycl.prelude import draws as formulas

if TYPE_CHECKING:
    from dycl.calls.draws import Draw

# Neither torch's files nor these are the user's.
FILES_OF_REPLAY = (
    os.path.dirname(torch.__file__) + os.sep,
    os.path.abspath(formulas.__file__),
    os.path.abspath(__file__),
)


class Replay(TorchFunctionMode):
    """Gives out the rows of `numbers`, the inputs by name; `draws` says which line takes which."""

    def __init__(self, draws: Sequence[Draw], numbers: Mapping[str, Any]) -> None:
        super().__init__()
        self._inputs = [(draw, torch.as_tensor(numbers[draw.name])) for draw in draws]
        self._taken = dict.fromkeys(numbers, 0)
        self._root: FrameType | None = None

    def __enter__(self) -> Any:
        self._root = self._root or sys._getframe(1)
        return super().__enter__()  # type: ignore[no-untyped-call]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in formulas.FOLLOWED:
            with self:
                return _unwatched(func)(*args, **kwargs)
        model = formulas.MODELS.get(func)
        if model is None:
            return func(*args, **kwargs)
        with formulas.taking_from(self._take):
            return model(*args, **kwargs)

    def _take(self, kind: str, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        file, begin, line = self._place()
        fitting = [
            (draw, rows)
            for draw, rows in self._inputs
            if draw.kind == kind and begin <= draw.line <= line and _same_file(draw.file, file)
            if (rows.dtype, tuple(rows.shape[1:])) == (dtype, shape)
        ]
        if not fitting:
            raise UsageError(
                f"{file}:{line} draws {kind} numbers of the shape {shape}, where the program has none",
                code="verify.no_draws",
                hint="compare the program with the model that it was compiled from",
            )
        # CPython places the call of a method at the method's name, lines behind where the expression begins.
        draw, rows = max(fitting, key=lambda found: found[0].line)
        number = self._taken[draw.name]
        self._taken[draw.name] += 1
        if number >= len(rows):
            raise UsageError(
                f"this place draws more often than the input '{draw.name}' has rows ({len(rows)})",
                code="run.draws_used_up",
            )
        return rows[number].clone()

    def _place(self) -> tuple[str, int, int]:
        """The innermost line that is neither torch's nor ours: file, where its function begins, line."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame is not self._root:
            if not frame.f_code.co_filename.startswith(FILES_OF_REPLAY):
                return frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lineno
            frame = frame.f_back
        return "", 0, 0


def _is_watched(*tensors: Any) -> bool:
    return False


class _Unwatched:
    """torch, where torch.overrides.has_torch_function_variadic() says no."""

    overrides = SimpleNamespace(has_torch_function_variadic=_is_watched)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


@functools.cache
def _unwatched(function: FunctionType) -> FunctionType:
    """A copy of a function of torch's that runs its body, rather than ask a mode for the result."""
    names = [name for name in function.__globals__ if name.startswith("has_torch_function")]
    changed = {**function.__globals__, "torch": _Unwatched(), **dict.fromkeys(names, _is_watched)}
    copy = FunctionType(function.__code__, changed, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _same_file(ours: str, theirs: str) -> bool:
    """A package may have been made where the model's file lies elsewhere."""
    return ours == theirs or (not os.path.exists(ours) and os.path.basename(ours) == os.path.basename(theirs))
