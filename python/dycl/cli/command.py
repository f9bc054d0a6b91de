# SPDX-License-Identifier: Apache-2.0
"""Runs `dycl explain`, `compile` and `verify` for Python models. The native binary does the rest."""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from dycl import _core, _search
from dycl.api import (
    Compilation,
    Example,
    Program,
    compile_request,
    load,
    rewriting_options,
)
from dycl.cli.inputs import (
    as_call,
    dynamic_shapes,
    given_calls,
    has_values,
    names,
    random_calls,
    read_npz,
)
from dycl.cli.models import MODEL, load_model
from dycl.cli.options import COMMANDS, make_parser, more_options
from dycl.errors import Error, UsageError
from dycl.explanation import explain
from dycl.progress import ProgressLine
from dycl.requests import make_request
from dycl.verification.report import Report
from dycl.verification.sequence import Call
from dycl.verification.verify import verify


def is_ours(arguments: list[str]) -> bool:
    """Whether the arguments name a Python model, rather than a file that the native binary reads."""
    if not arguments or arguments[0] not in COMMANDS:
        return False
    return arguments[0] != "compile" or any(MODEL.fullmatch(word) for word in arguments[1:])


def more_help(arguments: list[str]) -> str | None:
    """Returns the help for the commands that the native binary lacks: those for Python models."""
    if arguments in (["--help"], ["-h"], ["--help-all"]):
        lines = [f"  {name:<24}{text[0].upper()}{text[1:]}" for name, text in COMMANDS.items()]
        return "\n".join(["Commands for Python models (file.py:Name or package.module:name):", *lines, ""])
    if arguments and arguments[0] == "compile" and {"--help", "-h"} & set(arguments):
        return more_options(make_parser(put).commands.choices["compile"])
    return None


def run(arguments: list[str]) -> int:
    """Runs a command and returns its exit code. A failure prints one message, never a stack trace."""
    try:
        options = make_parser(put).parse_args(arguments)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            code = _ACTIONS[options.command](options)
        for warning in caught if not options.quiet else ():
            _say(options, f"warning: {warning.message}")
        put("")  # what the model itself printed
        return code
    except (UnprintedError, BrokenPipeError) as error:
        return _report_unprinted(error)
    except Exception as error:
        return _report(error)


class UnprintedError(OSError):
    """stdout cannot be written, because its disk is full or nobody reads it any more."""


def put(text: str) -> None:
    """Prints a text and flushes it, so that a failure to write shows at once."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise UnprintedError(error.errno, error.strerror) from None


def show(text: str) -> int:
    """Prints a text and returns the exit code."""
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
    return _core.exit_code("usage")


def _report(error: Exception) -> int:
    if isinstance(error, Error):
        text = str(error)
        hint = f"\n  hint: {error.hint}" if error.hint and "\n  hint: " not in text else ""
        print(f"error: {text}{hint}", file=sys.stderr)
        return _core.exit_code(error.blame)
    if isinstance(error, OSError):
        said = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        print(f"error: {said} [file.unreadable]", file=sys.stderr)
        return _core.exit_code("usage")
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{frame.filename}:{frame.lineno}: {type(error).__name__}: {error}"
    if _is_file_of_ours(Path(frame.filename)):
        print(
            f"error: {said} [internal.bug]\n  hint: this is a bug in DyCL, please report it", file=sys.stderr
        )
        return _core.exit_code("internal")
    print(f"error: {said}", file=sys.stderr)
    return _core.exit_code("model")


def _is_file_of_ours(file: Path) -> bool:
    """Whether DyCL's own code is in it. Models of builtins are not: they raise what the program raises."""
    package = _search.PACKAGE
    return file.is_relative_to(package) and not file.is_relative_to(package / "prelude")


def _say(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr, flush=True)


def _model(options: argparse.Namespace, name: str) -> Any:
    return load_model(name, names(options), lambda text: _say(options, text))


def _explain(options: argparse.Namespace) -> int:
    model = _model(options, options.model)
    (call,) = given_calls(model, options)[:1]
    explanation = explain(model, call.args, call.kwargs, randomness=options.randomness, clock=options.clock)
    _write_json(options, explanation.to_dict())
    if options.json != "-":
        put(f"{explanation}\n")
    return 0 if explanation.ok else _core.exit_code("unsupported")


def _compile(options: argparse.Namespace) -> int:
    model = _model(options, options.model)
    output = options.output or Path(options.model.rpartition(":")[2].rpartition(".")[2] + ".dycl")
    if not options.stop_after:
        _core.check_package_place(output)
    made = _compilation(model, given_calls(model, options)[0], options)
    put(made.dump)
    return 0 if made.program is None else _save(made.program, made.seconds, model, output, options)


def _save(
    program: Program, seconds: dict[str, float], model: Any, output: Path, options: argparse.Namespace
) -> int:
    stats = program.stats()
    report = None
    if options.verify or options.random:
        calls = [as_call(model, read_npz(path, model)) for path in options.verify]
        report = _verified(program, model, calls, options)
    program.save(output, report)
    size = f" ({output.stat().st_size} bytes)" if output.is_file() else ""  # not of a device or a pipe
    _say(options, f"wrote {output}{size}: {stats['distinct_subnets']} sub-DNNs")
    document: dict[str, Any] = {"package": str(output), **stats, "seconds": seconds}
    if report is not None:
        _say(options, f"{report}\n{report.verdict}")
        document["verification"] = report.to_dict()
    _write_json(options, document)
    return 0 if report is None or report.ok else 1


def _verify(options: argparse.Namespace) -> int:
    is_model = options.model.endswith(".py") or MODEL.fullmatch(options.model) is not None
    if options.keep and is_model:
        raise UsageError(
            "--keep needs a package in which to keep the report, not a model",
            code="argument.model",
            hint="run dycl compile MODEL -o net.dycl, then dycl verify net.dycl --model MODEL --keep",
        )
    if is_model:
        model = _model(options, options.model)
        program = _program(model, given_calls(model, options)[0], options)
    else:
        if options.source is None:
            raise UsageError(
                f"the model that {options.model} is compared with is missing",
                code="argument.model",
                hint="name it with --model file.py:Name",
            )
        program = load(options.model, allow_native=options.allow_native, threads=options.threads or None)
        model = _model(options, options.source)
    given = given_calls(model, options) if has_values(options) or not options.random else []
    report = _verified(program, model, given, options)
    if options.keep:
        program.save(options.model, report)
    _write_json(options, report.to_dict())
    if options.json != "-":
        put(f"{report}\n{report.verdict}\n")
    return 0 if report.ok else 1


def _verified(program: Program, model: Any, calls: list[Call], options: argparse.Namespace) -> Report:
    calls = calls + random_calls(model, options)
    _say(
        options, f"verifying on {len(calls)} inputs, and searching for others for up to {options.search:g} s"
    )
    return verify(program, model, calls, tolerance=options.tolerance, search=options.search)


def _program(model: Any, call: Call, options: argparse.Namespace) -> Program:
    return _compilation(model, call, options).complete_program()


def _compilation(model: Any, call: Call, options: argparse.Namespace) -> Compilation:
    request = make_request(
        _placement(options.backend), options.optimize, options.threads or None, options.jobs or None,
        options.disable_pass,
    )  # fmt: skip
    request.cache = _search.compile_cache(not options.no_cache)
    request.stop_after = getattr(options, "stop_after", "")
    request.dump_after = getattr(options, "dump_after", "")
    libraries = _core.parse_libraries(options.library, _search.plugin_folders())
    example = Example(call.args, call.kwargs, dynamic_shapes(options))
    stream = io.StringIO() if options.quiet else sys.stderr
    with ProgressLine(stream, phases=_core.phases_from("rewrite")) as progress:
        rewriting = rewriting_options(
            randomness=options.randomness, draws=_bounds(options.draws), clock=options.clock
        )
        made = compile_request(model, example, _search.runtime(libraries), request, rewriting, progress)
    if options.verbose:
        _say_times(made, request.cache)
    return made


def _say_times(made: Compilation, cache: _core.DiskCache | None) -> None:
    for phase, seconds in made.seconds.items():
        print(f"{phase:<16} {seconds * 1e3:8.1f} ms", file=sys.stderr)
    for kind, (found, missed) in (cache.counts() if cache is not None else {}).items():
        print(f"{kind:<16} {found} remembered, {missed} new", file=sys.stderr, flush=True)


def _placement(given: list[str]) -> dict[str, str]:
    return {pattern or "*": name for pattern, _, name in (text.rpartition("=") for text in given)}


def _bounds(given: list[str]) -> dict[str, int] | None:
    """Reads `--draws model.py:31=200`."""
    bounds: dict[str, int] = {}
    for text in given:
        place, _, rows = text.rpartition("=")
        if not place or not rows.isdecimal():
            raise UsageError(
                f"--draws takes LINE=N, not '{text}'", code="argument.draws", hint="--draws model.py:31=200"
            )
        bounds[place] = int(rows)
    return bounds or None


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


_ACTIONS = {"explain": _explain, "compile": _compile, "verify": _verify}
