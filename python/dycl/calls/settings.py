# SPDX-License-Identifier: Apache-2.0
"""Settings of the process that the model asks for: a program holds for the answers it was compiled with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from dycl.errors import UsageError


def _is_distributed() -> bool:
    import torch

    return torch.distributed.is_available() and torch.distributed.is_initialized()


def _of_torch(name: str) -> Callable[[], Any]:
    """Asks torch, which need not be there where nothing is asked."""

    def ask() -> Any:
        import torch

        return getattr(torch, name)()

    return ask


_TORCH = """get_default_dtype are_deterministic_algorithms_enabled
is_deterministic_algorithms_warn_only_enabled"""
# By the names that the machine notes (src/partial_eval/prelude/process.py).
_QUESTIONS: dict[str, Callable[..., Any]] = {
    "os.environ.get": os.environ.get,
    "torch.distributed.is_initialized": _is_distributed,
    **{f"torch.{name}": _of_torch(name) for name in _TORCH.split()},
}


class Settings:
    """`facts` are the program's questions and their answers as Python writes them: 'os.environ.get("A")'."""

    def __init__(self, facts: list[tuple[str, str]]) -> None:
        asked = {question: answer for question, answer in facts if _name_of(question) in _QUESTIONS}
        self._asked = [(question, *_call_of(question), answer) for question, answer in asked.items()]

    def check(self) -> None:
        """Raises where a setting is not as it was."""
        for question, ask, arguments, answer in self._asked:
            now = repr(ask(*arguments))
            if now != answer:
                raise UsageError(
                    f"the program was compiled where {question} is {answer}; it is {now} now",
                    code="call.setting",
                    hint="set it as it was, or compile again",
                )


def _name_of(question: str) -> str:
    return question.partition("(")[0]


def _call_of(question: str) -> tuple[Callable[..., Any], list[Any]]:
    """The arguments are written as JSON."""
    name = _name_of(question)
    return _QUESTIONS[name], json.loads(f"[{question[len(name) + 1 : -1]}]")
