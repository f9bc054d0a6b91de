# SPDX-License-Identifier: Apache-2.0
"""Runs all programs around one callable in a child process, which may crash or hang without harm."""

import json
import mmap
import os
import resource
import select
import shutil
import signal
import struct
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import dycl
import torch
from python.torch.callables.judge import INPUTS, Place, forget_programs, loaded, verdict_of
from python.torch.callables.namespaces import Target
from python.torch.callables.programs import programs_of
from python.torch.callables.search import calls_of

MEMORY = 24 << 30  # of addresses, most of which torch only reserves
SECONDS = 120  # without a word from the child
SIZE = 1 << 14  # of what is shared with a child
PATIENCE = 20  # calls that end the child when Python runs them, before a callable is given up
SEARCH, PROGRAM = 0, 1


@dataclass
class Outcome:
    """Of one callable."""

    name: str
    exercised: bool = False
    verdicts: list[dict[str, Any]] = field(default_factory=list)


class Desk:
    """Shared with the child: what it works on, so that this is known when the child ends."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, SIZE)

    def note(self, phase: int, number: int, text: str = "") -> None:
        struct.pack_into("qq", self.memory, 0, phase, number)
        if text:
            self.memory[16:] = text.encode().ljust(SIZE - 16, b"\0")

    def read(self) -> tuple[int, int]:
        phase, number = struct.unpack_from("qq", self.memory, 0)
        return phase, number

    def text(self) -> str:
        return self.memory[16:].rstrip(b"\0").decode()


def warm_up(cache: Path) -> None:
    """Imports happen once, before any child is made."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), cache)
        path = place.write("import torch\n\n\ndef f(x):\n    return x + 1 if x.sum() > 0 else torch.sin(x)\n")
        dycl.compile(loaded(path).f, (INPUTS[0],), threads=1, cache=False)(INPUTS[0])
        os.chdir(home)


def outcome_of(target: Target, cache: Path) -> Outcome:
    outcome, harmful = Outcome(target.name), set[int]()
    while len(harmful) < PATIENCE:
        desk = Desk()
        ended = ""
        for message in _messages(target, harmful, len(outcome.verdicts), desk, cache):
            outcome.exercised = outcome.exercised or message["exercised"]
            if message["kind"] == "done":
                return outcome
            if message["kind"] == "ended":
                ended = message["detail"]
            else:
                outcome.verdicts.append(message)
        phase, number = desk.read()
        if phase == SEARCH:
            harmful.add(number)
        else:
            outcome.verdicts.append({"kind": "wrong", "detail": ended, "source": desk.text(), "shape": "any"})
    return outcome


def _messages(
    target: Target, harmful: set[int], skipped: int, desk: Desk, cache: Path
) -> Iterator[dict[str, Any]]:
    """What the child tells; the last message says that it is done, or how it ended."""
    folder = tempfile.mkdtemp(prefix="callable-")
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        _work(target, harmful, skipped, desk, Place(Path(folder), cache), writable)
    os.close(writable)
    reader = os.fdopen(readable, "rb", buffering=0)
    try:
        while line := _line(reader):
            yield json.loads(line)
    finally:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        reader.close()
        shutil.rmtree(folder, ignore_errors=True)
    how = "hung" if line is None else f"crashed, status {os.waitstatus_to_exitcode(status)}"
    yield {"kind": "ended", "detail": how, "exercised": False}


def _line(reader: Any) -> bytes | None:
    """None where the child says nothing for too long."""
    ready, _, _ = select.select([reader], [], [], SECONDS)
    return reader.readline() if ready else None


def _work(target: Target, harmful: set[int], skipped: int, desk: Desk, place: Place, pipe: int) -> NoReturn:
    try:
        _settle(place)
        place.fill(1.0)
        calls = calls_of(target, harmful, lambda number: desk.note(SEARCH, number))
        programs = programs_of(target.name, calls)
        for number, program in enumerate(programs[skipped:], skipped):
            desk.note(PROGRAM, number, program.sources[0])
            verdict = asdict(verdict_of(program, place))
            forget_programs()
            told = {"shape": program.shape, "call": program.call.text, "argument": program.call.kind}
            tell(pipe, exercised=True, **told, **verdict)
        tell(pipe, exercised=bool(calls), kind="done")
        signal.pause()  # the parent ends it: nothing of a long life is torn down here
    finally:
        os._exit(1)


def _settle(place: Place) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.environ["TMPDIR"] = str(place.inside)


def tell(pipe: int, **message: Any) -> None:
    text = json.dumps(message).encode() + b"\n"
    while text:
        text = text[os.write(pipe, text) :]
