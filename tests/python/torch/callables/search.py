# SPDX-License-Identifier: Apache-2.0
"""Finds calls that return: callables have no signatures that could be read, so ways are tried."""

import importlib
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from python.torch.callables import digests
from python.torch.callables.arguments import DEFINITIONS, KINDS, Kind, kinds_for, ways, writing_ways
from python.torch.callables.facts import Facts
from python.torch.callables.namespaces import MODULES, Target
from python.torch.callables.recipes import RECIPES

WRITING, PLAIN = 4, 3  # kinds of arguments that are kept, where the call changes them and where not
MORE = 1500  # ways that are tried after the first that returned
SYNTAX = ("statement", "expression")


class Endless(BaseException):  # passes every handler of the program
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Of the processor's time, so that a busy machine changes nothing."""

    def stop(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Call:
    kind: str
    text: str  # an expression, or a statement where `is_statement`
    writes: bool  # changes `a`
    shares: bool  # gives `a`, or a part of it
    digest: str  # of the result r
    write: str  # a statement that changes r
    is_statement: bool = False


def namespace() -> dict[str, Any]:
    found: dict[str, Any] = {"x": torch.tensor([1.0, 2.0, 0.5])}
    for module in MODULES:
        importlib.import_module(module)
        root = module.partition(".")[0]
        found[root] = importlib.import_module(root)
    for text in DEFINITIONS.values():
        exec(text, found)
    return found


@dataclass(frozen=True)
class Attempt:
    kind: str
    text: str
    is_recipe: bool = False
    may_write: bool = True  # tried although another that does not write was found


def attempts(target: Target) -> list[Attempt]:
    """In the order in which they are tried."""
    made = [Attempt(kind, _text(target, way), True) for kind, way in RECIPES.get(target.name, [])]
    kinds = target.receivers or kinds_for(target.name)
    in_method = target.form == "method"
    for kind in kinds:
        if target.form in SYNTAX:
            made += [Attempt(kind, text) for text in target.texts]
            continue
        all_ways, writing = ways(in_method), writing_ways(in_method)
        made += [Attempt(kind, _text(target, way), may_write=way in writing) for way in all_ways]
    return made if target.form in SYNTAX else [*made, Attempt("number", _text(target, ""))]


def _text(target: Target, way: str) -> str:
    (name,) = target.texts
    return f"a.{name}({way})" if target.form == "method" else f"{name}({way})"


class Found:
    """Calls that return, at most one that writes and one that does not for each kind, and all by recipe."""

    def __init__(self, writing: int) -> None:
        self.writing = writing  # how many that write are kept
        self.calls: list[Call] = []
        self.met: set[tuple[str, bool]] = set()  # kinds, with and without a write
        self.first: int | None = None  # the attempt

    def wants(self, attempt: Attempt) -> bool:
        if attempt.is_recipe:
            return True
        if (attempt.kind, True) in self.met or (not digests.uses(attempt.text, "a") and self.calls):
            return False
        return attempt.may_write or (attempt.kind, False) not in self.met

    def is_enough(self, number: int) -> bool:
        writing = sum(writes for _, writes in self.met)
        if writing >= self.writing and len(self.met) >= self.writing + PLAIN:
            return True
        return self.first is not None and number > self.first + MORE

    def add(self, number: int, attempt: Attempt, call: Call) -> None:
        self.first = number if self.first is None else self.first
        if attempt.is_recipe or (call.kind, call.writes) not in self.met:
            self.calls.append(call)
        self.met.add((call.kind, call.writes))

    def kept(self) -> list[Call]:
        writing = [call for call in self.calls if call.writes][: self.writing]
        return writing + [call for call in self.calls if not call.writes][:PLAIN]


def calls_of(target: Target, harmful: set[int], begin: Callable[[int], None]) -> list[Call]:
    """Those that return; `harmful` ones are not tried, and `begin` is told which is."""
    names, facts = namespace(), Facts()
    found = Found(len(KINDS) if target.form in SYNTAX else WRITING)
    for number, attempt in enumerate(attempts(target)):
        if found.is_enough(number):
            break
        if number in harmful or not found.wants(attempt):
            continue
        begin(number)
        call = _tried(target, attempt.kind, attempt.text, names)
        if call is not None:
            facts.restore()
            found.add(number, attempt, call)
    return found.kept()


def _tried(target: Target, kind_name: str, text: str, names: dict[str, Any]) -> Call | None:
    kind = KINDS[kind_name]
    is_statement = target.form == "statement"
    try:
        with within(2):
            result = _run(kind, text, is_statement, names)
        given = names["a0"]
        shares = _shares(result, given)
        writes = seen(given) != seen(eval(kind.make, names))
        if hasattr(result, "__next__"):  # it may be a view of what was used up just now
            result = _run(kind, text, is_statement, names)
        digest, write = digests.of_result(result), digests.write_to_result(result)
    except (Exception, Endless, SystemExit, KeyboardInterrupt):
        return None
    return Call(kind_name, text, writes, shares, digest, write, is_statement)


def _run(kind: Kind, text: str, is_statement: bool, names: dict[str, Any]) -> Any:
    for name, made in (("a", kind.make), ("b", kind.other or kind.make), ("c", kind.other or kind.make)):
        names[name] = eval(made, names)
    names["a0"] = names["a"]
    if not is_statement:
        return eval(text, names)
    exec(text, names)
    return names["a"]


def seen(value: Any, depth: int = 0) -> Any:
    """Something that differs where the contents do; iterators are used up by it."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.requires_grad, repr(value.tolist())
    if isinstance(value, numpy.ndarray):
        return str(value.dtype), value.shape, repr(value.tolist()), value.flags.writeable
    if isinstance(value, dict):
        return [(key, seen(item, depth + 1)) for key, item in list(value.items())]
    if isinstance(value, list | tuple | set | bytearray):
        return [seen(item, depth + 1) for item in list(value)] if depth < 3 else len(value)
    if isinstance(value, torch.nn.Module):
        return [(name, seen(item)) for name, item in value.state_dict().items()] if depth else 0
    if type(value).__name__ == "Spy":
        return value.count
    if hasattr(value, "__next__") or type(value).__name__ == "deque":
        return [seen(item, depth + 1) for item in value]
    return repr(value)


def _shares(result: Any, given: Any) -> bool:
    if result is given:
        return not isinstance(given, int | float | str | bytes)
    if isinstance(result, numpy.ndarray) and isinstance(given, numpy.ndarray):
        return bool(numpy.may_share_memory(result, given))
    if isinstance(result, torch.Tensor) and isinstance(given, torch.Tensor):
        return result.untyped_storage().data_ptr() == given.untyped_storage().data_ptr()
    if isinstance(result, torch.Tensor) and isinstance(given, numpy.ndarray):
        return bool(numpy.may_share_memory(result.numpy(), given))
    return isinstance(result, list | tuple) and any(item is given for item in result)
