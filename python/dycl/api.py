# SPDX-License-Identifier: Apache-2.0
"""Compile, load and run."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from dycl import _core, _search
from dycl.calls.gradients import warn_of_gradients
from dycl.calls.settings import Settings
from dycl.calls.signature import Signature
from dycl.calls.written import check_overlaps, write_to
from dycl.errors import MissingFileError, UsageError
from dycl.frontend.torch_model import compile_model
from dycl.results import rebuild

if TYPE_CHECKING:
    import onnx

    from dycl.verification.report import Report

# An ONNX model, or a live PyTorch module or function on tensors.
Model: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto | Callable[..., Any]"
# phase, steps done, steps in all (0: not known), what is being worked on
ProgressFunction: TypeAlias = Callable[[str, int, int, str], None]

DEFAULT_STEP_LIMIT = 100_000_000
NO_RULES: Mapping[str, str] = MappingProxyType({})  # of backends: the preferred one is taken


@dataclass(frozen=True)
class Port:
    """What a program takes or gives: `shape` and `dtype` are None unless it is a tensor."""

    name: str
    type: str  # "f32[batch,3]", "f32[batch=1..8,3]", "seq<i64[*]>"
    dtype: str | None
    shape: tuple[int | str, ...] | None  # None for a tensor of any rank, too
    optional: bool
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict, hash=False)  # sizes with limits


class Program:
    """A compiled program. Any number of threads may run it at once."""

    def __init__(
        self,
        core: _core.Program,
        report: Mapping[str, Any] | None = None,
        cache: _core.DiskCache | None = None,
    ) -> None:
        self._core = core
        self._cache = cache.counts() if cache is not None else {}
        self._signature = _signature(core.signature, report)
        self._settings = Settings(core.facts)
        self.inputs: tuple[Port, ...] = tuple(Port(**port) for port in core.inputs)
        self.outputs: tuple[Port, ...] = tuple(Port(**port) for port in core.outputs)
        self.states: tuple[Port, ...] = tuple(Port(**port) for port in core.states)
        self._written: list[int] = core.written_inputs
        self._warned = False  # of gradients, once

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Called as the model is: its arguments in, its result out. An ONNX model takes its inputs in order
        or by name and gives one output, or a tuple. torch in, torch out. Tensors that the model writes to
        are written to."""
        tree, outputs = self._run(self._feeds(args, kwargs))
        return self._result(tree, outputs)

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """One call, and what it decided; an exception that the model raises is part of the answer."""
        values = self._values(self._feeds(args, kwargs))
        outcome, reads, edges, error = self._core.run_traced(values)
        result = None
        if outcome is not None:
            tree, outputs, writes = outcome
            result = self._result(tree, _as_given(values, outputs))
            self._write_back(values, writes)
        casts: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float}
        decisions = [
            (file, line, kind, casts.get(kind, lambda value: value)(value))
            for file, line, _, kind, value in reads
        ]
        return Trace(result, error, decisions, edges)

    @property
    def edges(self) -> list[tuple[int, int, int]]:
        """The edges of the control-flow graph: from and to which block of `hcfg`, and which of the edges that
        leave it (then, else; cases, none of them): two may lead to one block."""
        return self._core.edges

    @property
    def outcomes(self) -> dict[tuple[int, int, int], tuple[str, int, int, str]]:
        """The decisions behind edges: file, line, column, and what was decided ("True", "case 2")."""
        return self._core.outcomes

    def _feeds(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if self._signature is not None:
            self._settings.check()
            tensors = self._signature.tensors(args, kwargs)
            return {port.name: tensor for port, tensor in zip(self.inputs, tensors, strict=True)}
        if len(args) > len(self.inputs):
            raise UsageError(
                f"the program takes {len(self.inputs)} inputs, {len(args)} were given", code="run.input_count"
            )
        names = [port.name for port in self.inputs[: len(args)]]
        twice = [name for name in names if name in kwargs]
        if twice:
            raise UsageError(f"the input '{twice[0]}' is given twice", code="run.input_twice")
        return {**dict(zip(names, args)), **kwargs}

    def _result(self, tree: Any, outputs: list[Any]) -> Any:
        if tree is not None:
            return rebuild(tree, outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, output_names: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        """ONNX Runtime's habit: the named outputs (None: all) for inputs by name."""
        wanted = self._positions_of(output_names)
        _, outputs = self._run(feeds)
        return [outputs[position] for position in wanted]

    def _run(self, feeds: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        values = self._values(feeds)
        tree, outputs, writes = self._core.run(values)
        results = _as_given(values, outputs)
        self._write_back(values, writes)
        return tree, results

    def _write_back(self, values: list[Any], writes: list[tuple[int, Any]]) -> None:
        for number, contents in writes:
            write_to(values[number], _as_given(values, [contents])[0])

    def _values(self, feeds: Mapping[str, Any]) -> list[Any]:
        unknown = feeds.keys() - {port.name for port in self.inputs}
        if unknown:
            taken = ", ".join(f"{port.name}: {port.type}" for port in self.inputs)
            raise UsageError(
                f"there is no input '{sorted(unknown)[0]}'; the program takes {taken}",
                code="run.no_such_input",
            )
        values = [feeds.get(port.name) for port in self.inputs]
        if not self._warned:
            self._warned = warn_of_gradients(values)
        check_overlaps(values, self._written, [port.name for port in self.inputs])
        return values

    def _positions_of(self, names: Sequence[str] | None) -> Iterable[int]:
        if names is None:
            return range(len(self.outputs))
        known = {port.name: position for position, port in enumerate(self.outputs)}
        for name in names:
            if name not in known:
                raise UsageError(
                    f"there is no output '{name}'; the program gives {', '.join(known)}",
                    code="run.no_such_output",
                )
        return [known[name] for name in names]

    def reset(self) -> None:
        """The state of a program compiled with `state=True` is again what it was when it was compiled."""
        self._core.reset()

    def save(self, path: str | os.PathLike[str], report: Report | None = None) -> None:
        """Writes the package, atomically; `report` of dycl.verify is kept in it (`dycl inspect`)."""
        signature = self._signature.write() if self._signature is not None else ""
        kept = () if report is None else (report.to_json(),)
        self._core.save(Path(path), signature, *kept)

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes | None:
        """The program as one ONNX model with If and Loop, for other runtimes: its bytes, or written to `path`
        (weights beyond 2 GiB lie beside it). Results are flat: one output for each tensor and number, named
        by its place in the result. What ONNX cannot say, such as `raise`, is refused by name."""
        if path is None:
            return self._core.to_onnx()
        self._core.save_onnx(Path(path))
        return None

    @property
    def hcfg(self) -> str:
        """The control-flow graph as text."""
        return self._core.hcfg

    def stats(self) -> dict[str, Any]:
        """What the program is made of, and counts over all its runs so far. "cache": of what was compiled,
        how much was remembered and how much was new, by kind: {"subnets": {"found": 4, "missed": 1}}."""
        counts = {kind: {"found": found, "missed": missed} for kind, (found, missed) in self._cache.items()}
        return {**self._core.stats(), "cache": counts}

    def __reduce__(self) -> Any:
        raise UsageError(
            "a program cannot be pickled", code="python.pickle", hint="save() and dycl.load() it"
        )

    def __repr__(self) -> str:
        taken = ", ".join(f"{port.name}: {port.type}" for port in self.inputs)
        given = ", ".join(f"{port.name}: {port.type}" for port in self.outputs)
        return f"<dycl.Program ({taken}) -> ({given})>"


@dataclass(frozen=True)
class Trace:
    """One call of a program."""

    result: Any
    error: Exception | None
    decisions: list[tuple[str, int, str, Any]]  # file, line, what was read ("bool", "item" …), its value
    edges: dict[tuple[int, int, int], int]  # how often each edge was taken, see Program.edges


def compile(
    model: Model,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    backend: str | Mapping[str, str] = NO_RULES,
    optimize: int = 1,
    threads: int | None = None,
    jobs: int | None = None,
    progress: ProgressFunction | bool | None = None,
    input_types: Mapping[str, str] | None = None,
    dims: Mapping[str, int | tuple[int, int] | str] | None = None,
    dynamic_shapes: Any = None,
    disabled_passes: Sequence[str] = (),
    step_limit: int = DEFAULT_STEP_LIMIT,
    limits: Mapping[str, int] | None = None,
    state: bool = False,
    cache: bool | str | os.PathLike[str] = True,
) -> Program:
    """Compiles a live PyTorch module or function, or an ONNX model: a file, its bytes, or an onnx.ModelProto.

    A PyTorch model is called with `args` (a tuple, or one tensor) and `kwargs` as an example: the types
    of its tensors and everything that is not a tensor are fixed by it, values of tensors are never looked at.
    `backend` is one of `dycl backends` (by default the first), "auto" (each sub-DNN gets the fastest that
    is installed, measured now; "auto:onnxruntime,openvino" names them), or rules for sub-DNNs, the first that
    matches decides:
    {"s0": "openvino", "model.py:4?": "tvm", "*": "onnxruntime"} by name, block or source line.
    `limits` changes limits of the rewriting ({"unroll_limit": 50000}).
    `dynamic_shapes` names the sizes that differ between calls, as torch.export does:
    {"x": {0: torch.export.Dim("batch", min=1, max=8)}}; all others are those of the example.
    `state`: buffers and attributes of its modules that a call writes and a later one reads are kept by the
    program from call to call, beginning with what the model holds now; `Program.reset()` goes back to that.
    The model itself is never changed. Such a program runs one call at a time.

    For ONNX models: `input_types` pins inputs ({"x": "1x3x32x32xf32"}), `dims` pins named dims ({"batch": 8})
    or keeps them within limits that every call checks ({"batch": (1, 8)} or {"batch": "1..8"}).
    `threads` is the size of the backend's pool, None for one thread per core; the pools of all backends
    share the cores, and a pool that another program uses keeps its size (`stats()["threads"]` tells it).
    `jobs` is how many processes may compile at once, for backends that compile in such (None: one per core).
    External data is read only for a model given as a file, from its own folder.
    `cache`: what was compiled before is remembered, by everything it depends on (`dycl cache` shows and
    clears it); False compiles everything anew, a path names another folder.
    `progress` is called with the phase, how much of how much is done, and of what; True prints it on stderr,
    False prints nothing, None only what takes more than three seconds, and only on a terminal.
    """
    _check_model(model, args, kwargs)
    request = make_request(backend, optimize, threads, jobs, disabled_passes, step_limit)
    request.cache = _search.compile_cache(cache)
    request.input_types = dict(input_types or {})
    request.dims = {name: _dim_text(name, size) for name, size in (dims or {}).items()}
    example = Example(_example(args), kwargs or {}, dynamic_shapes)
    options = {**(limits or {}), "state": True} if state else limits
    with _shown(progress) as told:
        program = compile_request(model, example, _search.runtime(), request, options, told).program
    assert program is not None  # no phase was named to stop after
    return program


@dataclass(frozen=True)
class Example:
    """A call of a live PyTorch model, and what of it differs between calls."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None


@dataclass(frozen=True)
class Compilation:
    """What became of a request."""

    program: Program | None  # None: it was stopped after a phase
    dump: str  # the graph's text after the phase that was named, or nothing
    seconds: dict[str, float]  # of each phase, in order


def compile_request(
    model: Model,
    example: Example,
    runtime: _core.Runtime,
    request: _core.CompileRequest,
    limits: Mapping[str, int] | None,
    progress: ProgressFunction | None,
) -> Compilation:
    """For `compile` and the command line, which may stop after a phase."""
    report = None
    if callable(model) and not hasattr(model, "SerializeToString"):
        compiled, report = compile_model(
            model, example.args, example.kwargs, runtime, request, limits, progress, example.dynamic_shapes
        )
    else:
        compiled = _compiled_onnx(model, runtime, request, progress)
    core = compiled.take_program()
    program = None if core is None else Program(core, report, request.cache)
    return Compilation(program, compiled.dump, dict(compiled.seconds))


def _compiled_onnx(
    model: Model, runtime: _core.Runtime, request: _core.CompileRequest, progress: ProgressFunction | None
) -> _core.Compiled:
    if isinstance(model, (str, os.PathLike)):
        return _core.compile_file(runtime, _existing(model), request, progress)
    contents = model if isinstance(model, bytes) else _serialized(model)
    return _core.compile_bytes(runtime, contents, Path(), "model", request, progress)


def _shown(progress: ProgressFunction | bool | None) -> AbstractContextManager[ProgressFunction | None]:
    if callable(progress):
        return nullcontext(progress)
    if progress or (progress is None and sys.stderr is not None and sys.stderr.isatty()):
        from dycl.progress import ProgressLine

        return ProgressLine(sys.stderr, patience=None if progress else 3.0)
    return nullcontext()


def make_request(
    backend: str | Mapping[str, str],
    optimize: int,
    threads: int | None,
    jobs: int | None,
    disabled_passes: Sequence[str],
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> _core.CompileRequest:
    request = _core.CompileRequest()
    rules = _rules(backend)
    request.backend = rules.pop("*", "")  # empty: the preferred one
    request.placement = list(rules.items())
    request.optimize = optimize
    request.disabled_passes = list(disabled_passes)
    request.step_limit = _count("step_limit", step_limit, code="argument.step_limit")
    request.threads = _pool_size(threads)
    request.jobs = _jobs(jobs)
    return request


def load(
    path: str | os.PathLike[str],
    allow_native: bool = False,
    *,
    threads: int | None = None,
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> Program:
    """Loads a .dycl package. Machine code inside it is refused unless `allow_native`."""
    return Program(_search.runtime().load(_existing(path), allow_native, step_limit, _pool_size(threads)))


def _signature(stored: str, report: Mapping[str, Any] | None) -> Signature | None:
    """How a Python model is called: from its compilation, or from the package that it was loaded from."""
    if report is not None:
        return Signature.of(report["schema"])
    return Signature.read(stored) if stored else None


def _dim_text(name: str, size: int | tuple[int, int] | str) -> str:
    if isinstance(size, str):
        return size
    ends = size if isinstance(size, tuple) else (size,)
    try:
        return "..".join(str(operator.index(end)) for end in ends)
    except TypeError:
        raise UsageError(
            f"the dim '{name}' cannot be {size!r}",
            code="argument.dim",
            hint='give a size, a tuple (smallest, largest) or a text like "1..8"',
        ) from None


def _check_model(model: Any, args: Any, kwargs: Any) -> None:
    if isinstance(model, type):
        raise UsageError(
            f"{model.__name__} is a class",
            code="python.not_a_model",
            hint=f"give a module: {model.__name__}()",
        )
    is_onnx = isinstance(model, (str, os.PathLike, bytes)) or hasattr(model, "SerializeToString")
    if not is_onnx and not callable(model):
        _serialized(model)
    if is_onnx and (args is not None or kwargs is not None):
        raise UsageError("an ONNX model is compiled without example inputs", code="argument.example")
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise UsageError(
            f"the example's keyword arguments are a {type(kwargs).__name__}, not a dict",
            code="argument.example",
            hint="give several positional arguments as a tuple: dycl.compile(model, (x, y))",
        )


def _rules(backend: Any) -> dict[str, str]:
    rules = {"*": backend} if isinstance(backend, str) else backend
    words = [word for rule in rules.items() for word in rule] if isinstance(rules, Mapping) else [None]
    if not all(isinstance(word, str) for word in words) or "" in words:
        raise UsageError(
            f"{backend!r} is no backend",
            code="backend.rule",
            hint="give a name, or a dict of patterns and names",
        )
    return dict(rules)


def _count(name: str, number: Any, code: str) -> int:
    if not isinstance(number, int) or number < 1:
        raise UsageError(f"{name} cannot be {number!r}", code=code, hint="give a number from 1 on")
    return number


def _pool_size(threads: int | None) -> int:
    return 0 if threads is None else _count("threads", threads, code="argument.threads")


def _jobs(jobs: int | None) -> int:
    return 0 if jobs is None else _count("jobs", jobs, code="argument.jobs")


def _existing(path: str | os.PathLike[str]) -> Path:
    found = Path(path)
    if not found.exists():
        raise MissingFileError(f"there is no file {found}", code="file.missing")
    return found


def _serialized(model: Any) -> bytes:
    serialize = getattr(model, "SerializeToString", None)
    if serialize is None:
        raise UsageError(
            f"a {type(model).__name__} is not a model: give a path, bytes or onnx.ModelProto",
            code="python.not_a_model",
        )
    return bytes(serialize())


def _example(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    return args if type(args) is tuple else (args,)


def _as_given(values: list[Any], outputs: list[Any]) -> list[Any]:
    """torch in, torch out. A program without inputs that torch made gives numpy."""
    if any(_is_torch(value) for value in _leaves(values)):
        return [to_torch(output) for output in outputs]
    return outputs


def _leaves(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _is_torch(value: Any) -> bool:
    classes = type(value).__mro__ if hasattr(value, "data_ptr") else ()
    return any(c.__module__ == "torch" or c.__module__.startswith("torch.") for c in classes)


def to_torch(value: Any) -> Any:
    """Arrays of the native core, and what is made of them, with torch's tensors instead of numpy's."""
    if isinstance(value, list):
        return [to_torch(item) for item in value]
    if not hasattr(value, "dtype") or value.dtype.kind == "O":
        return value
    import torch

    extension = getattr(torch, value.dtype.name, None) if value.dtype.kind == "V" else None
    if extension is not None:  # bfloat16 and the 8-bit floats: the same bits under torch's name
        bits = value.view("u2" if value.dtype.itemsize == 2 else "u1")
        return torch.from_numpy(bits).view(extension)
    return torch.from_numpy(value)
