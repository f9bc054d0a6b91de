# SPDX-License-Identifier: Apache-2.0
"""Runs work in a child process, which may crash or hang without harm."""

import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

MEMORY = 16 << 30  # of addresses, most of which torch only reserves
Work = Callable[[int], dict[str, Any]]


def each(numbers: list[int], work: Work, seconds: float) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """work(number) for each, in order: its result, or how the child ended that worked on it."""
    left = list(numbers)
    while left:
        reader, child = _start(left, work)
        ended = "crash"
        while left:
            ready, _, _ = select.select([reader], [], [], seconds)
            if not ready:
                ended = "slow"
                break
            line = reader.readline()
            if not line:
                break
            yield left.pop(0), json.loads(line)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        reader.close()
        if left:
            yield left.pop(0), f"{ended} {os.waitstatus_to_exitcode(status)}"


def _start(numbers: list[int], work: Work) -> tuple[Any, int]:
    readable, writable = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.close(writable)
        return os.fdopen(readable, "rb", buffering=0), child
    os.close(readable)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # a program that grows without end must not
    try:
        for number in numbers:
            os.write(writable, json.dumps(work(number)).encode() + b"\n")
        signal.pause()  # the parent ends it: nothing of a long life is torn down here
    finally:
        os._exit(1)
