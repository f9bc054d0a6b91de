# SPDX-License-Identifier: Apache-2.0
"""Programs around one call: which of them are run depends on whether the call changes its argument."""

import re
import zlib
from dataclasses import dataclass, replace

from python.torch.callables.arguments import DEFINITIONS, KINDS, Kind
from python.torch.callables.digests import FUNCTIONS, OF_ARGUMENTS, uses
from python.torch.callables.namespaces import MODULES
from python.torch.callables.search import Call

MARK = "  # the call"
CONDITION = "x.sum() > 0"


@dataclass(frozen=True)
class Program:
    """`sources` differ in their digests only: a later one is for where an earlier one is refused at those."""

    shape: str
    call: Call
    sources: tuple[str, ...]


def programs_of(name: str, calls: list[Call]) -> list[Program]:
    """All programs around the first call that writes and the first that does not, a few around each other.
    Which few depends on the name, so that over all callables every shape meets every kind of argument."""
    programs = []
    turn = zlib.crc32(name.encode())
    for writes in (True, False):
        for rank, call in enumerate(call for call in calls if call.writes == writes):
            shapes = shapes_for(call)
            if rank > 0:
                first = (turn + rank) % len(shapes)
                shapes = [shapes[0], *(shapes[1:] * 2)[first : first + 2]] if writes else [shapes[first]]
            programs += [_program(shape, call, name) for shape in dict.fromkeys(shapes)]
    return programs


def shapes_for(call: Call) -> list[str]:
    kind = KINDS[call.kind]
    shapes = ["branch"]
    if call.kind not in ("dynamic", "dynamics"):  # made of the input
        shapes.append("outside")
    if call.writes:
        shapes += ["loop", "alias", "arms", "either"]
        if kind.base:
            shapes.append("view")
        if re.fullmatch(r"a\.\w+\(.*\)", call.text):
            shapes += ["bound", "unbound"]
        elif re.fullmatch(r"[\w.]+\(a, .*\)", call.text):
            shapes.append("partial")
    if call.write and not call.is_statement:
        shapes.append("result")
    if call.shares and kind.write:
        shapes.append("later")
    return shapes


def _program(shape: str, call: Call, name: str) -> Program:
    kind = KINDS[call.kind]
    shown = {"alias": kind.back, "view": "base"}.get(shape, "a")
    written = _in_other_words(shape, call, name)
    sources = []
    for digest in OF_ARGUMENTS[kind.digest]:
        body = SHAPES[shape](written, kind, digest.format(shown), digest)
        sources.append(_with_definitions(body))
    return Program(shape, written, tuple(dict.fromkeys(sources)))


def _in_other_words(shape: str, call: Call, name: str) -> Call:
    """A method called through its class, a function through a partial one."""
    if shape == "unbound":
        _, _, rest = call.text.partition("(")
        return replace(call, text=f"{name}(a)" if rest == ")" else f"{name}(a, {rest}")
    if shape == "partial":
        function, _, rest = call.text.partition("(a, ")
        return replace(call, text=f"functools.partial({function}, a)({rest}")
    return call


def _with_definitions(body: str) -> str:
    used = [text for name, text in [*DEFINITIONS.items(), *FUNCTIONS.items()] if uses(body, name)]
    text = "\n\n".join([*used, body])
    imports = [f"import {module}\n" for module in MODULES if uses(text, module.split(".")[0])]
    kept = [line for line in imports if line.count(".") == 0 or line[7:-1] in text]
    return "".join(dict.fromkeys(kept)) + "\n" + text


def _others(call: Call, kind: Kind) -> list[str]:
    return [f"{name} = {kind.other or kind.make}" for name in "bc" if uses(call.text, name)]


def _lines(*lines: str) -> str:
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def _result(call: Call) -> list[str]:
    """The call, and its result folded into d."""
    if call.is_statement:
        return [f"    {call.text}{MARK}"]
    return [f"    r = {call.text}{MARK}", f"    d = {call.digest}"]


def _branch(call: Call, kind: Kind, digest: str, _: str) -> str:
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        "d = 0.0",
        f"if {CONDITION}:",
        *_result(call),
        f"return x + {digest} + 3 * d",
    )


def _outside(call: Call, kind: Kind, digest: str, _: str) -> str:
    """The argument is a global, which an augmented assignment must name so."""
    globals_ = [f"a = {kind.make}\n"] + [f"{line}\n" for line in _others(call, kind)]
    named = ["global a"] if call.text.startswith("a ") else []
    body = _lines(*named, "d = 0.0", f"if {CONDITION}:", *_result(call), f"return x + {digest} + 3 * d")
    return "".join(globals_) + "\n\n" + body


def _loop(call: Call, kind: Kind, digest: str, _: str) -> str:
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        "n = 0",
        "while n < x.sum():",
        f"    {call.text}{MARK}",
        "    n += 1",
        f"return x + {digest}",
    )


def _alias(call: Call, kind: Kind, digest: str, _: str) -> str:
    """Something made of the argument before the call is read after it."""
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        f"s = {kind.alias}",
        f"if {CONDITION}:",
        f"    {call.text}{MARK}",
        f"return x + {digest}",
    )


def _view(call: Call, kind: Kind, digest: str, _: str) -> str:
    """The call writes through a view; what is below it is read."""
    return _lines(
        f"base = {kind.base}",
        *_others(call, kind),
        f"a = {kind.part}",
        f"if {CONDITION}:",
        f"    {call.text}{MARK}",
        f"return x + {digest}",
    )


def _arms(call: Call, kind: Kind, digest: str, _: str) -> str:
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        f"if {CONDITION}:",
        f"    {call.text}{MARK}",
        "else:",
        f"    {call.text}{MARK}",
        f"    {call.text}{MARK}",
        f"return x + {digest}",
    )


def _either(call: Call, kind: Kind, digest: str, plain: str) -> str:
    """Which object is written to depends on the branch."""
    return _lines(
        f"one = {kind.make}",
        f"two = {kind.make}",
        *_others(call, kind),
        f"a = one if {CONDITION} else two",
        f"{call.text}{MARK}",
        f"return x + {plain.format('one')} + 3 * ({plain.format('two')})",
    )


def _bound(call: Call, kind: Kind, digest: str, _: str) -> str:
    """A method that is looked up before the branch."""
    method, _, rest = call.text.partition("(")
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        f"g = {method}",
        f"if {CONDITION}:",
        f"    g({rest}{MARK}",
        f"return x + {digest}",
    )


def _of_result(call: Call, kind: Kind, digest: str, _: str) -> str:
    """What the call gave is written to: is it new, or a part of the argument?"""
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        f"r = {call.text}{MARK}",
        f"if {CONDITION}:",
        f"    {call.write}",
        f"return x + {digest} + 3 * ({call.digest})",
    )


def _later(call: Call, kind: Kind, digest: str, _: str) -> str:
    """The argument is written to after the call: does what the call gave see it?"""
    result = "r = a" if call.is_statement else f"r = {call.text}"
    return _lines(
        f"a = {kind.make}",
        *_others(call, kind),
        f"{result}{MARK}",
        f"if {CONDITION}:",
        f"    {kind.write}",
        f"return x + {digest} + 3 * ({call.digest})",
    )


SHAPES = {
    "branch": _branch,
    "outside": _outside,
    "loop": _loop,
    "alias": _alias,
    "view": _view,
    "arms": _arms,
    "either": _either,
    "bound": _bound,
    "unbound": _branch,
    "partial": _branch,
    "result": _of_result,
    "later": _later,
}
