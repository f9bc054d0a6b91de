# SPDX-License-Identifier: Apache-2.0
"""Compiles one program and says how it did against eager."""

import contextlib
import itertools
import linecache
import os
import re
import shutil
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dycl
import numpy
import torch
from dycl.verification.compare import differences
from python.torch.callables.facts import Facts
from python.torch.callables.programs import MARK, Program
from python.torch.callables.search import Endless, seen, within

TOLERANCE = 1e-4
NEAR = 1e-6  # of rounding
SECONDS = 40  # for one compilation, on a busy machine
INPUTS = [torch.tensor(v) for v in ([1.0, 2.0, 0.5], [-1.0, -2.0, -0.5], [0.25, 0.5, -0.25])]
NUMBER = itertools.count()
Outcome = tuple[Any, BaseException | None]  # what came out, or what was raised


@dataclass
class Verdict:
    kind: str  # equal, refused, wrong
    detail: str = ""
    code: str = ""  # of a refusal
    source: str = ""
    line: int = 1  # of the source, where it is refused


class Place:
    """An empty folder that programs run in, with a few files that they may read."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.programs = folder / "programs"
        self.inside = folder / "inside"
        self.cache = cache  # of compilations: small programs have much in common
        self.programs.mkdir(parents=True, exist_ok=True)
        self.inside.mkdir(exist_ok=True)

    def fill(self, number: float) -> None:
        """`number` is what the files hold, so that a program that reads them cannot have read others."""
        os.chdir(self.inside)
        for entry in Path().iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()  # not written over: a program may have mapped it
        Path("data.txt").write_text(f"{number} {number + 1}\n{number + 2} {number + 3}\n")
        Path("data.bin").write_bytes(numpy.array([number, number + 1]).tobytes())

    def listing(self) -> list[tuple[str, bytes]]:
        return sorted((entry.name, entry.read_bytes()) for entry in self.inside.iterdir() if entry.is_file())

    def write(self, source: str) -> Path:
        path = self.programs / f"program_{next(NUMBER)}.py"
        path.write_text(source)
        return path


def loaded(path: Path) -> types.ModuleType:
    """With globals of its own."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def verdict_of(program: Program, place: Place) -> Verdict:
    """Of the first source that is compiled or refused at the call, or of the last."""
    verdict = Verdict("refused")
    for source in program.sources:
        verdict = _verdict(source, place)
        verdict.source = source
        if verdict.kind != "refused" or MARK in source.splitlines()[verdict.line - 1]:
            break
    return verdict


def _verdict(source: str, place: Place) -> Verdict:
    path = place.write(source)
    place.fill(1.0)
    shown, files = _globals(loaded(path)), place.listing()
    module, facts = loaded(path), Facts()
    verdict, program = _compiled(module, path, place)
    changed = facts.changed()
    facts.restore()
    if _globals(module) != shown:
        changed.append("a global")
    if place.listing() != files:
        changed.append("files")
    if changed and verdict.kind != "wrong":
        return Verdict("wrong", f"compiling changed {' and '.join(changed)}")
    return verdict if program is None else _compared(path, program, place)


def _compiled(module: types.ModuleType, path: Path, place: Place) -> tuple[Verdict, Any]:
    try:
        with within(SECONDS):
            program = dycl.compile(module.f, (INPUTS[0],), threads=1, cache=place.cache)
    except dycl.InternalError as error:
        return Verdict("wrong", f"internal error: {error}"), None
    except dycl.Error as refusal:
        return Verdict("refused", refusal.message, refusal.code, line=_line_of(refusal, path)), None
    except Endless:
        return Verdict("wrong", "compiling does not end"), None
    except Exception as error:
        return Verdict("wrong", f"compile raised {type(error).__name__}: {error}"), None
    return Verdict("equal"), program


def _line_of(refusal: dycl.Error, path: Path) -> int:
    """Of the program, where the refusal is inside of what it calls, too."""
    if refusal.file == str(path):
        return refusal.line
    named = re.search(re.escape(str(path)) + r":(\d+)", "\n".join([str(refusal), *refusal.notes]))
    return int(named.group(1)) if named else 1


def _globals(module: types.ModuleType) -> Any:
    return {name: seen(module.__dict__[name]) for name in "abc" if name in module.__dict__}


def _compared(path: Path, program: Any, place: Place) -> Verdict:
    for _ in range(2):
        for number, x in enumerate(INPUTS):
            place.fill(5.0)
            expected = _eager(path, x)
            place.fill(5.0)
            actual = _run(program, x)
            found = _difference(actual, expected)
            if found and not _is_noise(path, x, expected) and _difference(actual, _precise(path, x)):
                return Verdict("wrong", f"input {number}: {found}")
    return Verdict("equal")


def _difference(actual: Outcome, expected: Outcome) -> str:
    """One sentence, or nothing where they are equal."""
    (result, error), (wanted, raised) = actual, expected
    if _type_of(error) != _type_of(raised):
        shown = f"{type(error).__name__}: {error}" if error is not None else "nothing"
        return f"raised {shown}, should have raised {_type_of(raised)}"
    found = differences(result, wanted, TOLERANCE) if error is None else []
    return found[0] if found else ""


def _is_noise(path: Path, x: torch.Tensor, expected: Outcome) -> bool:
    """Whether eager itself gives another answer next to this input, though the same one for the same."""
    return not _difference(_eager(path, x), expected) and bool(
        _difference(_eager(path, x * (1 + NEAR)), expected)
    )


def _precise(path: Path, x: torch.Tensor) -> Outcome:
    """What eager gives in f64, as f32: where it rounds badly, a program may be nearer to the truth."""
    usual = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        result, error = _eager(path, x.double())
    finally:
        torch.set_default_dtype(usual)
    is_double = isinstance(result, torch.Tensor) and result.dtype == torch.float64
    return (result.to(usual) if is_double else result), error


def _eager(path: Path, x: torch.Tensor) -> Outcome:
    facts = Facts()
    try:
        with torch.no_grad(), within(SECONDS):
            return loaded(path).f(x.clone()), None
    except (Exception, Endless, SystemExit) as error:
        return None, error
    finally:
        facts.restore()


def _run(program: Any, x: torch.Tensor) -> Outcome:
    try:
        with within(SECONDS):
            return program(x.clone()), None
    except (Exception, Endless, SystemExit) as error:
        return None, error


def _type_of(error: BaseException | None) -> str:
    if error is None:
        return "nothing"
    return getattr(error, "type_name", "") or type(error).__name__


def forget_programs() -> None:
    linecache.clearcache()
    for name in [name for name in sys.modules if name.startswith("program_")]:
        with contextlib.suppress(KeyError):
            del sys.modules[name]
