# SPDX-License-Identifier: Apache-2.0
"""The Python side of backends/common/worker.h: answers a plugin's questions until the plugin is gone.

A message is the number of its parts (u32), their sizes (u64 each) and their bytes, little endian; the first
part is JSON. Whatever libraries print goes to stderr.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

Progress = Callable[[str], None]
# arguments, the byte strings beside them, a function to report progress with -> an object and byte strings
Handler = Callable[[Any, Sequence[bytes], Progress], tuple[Any, Sequence[bytes]]]


class Failed(Exception):  # noqa: N818  what the plugin then reports is the error
    """What a handler raises to say in its own words why there is no answer."""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.told = {"code": code, "message": message, "hint": hint}


def one_line(error: BaseException, limit: int = 400) -> str:
    """An error's own text on one line: of a text with many, the first that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if text.endswith(":") and len(lines) > 1:
        text += " " + lines[1]
    return text if len(text) <= limit else text[: limit - 1] + "…"


def serve(handlers: Mapping[str, Handler]) -> None:
    """Runs until the other end of the channel is closed."""
    channel = os.dup(0)  # not inherited by compilers that handlers start
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(channel,), daemon=True).start()
    with os.fdopen(channel, "rb", closefd=False) as source, os.fdopen(channel, "wb", closefd=False) as sink:
        while (message := _read(source)) is not None:
            _write(sink, *_answer(handlers, message, lambda text: _write(sink, {"progress": text}, [])))


def ask(
    channel: socket.socket, question: str, arguments: Any, parts: Sequence[bytes]
) -> tuple[Any, list[bytes]]:
    """One question to a process that serves at the other end. Raises EOFError where that has ended."""
    with channel.makefile("rb") as source, channel.makefile("wb") as sink:
        try:
            _write(sink, {"question": question, "arguments": arguments}, parts)
            message = _read(source)
        except OSError:
            message = None
    if message is None:
        raise EOFError
    answer = json.loads(message[0])
    if "failed" in answer:
        raise Failed(answer["failed"]["message"], code=answer["failed"]["code"])
    return answer["answer"], message[1:]


def _answer(
    handlers: Mapping[str, Handler], message: list[bytes], progress: Progress
) -> tuple[Any, Sequence[bytes]]:
    question = json.loads(message[0])
    name = question["question"]
    try:
        if name not in handlers:
            raise Failed(f"the worker knows no '{name}'", code="worker.unknown_question")
        answer, parts = handlers[name](question["arguments"], message[1:], progress)
    except Failed as failed:
        return {"failed": failed.told}, []
    except Exception as error:
        traceback.print_exc()
        unknown = Failed(f"{type(error).__name__}: {one_line(error)}", code="worker.exception")
        return {"failed": unknown.told}, []
    return {"answer": answer}, parts


def _end_with(channel: int) -> None:
    """The plugin's process may end while a handler is busy: nobody waits for its answer then."""
    poll = select.poll()
    poll.register(channel, select.POLLRDHUP)
    while not any(event & (select.POLLHUP | select.POLLRDHUP | select.POLLERR) for _, event in poll.poll()):
        pass
    os._exit(0)


def _read(source: BinaryIO) -> list[bytes] | None:
    head = source.read(4)
    if len(head) < 4:
        return None
    (count,) = struct.unpack("<I", head)
    sizes = struct.unpack(f"<{count}Q", source.read(8 * count))
    return [source.read(size) for size in sizes]


def _write(sink: BinaryIO, head: Any, parts: Sequence[bytes]) -> None:
    message = [json.dumps(head).encode(), *parts]
    sizes = [len(part) for part in message]
    sink.write(struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes))
    for part in message:
        sink.write(part)
    sink.flush()
