# SPDX-License-Identifier: Apache-2.0
"""Compiles one entry and compares it with eager, in a process of its own: packages change what all share."""

import copy
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dycl
import torch
from dycl import Call
from dycl.verification.compare import Comparison
from dycl.verification.replay import Replay
from python.torch.packages.double import is_as_exact
from python.torch.packages.model import Model
from python.torch.packages.paths import path_of

TESTS = Path(__file__).parents[3]
TOLERANCE = 1e-5
SECONDS = 300  # of a processor, to build, compile and compare one entry
PATIENCE = 4  # times as many by the clock, since other work may run beside


@dataclass
class Outcome:
    name: str
    outcome: str  # equal, refused, wrong, error, time
    where: str = ""  # of a refusal: the file and line
    code: str = ""
    message: str = ""
    hint: str = ""
    seconds: float = 0.0  # to compile
    paths: int = 0  # that eager takes for the six calls

    @property
    def refused(self) -> str:
        """As refused.toml has it."""
        return f"{self.where} {self.code}" if self.outcome == "refused" else ""

    def __str__(self) -> str:
        place = f" at {self.where} {self.code}" if self.outcome == "refused" else ""
        spoken = f"{self.name}{place}  {self.message[:200]}".replace("\n", " ").rstrip()
        return f"{self.outcome:8}{self.seconds:6.1f} s  {self.paths} paths  {spoken}"


def attempt(model: Model, seconds: int = SECONDS, cache: bool = True) -> Outcome:
    """In a child, which may take so many seconds of a processor."""
    command = [sys.executable, "-m", __package__, "--child", model.name, "--seconds", str(seconds)]
    folders = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": folders, "PYTHONWARNINGS": "ignore"}
    late = Outcome(model.name, "time", message=f"not done after {seconds} s")
    try:
        done = subprocess.run(
            [*command, *([] if cache else ["--no-cache"])],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE * seconds,
        )
    except subprocess.TimeoutExpired:
        return late
    if done.returncode == -signal.SIGXCPU:
        return late
    found = re.findall(r"^OUTCOME (.*)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        return Outcome(model.name, "error", message=f"it ended with {done.returncode}: {done.stderr[-600:]}")
    return Outcome(**json.loads(found[0]))


def report(model: Model, seconds: int, cache: bool) -> None:
    """What the child says."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
    print("OUTCOME", json.dumps(asdict(attempt_here(model, cache))), flush=True)


def attempt_here(model: Model, cache: bool = True) -> Outcome:
    outcome = Outcome(model.name, "error")
    try:
        source, calls = model.build()
        outcome.paths = count_paths(model, source, calls)
        program = _compiled(model, source, calls[0], outcome, cache)
        wrong = _compared(model, source, program, calls)
        outcome.outcome, outcome.message = ("wrong", "; ".join(wrong)) if wrong else ("equal", "")
    except dycl.UnsupportedError as error:
        outcome.outcome, outcome.where = "refused", _place(error)
        outcome.code, outcome.message, outcome.hint = error.code, error.message, error.hint
    except Exception as error:
        outcome.message = f"{type(error).__name__}: {error}"
    return outcome


def count_paths(model: Model, source: Any, calls: list[Call]) -> int:
    """Packages fill caches at the first calls, as they did for a user; then a call always takes one path."""
    sources = [copy.deepcopy(source) for _ in range(3)] if model.state else [source] * 3
    _, second, third = ([path_of(run, call) for call in calls] for run in sources)
    assert second == third, "the same calls take other paths: it is random"
    return len(set(second))


def _compiled(model: Model, source: Any, call: Call, outcome: Outcome, cache: bool) -> Any:
    options = {"state": model.state, "dynamic_shapes": model.dynamic_shapes, "cache": cache}
    if model.draws:
        options["randomness"] = "inputs"
    started = time.monotonic()
    try:
        return dycl.compile(source, call.args, call.kwargs, progress=False, **options)
    finally:
        outcome.seconds = time.monotonic() - started


def _compared(model: Model, source: Any, program: Any, calls: list[Call]) -> list[str]:
    """One sentence for each difference in what is returned, or written to an argument."""
    found = []
    eager = copy.deepcopy(source) if model.state else source
    for number, call in enumerate(calls):
        ours, theirs = copy.deepcopy(call), copy.deepcopy(call)
        trace = program.trace(*ours.args, **ours.kwargs)
        with torch.no_grad(), Replay(program.draws, trace.draws):
            expected = eager(*theirs.args, **theirs.kwargs)
        if trace.error is not None:
            raise trace.error
        if model.rounding_decides and is_as_exact(trace.result, expected, source, call):
            continue
        comparison = Comparison(TOLERANCE)
        comparison.compare(trace.result, expected)
        comparison.compare_arguments((ours.args, ours.kwargs), (theirs.args, theirs.kwargs))
        found += [f"call {number}: {line}" for line in comparison.problems]
    return found


def _place(error: dycl.UnsupportedError) -> str:
    """The innermost line that is not torch's, with two parts of its path, the same on every machine."""
    called = [re.match(r"called from (.+):(\d+):\d+$", note) for note in error.notes]
    places = [(error.file, str(error.line)), *((found[1], found[2]) for found in called if found)]
    places = [
        place for place in places if not place[0].startswith(f"{Path(torch.__file__).parent}/")
    ] or places
    file, line = places[0]
    return f"{'/'.join(Path(file).parts[-2:])}:{line}" if file else "the call"
