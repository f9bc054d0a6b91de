# SPDX-License-Identifier: Apache-2.0
"""Compiles one program and says how it did against eager."""

import contextlib
import importlib.util
import itertools
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dycl
import torch
from dycl import Call
from dycl.verification.compare import differences
from python.torch.harness import Judge, Undecided, run_eager

TOLERANCE = 1e-5
FAILING_REFUSALS = {"python.attempts"}
NUMBER = itertools.count()


class Endless(BaseException):  # passes every handler of the program
    pass


@dataclass
class Verdict:
    kind: str  # equal, refused, wrong, error, crash, slow, endless (eager itself)
    detail: str = ""
    code: str = ""  # of the refusal
    undecided: int = 0  # inputs on which floating-point noise decides
    compared: int = 0
    pairs: int = 0
    pair: str = ""  # the other program, where that failed

    @property
    def failed(self) -> bool:
        return self.kind in ("wrong", "error", "crash", "slow") or self.code in FAILING_REFUSALS

    @property
    def what(self) -> str:
        """What a smaller program must still show."""
        return f"{self.kind} {self.code}".strip()


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def load(source: str, folder: Path) -> Any:
    """The function `program`; the compiler reads source files, so that there must be one."""
    path = folder / f"random_program_{next(NUMBER)}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.program


def _plain_run(model: Any, call: Call) -> None:
    with torch.no_grad(), contextlib.suppress(Exception):
        model(*[tensor.clone() for tensor in call.args])


def compiled(model: Any, calls: list[Call], seconds: float = 10) -> tuple[Verdict, Any]:
    """With the first input as example; the program is None where the verdict is not equal."""
    try:
        with within(seconds):
            for call in calls:
                _plain_run(model, call)
    except Endless:
        return Verdict("endless"), None
    try:
        return Verdict("equal"), dycl.compile(model, calls[0].args, threads=1)
    except dycl.UnsupportedError as refusal:
        return Verdict("refused" if refusal.line > 0 else "error", str(refusal), refusal.code), None
    except Exception as error:
        return Verdict("error", f"{type(error).__name__}: {error}"), None


def compared(model: Any, program: Any, calls: list[Call]) -> Verdict:
    verdict = Verdict("equal")
    judge = Judge(model, program, TOLERANCE, may_lack=True)
    for call in calls:
        try:
            judge.compare(call, str([tensor.tolist() for tensor in call.args]))
            verdict.compared += 1
        except Undecided:
            verdict.undecided += 1
        except AssertionError as difference:
            return Verdict("wrong", str(difference))
        except Exception as error:
            return Verdict("error", f"{type(error).__name__}: {error}")
    return verdict


def disagreement(one: tuple[Any, Any], other: tuple[Any, Any], calls: list[Call]) -> str | None:
    """Where two programs (each with its model) of one meaning give different results on decided inputs."""
    for call in calls:
        eager = [run_eager(model, call, TOLERANCE) for model, _ in (one, other)]
        if any(decision.undecided for run in eager for decision in run.decisions):
            continue
        runs = [program.trace(*[tensor.clone() for tensor in call.args]) for _, program in (one, other)]
        errors = [repr(run.error) for run in runs]
        found = differences(runs[0].result, runs[1].result, TOLERANCE)
        if errors[0] != errors[1] or found:
            return f"{[tensor.tolist() for tensor in call.args]}: {errors} {found}"
    return None


torch.set_num_threads(1)
