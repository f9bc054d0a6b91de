# SPDX-License-Identifier: Apache-2.0
"""`dycl explain`, `compile` and `verify` for models that are Python. The native binary does the rest."""

from __future__ import annotations

import argparse
import errno
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, NoReturn

from dycl.api import Program, compile, load
from dycl.calls.needs import require_torch
from dycl.errors import BackendError, Error, InternalError, PackageError, UnsupportedError, UsageError
from dycl.explanation import explain
from dycl.progress import ProgressLine
from dycl.verification.report import Report
from dycl.verification.sequence import Call
from dycl.verification.verify import verify

_MODEL = re.compile(r"(.+\.py|\w+(?:\.\w+)*):(\w+(?:\.\w+)*)")
_EXIT_CODES = {UsageError: 2, UnsupportedError: 3, BackendError: 4, PackageError: 5, InternalError: 70}
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "bool": "bool",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip


def is_ours(arguments: list[str]) -> bool:
    """Whether a Python model is meant, rather than a file that the native binary reads."""
    if not arguments or arguments[0] not in ("explain", "compile", "verify"):
        return False
    return arguments[0] != "compile" or any(_MODEL.fullmatch(word) for word in arguments[1:])


def more_help(arguments: list[str]) -> str | None:
    """What the native binary's help lacks: the commands for Python models."""
    if arguments in (["--help"], ["-h"], ["--help-all"]):
        lines = [f"  {name:<24}{text[0].upper()}{text[1:]}" for name, _, text in _COMMANDS]
        return "\n".join(["Commands for Python models (file.py:Name or package.module:name):", *lines, ""])
    if arguments and arguments[0] == "compile" and {"--help", "-h"} & set(arguments):
        return f"For a Python model:\n\n{_parser().commands.choices['compile'].format_help()}"
    return None


def run(arguments: list[str]) -> int:
    """The exit code. Every failure is one message, never a stack trace."""
    try:
        options = _parser().parse_args(arguments)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            code: int = options.action(options)
        for warning in caught if not options.quiet else ():
            _say(options, f"warning: {warning.message}")
        put("")  # what the model itself printed
        return code
    except (UnprintedError, BrokenPipeError) as error:
        return _report_unprinted(error)
    except Exception as error:
        return _report(error)


class UnprintedError(OSError):
    """stdout cannot be written: its disk is full, or nobody reads it any more."""


def put(text: str) -> None:
    """Prints, and has it written: nothing is done before."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise UnprintedError(error.errno, error.strerror) from None


def show(text: str) -> int:
    """The exit code of printing a text and nothing else."""
    try:
        put(text)
        return 0
    except UnprintedError as error:
        return _report_unprinted(error)


def _report_unprinted(error: OSError) -> int:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the interpreter flushes it when it ends
    if error.errno == errno.EPIPE:  # whoever reads has seen enough
        return 128 + signal.SIGPIPE
    print(f"error: stdout cannot be written: {error.strerror} [file.unwritable]", file=sys.stderr)
    return 2


def _report(error: Exception) -> int:
    code = next((code for kind, code in _EXIT_CODES.items() if isinstance(error, kind)), 6)
    if isinstance(error, Error):
        text = str(error)
        hint = f"\n  hint: {error.hint}" if error.hint and "\n  hint: " not in text else ""
        print(f"error: {text}{hint}", file=sys.stderr)
        return code
    if isinstance(error, OSError):
        said = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        print(f"error: {said} [file.unreadable]", file=sys.stderr)
        return 2
    frame = traceback.extract_tb(error.__traceback__)[-1]
    print(f"error: {frame.filename}:{frame.lineno}: {type(error).__name__}: {error}", file=sys.stderr)
    return code


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr, flush=True)


class _Parser(argparse.ArgumentParser):
    commands: Any = None

    def error(self, message: str) -> NoReturn:
        print(f"error: {message}\n  hint: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)

    def print_help(self, file: Any = None) -> None:
        put(self.format_help())


def _parser() -> _Parser:
    parser = _Parser(prog="dycl")
    commands = parser.commands = parser.add_subparsers(required=True, parser_class=_Parser)
    for name, action, text in _COMMANDS:
        command = commands.add_parser(name, description=text, epilog=_EPILOG, formatter_class=_FORMAT)
        command.set_defaults(action=action)
        subject = "PKG|MODEL" if name == "verify" else "MODEL"
        help_text = "a package, with --model; or a Python model" if name == "verify" else "a Python model"
        command.add_argument("model", metavar=subject, help=help_text)
        command.add_argument(
            "--input", action="append", default=[], metavar="NAME=SHAPExDTYPE[=VALUES]",
            help="an argument of the model's call; may be repeated, once for each",
        )  # fmt: skip
        command.add_argument(
            "--inputs", action="append", default=[], metavar="FILE.npz", type=Path,
            help="all arguments of a call, by name; may be repeated, once for each call",
        )  # fmt: skip
        command.add_argument("--json", metavar="FILE", help="write what was found as JSON; - is stdout")
        command.add_argument("-q", "--quiet", action="store_true", help="say nothing but results and errors")
        if name != "explain":
            _add_options_of_compiling(command)
        if name == "compile":
            command.add_argument(
                "-o", "--output", type=Path, metavar="FILE.dycl", help="default: the model's name"
            )
            command.add_argument(
                "--verify", action="append", default=[], metavar="FILE.npz", type=Path,
                help="compare with eager on these inputs, and keep the table in the package; may be repeated",
            )  # fmt: skip
        if name == "verify":
            command.add_argument(
                "--model", dest="source", metavar="MODEL", help="what the package was made from"
            )
            command.add_argument("--keep", action="store_true", help="keep what is found in the package")
            command.add_argument(
                "--allow-native", action="store_true", help="load machine code that the package carries"
            )
    return parser


def _add_options_of_compiling(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--backend", action="append", metavar="[PATTERN=]NAME",
        help="one of dycl backends (default: the first), or auto; PATTERN=NAME places the sub-DNNs of "
        "that name, block (b2) or source line (model.py:4?); may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--optimize",
        type=int,
        default=1,
        choices=(0, 1),
        help="0: one sub-DNN per basic block, no passes",
    )
    command.add_argument("--threads", type=int, help="of the backends; default: one per core")
    command.add_argument("--jobs", type=int, help="processes that compile at once; default: one per core")
    command.add_argument(
        "--no-cache", action="store_true", help="compile everything anew and remember nothing"
    )
    command.add_argument(
        "--tolerance", type=float, default=1e-5,
        help="verifying: largest max|a-b| / max(1, max|b|) that passes (default 1e-5)",
    )  # fmt: skip
    command.add_argument(
        "--random", type=int, default=0, metavar="N",
        help="verify on N random inputs, too, of the given types and sizes",
    )  # fmt: skip
    command.add_argument(
        "--search", type=float, default=10.0, metavar="SECONDS",
        help="verifying: look that long for inputs that take what others did not (default 10); what "
        "remains is forced",
    )  # fmt: skip


_FORMAT = argparse.RawDescriptionHelpFormatter
_EPILOG = """MODEL is file.py:Name or package.module:name: a module class or a factory (called without
arguments, after torch.manual_seed(0), and put in eval mode), a module, or a function on tensors.
An input is NAME=1x3x32x32xf32 (zeros), NAME=3xf32=1,2,3 or NAME=@file.npy; --inputs may be repeated.
Exit codes: 0 ok, 1 verified different, 2 usage, 3 unsupported, 4 backend, 5 package, 6 the model raised."""


def _explain(options: argparse.Namespace) -> int:
    model = load_model(options.model, _names(options))
    (call,) = _calls(model, options)[:1]
    explanation = explain(model, call.args, call.kwargs)
    _write_json(options, explanation.to_dict())
    if options.json != "-":
        put(f"{explanation}\n")
    return 0 if explanation.ok else 3


def _compile(options: argparse.Namespace) -> int:
    model = load_model(options.model, _names(options))
    program = _program(model, _calls(model, options)[0], options)
    output = options.output or Path(options.model.rpartition(":")[2].rpartition(".")[2] + ".dycl")
    stats = program.stats()
    report = None
    if options.verify or options.random:
        calls = [_as_call(model, _read_npz(path, model)) for path in options.verify]
        report = _verified(program, model, calls, options)
    program.save(output, report)
    size = f" ({output.stat().st_size} bytes)" if output.is_file() else ""  # not of a device or a pipe
    _say(options, f"wrote {output}{size}: {stats['distinct_subnets']} sub-DNNs")
    document: dict[str, Any] = {"package": str(output), **stats}
    if report is not None:
        _say(options, f"{report}\n{report.verdict}")
        document["verification"] = report.to_dict()
    _write_json(options, document)
    return 0 if report is None or report.ok else 1


def _verify(options: argparse.Namespace) -> int:
    is_model = options.model.endswith(".py") or _MODEL.fullmatch(options.model) is not None
    if options.keep and is_model:
        raise UsageError(
            "--keep needs a package to keep it in",
            code="argument.model",
            hint="dycl compile MODEL -o net.dycl, then dycl verify net.dycl --model MODEL --keep",
        )
    if is_model:
        model = load_model(options.model, _names(options))
        program = _program(model, _calls(model, options)[0], options)
    else:
        if options.source is None:
            raise UsageError(
                f"what {options.model} is to be compared with is missing",
                code="argument.model",
                hint="--model file.py:Name says what the package was made from",
            )
        program = load(options.model, allow_native=options.allow_native, threads=options.threads)
        model = load_model(options.source, _names(options))
    given = _calls(model, options) if _has_values(options) or not options.random else []
    report = _verified(program, model, given, options)
    if options.keep:
        program.save(options.model, report)
    _write_json(options, report.to_dict())
    if options.json != "-":
        put(f"{report}\n{report.verdict}\n")
    return 0 if report.ok else 1


def _has_values(options: argparse.Namespace) -> bool:
    """Rather than types and sizes only."""
    return bool(options.inputs) or any(text.count("=") > 1 or "=@" in text for text in options.input)


def _verified(program: Program, model: Any, calls: list[Call], options: argparse.Namespace) -> Report:
    calls = calls + _random(model, options)
    _say(
        options, f"verifying on {len(calls)} inputs, and searching for others for up to {options.search:g} s"
    )
    return verify(program, model, calls, tolerance=options.tolerance, search=options.search)


def _program(model: Any, call: Call, options: argparse.Namespace) -> Program:
    with ProgressLine(io.StringIO() if options.quiet else sys.stderr) as progress:
        return compile(
            model, call.args, call.kwargs, backend=_placement(options.backend), optimize=options.optimize,
            threads=options.threads, jobs=options.jobs, progress=progress, cache=not options.no_cache,
        )  # fmt: skip


def _placement(given: list[str] | None) -> dict[str, str]:
    rules = [(pattern or "*", name) for pattern, _, name in (text.rpartition("=") for text in given or [])]
    return dict(rules)


def load_model(text: str, inputs: set[str]) -> Any:
    """The model that `file.py:Name` or `package.module:name` names, ready to be called."""
    require_torch()
    import torch

    matched = _MODEL.fullmatch(text)
    if matched is None:
        raise UsageError(
            f"'{text}' is not a Python model",
            code="argument.model",
            hint="file.py:Name or package.module:name",
        )
    found: Any = _module(matched[1])
    for part in matched[2].split("."):
        if not hasattr(found, part):
            raise UsageError(f"there is no '{part}' in {matched[1]}", code="argument.model")
        found = getattr(found, part)
    torch.manual_seed(0)
    if isinstance(found, type) and not _is_factory(found, set()):
        hint = f"name a function that makes it: def make(): return {found.__name__}(…)"
        raise UsageError(f"{text} needs arguments to be made", code="argument.model", hint=hint)
    if isinstance(found, type) or (inspect.isfunction(found) and _is_factory(found, inputs)):
        found = found()
    if isinstance(found, torch.nn.Module):
        return found.eval()
    if inspect.isfunction(found):
        return found
    raise UsageError(f"{text} is a {type(found).__name__}, not a module or function", code="argument.model")


def _is_factory(function: Any, inputs: set[str]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [
        p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return not needed and not inputs & {parameter.name for parameter in parameters}


def _module(name: str) -> Any:
    try:
        return _imported(name)
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}:{error.offset}"
        source = f"\n    {error.text.rstrip()}\n    {' ' * ((error.offset or 1) - 1)}^" if error.text else ""
        raise UsageError(f"{place}: {error.msg}{source}", code="python.syntax") from None


def _imported(name: str) -> Any:
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise UsageError(f"{name} cannot be imported: {error}", code="argument.model") from None
    path = Path(name).resolve()
    if not path.exists():
        raise UsageError(f"there is no file {name}", code="argument.model")
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


def _names(options: argparse.Namespace) -> set[str]:
    return {text.partition("=")[0] for text in options.input}


def _calls(model: Any, options: argparse.Namespace) -> list[Call]:
    """One call per npz file, or one of the inputs on the command line, which also fill up the files'."""
    named = dict(_tensor(text) for text in options.input)
    found = [_as_call(model, {**named, **_read_npz(path, model, named)}) for path in options.inputs]
    return found or [_as_call(model, named)]


def _random(model: Any, options: argparse.Namespace) -> list[Call]:
    import torch

    generator = torch.Generator().manual_seed(0)

    def another(value: Any) -> Any:
        drawn = torch.randn(value.shape, generator=generator) * 2
        return (drawn > 0) if value.dtype == torch.bool else drawn.to(value.dtype)

    example = _calls(model, options)[0] if options.random else Call()
    return [
        Call(tuple(map(another, example.args)), {name: another(v) for name, v in example.kwargs.items()})
        for _ in range(options.random)
    ]


def _as_call(model: Any, tensors: dict[str, Any]) -> Call:
    signature = inspect.signature(getattr(model, "forward", model))
    try:
        bound = signature.bind(**tensors)
    except TypeError as error:
        hint = f"the model takes {signature}; name each with --input"
        raise UsageError(f"the inputs do not fit: {error}", code="argument.inputs", hint=hint) from None
    return Call(bound.args, bound.kwargs)


def _tensor(text: str) -> tuple[str, Any]:
    import numpy
    import torch

    name, equals, rest = text.partition("=")
    if not name or not equals:
        raise _malformed(text)
    if rest.startswith("@"):
        return name, torch.from_numpy(numpy.load(rest[1:], allow_pickle=False))
    kind, _, values = rest.partition("=")
    *sizes, dtype = kind.split("x")
    if dtype not in _DTYPES or not all(size.isdecimal() for size in sizes):
        raise _malformed(text)
    shape = [int(size) for size in sizes]
    try:
        numbers = [{"true": 1.0, "false": 0.0}.get(part) or float(part) for part in values.split(",") if part]
        made = torch.tensor(numbers or [0.0], dtype=torch.float64).to(getattr(torch, _DTYPES[dtype]))
        return name, made.expand(shape).clone() if len(numbers) < 2 and shape else made.reshape(shape)
    except (ValueError, RuntimeError):
        raise _malformed(text) from None


def _malformed(text: str) -> UsageError:
    return UsageError(
        f"'{text}' is not an input",
        code="argument.malformed",
        hint="x=1x3x32x32xf32, x=3xf32=1,2,3 or x=@x.npy",
    )


def _read_npz(path: Path, model: Any, others: dict[str, Any] | None = None) -> dict[str, Any]:
    """The arrays of a file. Their names are looked at first: a small file may expand to a large array."""
    import numpy
    import torch

    try:
        with numpy.load(path, allow_pickle=False) as arrays:
            _as_call(model, {**(others or {}), **dict.fromkeys(arrays.files)})
            return {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    except (ValueError, AttributeError) as error:
        raise UsageError(f"{path} is not an npz file of arrays: {error}", code="npz.damaged") from None


def _write_json(options: argparse.Namespace, document: dict[str, Any]) -> None:
    if options.json is None:
        return
    text = json.dumps(document, indent=2, default=str) + "\n"
    try:
        put(text) if options.json == "-" else Path(options.json).write_text(text)
    except UnprintedError:
        raise
    except OSError as error:
        raise UsageError(
            f"{options.json} cannot be written: {error.strerror}", code="file.unwritable"
        ) from None


_COMMANDS = (
    ("explain", _explain, "list what of a Python model depends on its input, and what becomes of it"),
    ("compile", _compile, "compile a Python model into a package"),
    ("verify", _verify, "compare a package or a Python model's program with eager, on every input given"),
)
