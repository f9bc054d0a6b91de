# SPDX-License-Identifier: Apache-2.0
"""The options of the commands for Python models. `compile` has the options of the native command, and others
that are about the model itself."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

Print = Callable[[str], None]

COMMANDS = {
    "explain": "list what in a Python model depends on the input, and what becomes of it in the graph",
    "compile": "compile a Python model into a package",
    "verify": "compare a package, or a Python model that is compiled first, with eager PyTorch",
}
_EPILOG = """MODEL is file.py:Name or package.module:name. It names a module class or a factory (called
without arguments, after torch.manual_seed(0), and put in eval mode), a module, or a function on tensors.
An input is NAME=1x3x32x32xf32 (zeros), NAME=3xf32=1,2,3 or NAME=@file.npy; --inputs may be repeated.
Exit codes: 0 ok, 1 different from eager, 2 usage, 3 unsupported, 4 backend, 5 package, 6 the model raised,
70 a bug in DyCL."""


# Those of a Python model only; the native help of `compile` lists the others.
_OF_PYTHON = (
    "input",
    "inputs",
    "randomness",
    "clock",
    "draws",
    "dim",
    "verify",
    "tolerance",
    "random",
    "search",
)
_COLUMN = 30


class Parser(argparse.ArgumentParser):
    commands: Any = None
    put: Print

    def error(self, message: str) -> NoReturn:
        hint = f"{self.prog} --help"
        if meant := self._meant(message):
            hint = f"did you mean {meant}? ({hint})"
        print(f"error: {message} [argument.parse]\n  hint: {hint}", file=sys.stderr)
        raise SystemExit(2)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:  # the command knows its options, and this parser only the commands
            self.commands.choices[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
        return options

    def format_help(self) -> str:
        """Returns the help in the form in which the native commands print theirs."""
        usage = " ".join(str(action.metavar or action.dest) for action in self._positionals._group_actions)
        return "\n".join([
            f"{self.description[:1].upper()}{self.description[1:]}" if self.description else "",
            f"Usage: {self.prog} [OPTIONS] {usage}", "",
            "Positionals:", *_lines(self._positionals._group_actions), "",
            "Options:", *_lines(self._optionals._group_actions), "",
            f"{self.epilog}\n",
        ])  # fmt: skip

    def _meant(self, message: str) -> str | None:
        _, found, words = message.partition("unrecognized arguments: ")
        known = [option for action in self._actions for option in action.option_strings]
        close = difflib.get_close_matches(words.split()[0].partition("=")[0], known, 1) if found else []
        return close[0] if close else None

    def print_help(self, file: Any = None) -> None:
        self.put(self.format_help())


def _lines(actions: list[argparse.Action]) -> list[str]:
    """Lists options, or positional arguments, each with what it is for."""
    lines: list[str] = []
    for action in actions:
        names = ",".join(action.option_strings) or action.dest
        again = " ..." if isinstance(action, argparse._AppendAction) else ""
        head = "  " + " ".join(word for word in (names, action.metavar) if isinstance(word, str)) + again
        text = _sentence(action.help or "")
        lines += [f"{head:<{_COLUMN}}{text}"] if len(head) < _COLUMN else [head, f"{'':<{_COLUMN}}{text}"]
    return lines


def _sentence(text: str) -> str:
    """Begins a text with a capital letter, unless it begins with a word to type."""
    word = text.partition(" ")[0]
    return text if word.endswith(":") else text[:1].upper() + text[1:]


def more_options(command: Parser) -> str:
    """Returns the part of a command's help that the native command lacks."""
    actions = [action for action in command._optionals._group_actions if action.dest in _OF_PYTHON]
    heading = "For a Python model (file.py:Name or package.module:name), the same options, and:"
    return "\n".join([heading, *_lines(actions), "", f"{command.epilog}\n"])


def make_parser(put: Print) -> Parser:
    """Makes the parser. `put` is called to print a help text."""
    parser = Parser(prog="dycl")
    parser.commands = parser.add_subparsers(required=True, dest="command", parser_class=Parser)
    for name, text in COMMANDS.items():
        command = parser.commands.add_parser(
            name, description=text, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.put = put
        subject = "PKG|MODEL" if name == "verify" else "MODEL"
        help_text = "a package (with --model), or a Python model" if name == "verify" else "a Python model"
        command.add_argument("model", metavar=subject, help=help_text)
        _add_inputs(command)
        command.add_argument("--json", metavar="FILE", help="write the results as JSON (-: stdout)")
        _add_verbosity(command)
        _add_outside(command, bounded=name != "explain")
        if name != "explain":
            _add_compiling(command)
            _add_verifying(command)
        if name == "compile":
            _add_output(command)
        if name == "verify":
            _add_package(command)
    parser.put = put
    return parser


def _add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--input", action="append", default=[], metavar="NAME=SHAPExDTYPE[=VALUES]",
        help="give one argument of the model; repeat it for each argument",
    )  # fmt: skip
    command.add_argument(
        "--inputs", action="append", default=[], metavar="FILE.npz", type=Path,
        help="give all arguments of a call, by name; repeat it for each call",
    )  # fmt: skip


def _add_verbosity(command: argparse.ArgumentParser) -> None:
    how_much = command.add_mutually_exclusive_group()
    how_much.add_argument("-v", "--verbose", action="store_true", help="print more")
    how_much.add_argument("-q", "--quiet", action="store_true", help="print results and errors only")


def _add_outside(command: argparse.ArgumentParser, bounded: bool) -> None:
    command.add_argument(
        "--randomness", choices=("inputs",), default=None, metavar="inputs",
        help="inputs: the random numbers that the model draws become inputs, rather than be refused",
    )  # fmt: skip
    command.add_argument(
        "--clock", choices=("stopped",), default=None, metavar="stopped",
        help="stopped: the clock stands still while the model runs, so that its time limits never end it",
    )  # fmt: skip
    if bounded:
        command.add_argument(
            "--draws", action="append", default=[], metavar="LINE=N",
            help="how often a line in a loop may draw in one call (model.py:31=200; default 1024)",
        )  # fmt: skip


def _add_compiling(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--backend", action="append", default=[], metavar="[PATTERN=]NAME",
        help="compile the sub-DNNs with this backend (default: the first that dycl backends lists); auto "
        "takes the fastest for each; PATTERN=NAME is for the sub-DNNs of that name, block (b2) or source "
        "line (model.py:4?)",
    )  # fmt: skip
    command.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="BACKEND=PATH",
        help="use this vendor library for a backend",
    )
    command.add_argument(
        "--dim", action="append", default=[], metavar="NAME=SIZE|LO..HI",
        help="let the size of an axis differ between calls, within limits: INPUT.AXIS=1..8; name several "
        "axes that are equal: x.0,y.0=1..8; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--optimize", type=int, default=1, choices=(0, 1), metavar="INT",
        help="0: one sub-DNN per basic block; 1: all passes (default 1)",
    )  # fmt: skip
    command.add_argument(
        "--disable-pass", action="append", default=[], metavar="NAME", help="leave out an optimizer pass"
    )
    command.add_argument(
        "--threads", type=_number(4096), default=0, metavar="INT",
        help="threads of the backend; 0: one per core (default 0)",
    )  # fmt: skip
    command.add_argument(
        "--jobs", type=_number(1024), default=0, metavar="INT",
        help="how many worker processes may compile at once; 0: one per core (default 0)",
    )  # fmt: skip
    command.add_argument(
        "--no-cache", action="store_true", help="compile everything anew and leave the cache alone"
    )


def _number(largest: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) > largest:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 to {largest}")
        return int(text)

    return number


def _add_verifying(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tolerance", type=float, default=1e-5, metavar="X",
        help="the largest max|a-b| / max(1, max|b|) that verification accepts (default 1e-5)",
    )  # fmt: skip
    command.add_argument(
        "--random", type=int, default=0, metavar="N",
        help="also verify on N random inputs of the given types and sizes",
    )  # fmt: skip
    command.add_argument(
        "--search", type=float, default=10.0, metavar="SECONDS",
        help="search that long for inputs that take edges which no given input takes (default 10); "
        "verification forces the edges that remain",
    )  # fmt: skip


def _add_output(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the package to write (default: the model's name)"
    )
    for option, then in (("--stop-after", "stop"), ("--dump-after", "go on")):
        command.add_argument(
            option, default="", metavar="PHASE", help=f"print the graph after this phase and {then}"
        )
    command.add_argument(
        "--verify", action="append", default=[], metavar="FILE.npz", type=Path,
        help="compare with eager on these inputs, and keep the report in the package; may be repeated",
    )  # fmt: skip


def _add_package(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--model", dest="source", metavar="MODEL", help="the model that the package was made from"
    )
    command.add_argument("--keep", action="store_true", help="keep the report in the package")
    command.add_argument(
        "--allow-native", action="store_true", help="allow the package to contain machine code"
    )
