# SPDX-License-Identifier: Apache-2.0
"""Settings of the process that the model asks for: a program holds for the answers it was compiled with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dycl.errors import UsageError


def _is_distributed() -> bool:
    import torch

    return torch.distributed.is_available() and torch.distributed.is_initialized()


def _of_torch(name: str) -> Callable[[], Any]:
    """Asks torch, which need not be there where nothing is asked."""

    def ask(*arguments: Any) -> Any:
        import torch

        return getattr(torch, name)(*arguments)

    return ask


_TORCH = """get_default_dtype get_default_device are_deterministic_algorithms_enabled
is_deterministic_algorithms_warn_only_enabled is_autocast_enabled is_autocast_cpu_enabled
is_autocast_cache_enabled get_autocast_dtype get_autocast_cpu_dtype"""
# By the names that the machine notes (src/partial_eval/prelude/process.py).
_QUESTIONS: dict[str, Callable[..., Any]] = {
    "os.environ.get": os.environ.get,
    "torch.distributed.is_initialized": _is_distributed,
    **{f"torch.{name}": _of_torch(name) for name in _TORCH.split()},
}


_DEFAULTS = {"default_dtype": "torch.float32", "autocast": "off"}
_WORDS = {"default_dtype": "torch's default dtype", "autocast": "torch.autocast on the CPU"}


def settings_of_torch() -> dict[str, str]:
    """What decides the dtypes of results without being asked for."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return _DEFAULTS
    casts = torch.is_autocast_enabled("cpu")
    return {
        "default_dtype": str(torch.get_default_dtype()),
        "autocast": str(torch.get_autocast_dtype("cpu")) if casts else "off",
    }


def check_settings_of_torch(compiled: Mapping[str, str]) -> None:
    now = settings_of_torch()
    for name, answer in compiled.items():
        if now[name] != answer:
            raise UsageError(
                f"the program was compiled with {_WORDS[name]} {answer}; it is {now[name]} now",
                code="call.setting",
                hint="set it as it was, or compile again",
            )


class Settings:
    """`facts` are the program's questions and their answers as Python writes them: 'os.environ.get("A")'.
    `context_reads` are the context variables that it read: the variable, whether a default was given, and a
    tuple of the value that it had, if any. A package cannot hold them."""

    def __init__(
        self, facts: list[tuple[str, str]], context_reads: Sequence[tuple[Any, bool, tuple[Any, ...]]] = ()
    ) -> None:
        self._context_reads = list(context_reads)
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
        for variable, has_default, had in self._context_reads:
            if not _is_same(_value_of(variable, has_default), had):
                raise UsageError(
                    f"the context variable '{variable.name}' had another value when the program was compiled",
                    code="call.setting",
                    hint="set it as it was, or compile again",
                )


def _value_of(variable: Any, has_default: bool) -> tuple[Any, ...]:
    """What get() gives, in a tuple; nothing where it has no value, or gives the default it is given."""
    nothing = object()
    try:
        value = variable.get(nothing) if has_default else variable.get()
    except LookupError:
        return ()
    return () if value is nothing else (value,)


def _is_same(now: tuple[Any, ...], had: tuple[Any, ...]) -> bool:
    """Numbers and texts are compared by value: there may be two objects for one."""
    if len(now) != len(had) or not now:
        return len(now) == len(had)
    plain = type(now[0]) in (bool, int, float, str) and type(now[0]) is type(had[0])
    return now[0] is had[0] or (plain and repr(now[0]) == repr(had[0]))


def _name_of(question: str) -> str:
    return question.partition("(")[0]


def _call_of(question: str) -> tuple[Callable[..., Any], list[Any]]:
    """The arguments are written as JSON."""
    name = _name_of(question)
    return _QUESTIONS[name], json.loads(f"[{question[len(name) + 1 : -1]}]")
