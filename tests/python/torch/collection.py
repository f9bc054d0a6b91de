# SPDX-License-Identifier: Apache-2.0
"""All programs of this folder, and what their inputs reach of them in eager."""

import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from zlib import crc32

import pytest
from dycl.verification.eager import Decision
from python.torch.case import CASES, Case
from python.torch.harness import Eager, run_eager

FOLDER = Path(__file__).parent / "programs"
STATIC = "# static"  # on a line that no input can reach, since what decides is known at compile time


def all_cases() -> dict[str, Case]:
    """ "branches.if_else" -> case."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        module = importlib.import_module(f"python.torch.programs.{path.stem}")
        for case in CASES.get(module.__name__, ()):
            name = f"{path.stem}.{case.name}"
            assert name not in found, f"two programs are called {name}"
            found[name] = case
    return found


def quick_part(names: Iterable[str], every: int) -> list[Any]:
    """Parameters of a test: about one in `every` names is tried by `make test`, all of them by
    `make test-all`. A name decides by itself, so that a new program changes nothing for the others."""
    return [
        pytest.param(name, marks=[] if crc32(name.encode()) % every == 0 else pytest.mark.long)
        for name in names
    ]


def codes_of(source: Any) -> list[CodeType]:
    """The code of a function, or of all methods of a class."""
    if not isinstance(source, type):
        return _with_inner(source.__code__)
    codes = []
    for member in vars(source).values():
        for function in (member, *(getattr(member, name, None) for name in ("fget", "fset", "__func__"))):
            code = getattr(function, "__code__", None)
            if code is None or code.co_name == "__init__":  # runs before compilation
                continue
            if code.co_filename == sys.modules[source.__module__].__file__:
                codes += _with_inner(code)
    return codes


def _with_inner(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(deeper for one in inner for deeper in _with_inner(one))]


def lines_of(source: Any) -> set[int]:
    lines: set[int] = set()
    for code in codes_of(source):
        lines |= {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
    file = sys.modules[source.__module__].__file__ or ""
    text = Path(file).read_text().splitlines()
    return {line for line in lines if STATIC not in text[line - 1] and "nonlocal" not in text[line - 1]}


def run_with_lines(case: Case, model: Any) -> tuple[list[Eager], set[int]]:
    """Every call in eager, and the lines of the program's file that ran."""
    file = os.path.abspath(sys.modules[case.source.__module__].__file__ or "")
    ran: set[int] = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != file:
            return None
        ran.add(frame.f_lineno)
        return trace

    runs = []
    before = sys.gettrace()
    for call in case.calls:
        sys.settrace(trace)
        try:
            runs.append(run_eager(model, call, case.tolerance))
        finally:
            sys.settrace(before)
    return runs, ran


def one_sided(decisions: list[Decision]) -> list[str]:
    """Branches on the input that always went the same way."""
    seen: dict[tuple[str, int, int], set[Any]] = {}
    for decision in decisions:
        if decision.kind == "bool" and decision.from_input:
            seen.setdefault((decision.file, decision.line, decision.column), set()).add(decision.value)
    return [f"line {line}: always {values}" for (_, line, _), values in seen.items() if len(values) < 2]
