# SPDX-License-Identifier: Apache-2.0
"""Compiles, loads and runs programs."""

from __future__ import annotations

import math
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
from dycl.calls.draws import Draw, Draws
from dycl.calls.gradients import warn_of_gradients
from dycl.calls.plain_tensors import check_plain
from dycl.calls.settings import Settings
from dycl.calls.signature import Signature
from dycl.calls.written import check_overlaps, write_to
from dycl.errors import MissingFileError, UsageError
from dycl.frontend.torch_model import compile_model, read_limits
from dycl.logs import log_compiled, log_loaded, logged
from dycl.ports import Port, Return, given_by_all
from dycl.requests import DEFAULT_STEP_LIMIT, NO_RULES, count_of, make_request, pool_size
from dycl.results import result_of
from dycl.tensors import as_given

if TYPE_CHECKING:
    import onnx

    from dycl.verification.report import Report

# An ONNX model, or a live PyTorch module or function on tensors.
Model: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto | Callable[..., Any]"
# The arguments are the phase, the steps done, the steps in all (0: not known), and what is being worked on.
ProgressFunction: TypeAlias = Callable[[str, int, int, str], None]


class Feeds(dict[str, Any]):
    """Inputs by name, and the parts of a call's arguments by their numbers."""

    arguments: Mapping[int, Any] = MappingProxyType({})


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
        schema = report["schema"] if report is not None else {}
        self._settings = Settings(core.facts, schema.get("context_reads", ()))
        self.inputs: tuple[Port, ...] = tuple(Port(**port) for port in core.inputs)
        self._listed: tuple[Port, ...] = tuple(Port(**port) for port in core.outputs)
        self.returns: tuple[Return, ...] = tuple(
            Return(site["place"], tuple(Port(**port) for port in site["outputs"])) for site in core.returns
        )
        # Those of an ONNX model, or those that every return of a Python model gives with the same type.
        self.outputs: tuple[Port, ...] = self._listed or given_by_all(self.returns)
        self.states: tuple[Port, ...] = tuple(Port(**port) for port in core.states)
        self._written: list[int] = core.written_inputs
        self._draws = Draws(self.inputs, self._signature.draws if self._signature is not None else [])
        self.draws: tuple[Draw, ...] = self._draws.all  # the inputs that are random numbers
        self._warned = False  # whether the warning about gradients was given

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Takes the model's arguments and returns its result. A program from ONNX takes its inputs in order
        or by name and returns one output, or a tuple of several. If an input is a torch tensor, the results
        are, too. If the model writes to an argument, so does the program. A program that takes its random
        numbers as inputs is given fresh ones of torch's generator."""
        return self._returned(self._feeds(args, kwargs))

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """Runs one call and records its decisions, and the model's exception if it raises one."""
        return self._trace(self._feeds(args, kwargs))

    def draw(
        self, args: Any = None, kwargs: Mapping[str, Any] | None = None, *, generator: Any = None
    ) -> dict[str, Any]:
        """Draws the random numbers of a call with these arguments, by the names of the inputs (`draws`).
        `generator` is a torch.Generator; None means torch's own."""
        tensors = self._tensors(_as_tuple(args), dict(kwargs or {}))
        return self._draws.fresh(tensors, generator)

    def replay(self, draws: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the program with random numbers that `draw` made, or that were changed since."""
        return self._returned(self._feeds(args, kwargs, draws))

    def _returned(self, feeds: Feeds) -> Any:
        tree, outputs = self._run(feeds)
        return self._result(tree, outputs, feeds)

    def _trace(self, feeds: Feeds) -> Trace:
        values = self._values(feeds)
        outcome, reads, edges, error = self._core.run_traced(values)
        result = None
        if outcome is not None:
            tree, outputs, writes, raised = outcome
            given = self._as_given(values, outputs)
            self._write_back(values, writes)
            error = error or raised
            result = self._result(tree, given, feeds) if error is None else None
        casts: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float}
        decisions = [
            (file, line, kind, casts.get(kind, lambda value: value)(value))
            for file, line, _, kind, value in reads
            if kind != "int" or math.isfinite(value)  # int() of the others raises, and reads nothing
        ]
        return Trace(result, error, decisions, edges, {draw.name: feeds[draw.name] for draw in self.draws})

    @property
    def edges(self) -> list[tuple[int, int, int]]:
        """The edges of the control-flow graph: the block of `hcfg` that an edge leaves, the block that it
        enters, and its number among the edges that leave (then, else; the cases, then the fallback)."""
        return self._core.edges

    @property
    def outcomes(self) -> dict[tuple[int, int, int], tuple[str, int, int, str]]:
        """The decision behind each edge: file, line, column, and its outcome ("True", "case 2")."""
        return self._core.outcomes

    def _tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The inputs of a Python model, without its random numbers."""
        return self._signature.tensors(args, kwargs) if self._signature is not None else []

    def _feeds(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], draws: Mapping[str, Any] | None = None
    ) -> Feeds:
        """Inputs by name; `draws` are those that are random numbers (None: fresh ones)."""
        if self._signature is not None:
            self._settings.check()
            tensors, arguments = self._signature.take(args, kwargs)
            drawn = self._draws.fresh(tensors) if draws is None else self._draws.checked(draws)
            feeds = Feeds(zip((port.name for port in self._draws.others), tensors, strict=True))
            feeds.update(drawn)
            feeds.arguments = arguments
            return feeds
        if len(args) > len(self.inputs):
            raise UsageError(
                f"the program takes {len(self.inputs)} inputs, {len(args)} were given", code="run.input_count"
            )
        names = [port.name for port in self.inputs[: len(args)]]
        twice = [name for name in names if name in kwargs]
        if twice:
            raise UsageError(f"the input '{twice[0]}' is given twice", code="run.input_twice")
        return Feeds({**dict(zip(names, args)), **kwargs})

    def _result(self, tree: Any, outputs: list[Any], feeds: Feeds) -> Any:
        if tree is not None:
            return result_of(tree, outputs, feeds.arguments)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, output_names: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        """Takes inputs by name and returns the named outputs (None: all), as in ONNX Runtime."""
        wanted = self._positions_of(output_names)
        _, outputs = self._run(feeds)
        return [outputs[position] for position in wanted]

    def _run(self, feeds: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        values = self._values(feeds)
        tree, outputs, writes, error = self._core.run(values)
        results = self._as_given(values, outputs)
        self._write_back(values, writes)
        if error is not None:
            raise error
        return tree, results

    def _as_given(self, values: list[Any], outputs: list[Any]) -> list[Any]:
        """Random numbers, which are torch's, do not decide what the results are if there are other inputs."""
        if not self.draws:
            return as_given(values, outputs)
        drawn = {draw.name for draw in self.draws}
        others = [value for port, value in zip(self.inputs, values) if port.name not in drawn]
        return as_given(others or values, outputs)

    def _write_back(self, values: list[Any], writes: list[tuple[int, Any]]) -> None:
        for number, contents in writes:
            write_to(values[number], self._as_given(values, [contents])[0])

    def _values(self, feeds: Mapping[str, Any]) -> list[Any]:
        unknown = feeds.keys() - {port.name for port in self.inputs}
        if unknown:
            taken = ", ".join(f"{port.name}: {port.type}" for port in self.inputs)
            raise UsageError(
                f"there is no input '{sorted(unknown)[0]}'; the program takes {taken}",
                code="run.no_such_input",
            )
        values = [feeds.get(port.name) for port in self.inputs]
        check_plain(values, (port.name for port in self.inputs))
        if not self._warned:
            self._warned = warn_of_gradients(values)
        check_overlaps(values, self._written, [port.name for port in self.inputs])
        return values

    def _positions_of(self, names: Sequence[str] | None) -> Iterable[int]:
        if names is None:
            return range(len(self._listed))
        known = {port.name: position for position, port in enumerate(self._listed)}
        if not known:
            raise UsageError(
                "a program from a Python model lists no outputs, because each return may give others",
                code="run.no_such_output",
                hint="call it, net(...), for what the model returns; net.returns lists what each gives",
            )
        for name in names:
            if name not in known:
                raise UsageError(
                    f"there is no output '{name}'; the program gives {', '.join(known)}",
                    code="run.no_such_output",
                )
        return [known[name] for name in names]

    def reset(self) -> None:
        """Sets the state (`state=True`) back to what the model held when it was compiled."""
        self._core.reset()

    def save(self, path: str | os.PathLike[str], report: Report | None = None) -> None:
        """Writes the package, atomically, and in it the `report` of dycl.verify (see `dycl inspect`)."""
        signature = self._signature.write() if self._signature is not None else ""
        kept = () if report is None else (report.to_json(),)
        self._core.save(Path(path), signature, *kept)

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes | None:
        """Writes the program as one ONNX model with If and Loop, for other runtimes: to `path` (weights
        beyond 2 GiB lie beside it), or to the returned bytes. The model has one output for each tensor and
        number of the result, named by its place there. Refuses what ONNX cannot express, such as `raise`."""
        if path is None:
            return self._core.to_onnx()
        self._core.save_onnx(Path(path))
        return None

    @property
    def hcfg(self) -> str:
        """The control-flow graph as text."""
        return self._core.hcfg

    def stats(self) -> dict[str, Any]:
        """Counts the program's parts, and what all its runs did so far. "cache" says how much the compilation
        found in the cache and how much was new, by kind: {"subnets": {"found": 4, "missed": 1}}."""
        counts = {kind: {"found": found, "missed": missed} for kind, (found, missed) in self._cache.items()}
        return {**self._core.stats(), "cache": counts}

    def __reduce__(self) -> Any:
        raise UsageError(
            "a program cannot be pickled", code="python.pickle", hint="save() and dycl.load() it"
        )

    def __repr__(self) -> str:
        taken = ", ".join(f"{port.name}: {port.type}" for port in self.inputs)
        ways = [site.outputs for site in self.returns] if self.returns else [self._listed]
        given = dict.fromkeys(", ".join(f"{port.name}: {port.type}" for port in ports) for ports in ways)
        return f"<dycl.Program ({taken}) -> {' or '.join(f'({ports})' for ports in given)}>"


@dataclass(frozen=True)
class Trace:
    """What one call of a program did."""

    result: Any
    error: BaseException | None
    decisions: list[tuple[str, int, str, Any]]  # file, line, what was read ("bool", "item" …), its value
    edges: dict[tuple[int, int, int], int]  # how often the call took each edge, see Program.edges
    draws: dict[str, Any] = field(default_factory=dict)  # the random numbers that it was given, by input


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
    randomness: str | None = None,
    draws: Mapping[str, int] | None = None,
    clock: str | None = None,
    cache: bool | str | os.PathLike[str] = True,
) -> Program:
    """Compiles a live PyTorch module or function, or an ONNX model: a file, its bytes, or an onnx.ModelProto.

    `backend` is a name that `dycl backends` lists (by default the first), "auto" (each sub-DNN gets the
    fastest backend that is installed, measured now; "auto:onnxruntime,openvino" names the candidates), or
    rules, of which the first that matches a sub-DNN's name, block or source line decides:
    {"s0": "openvino", "model.py:4?": "tvm", "*": "onnxruntime"}.
    `optimize` is 1 for all passes but `disabled_passes`, or 0 for one sub-DNN per basic block.
    `threads` is the size of the backend's pool, None for one thread per core; the pools of all backends
    share the cores, and a pool that another program uses keeps its size (`stats()["threads"]` shows it).
    `jobs` workers may compile at once (None: one per core). After `step_limit` instructions a run stops.
    `cache` is a folder for results of compilations, True for the default one (see `dycl cache`), or False.
    `progress` is called with the phase, the steps done and in all, and what is worked on. True prints that
    on stderr, False prints nothing, None prints on a terminal after three seconds.

    For PyTorch models: `args` (a tuple, or one tensor) and `kwargs` are an example of a call. It fixes the
    types of tensors and everything that is not a tensor; the values of its tensors are never looked at.
    `dynamic_shapes` names the sizes that differ between calls: {"x": {0: torch.export.Dim("batch", min=1)}}.
    `state` lets the program keep, from call to call, the buffers and attributes of modules that one call
    writes and a later one reads. The state begins with what the model holds now, which never changes itself;
    `Program.reset()` goes back to that. Such a program runs one call at a time.
    `randomness="inputs"` makes the random numbers that a line draws an input (`Program.draws`). Calls draw
    them with torch's generator. `draws` bounds how often a line in a loop may draw: {"model.py:31": 200}.
    `clock="stopped"` keeps time.time() and its like still, so that no time limit ends the model.
    `limits` changes limits of the rewriting, such as {"unroll_limit": 50000}.

    For ONNX models: `input_types` fixes the types of inputs ({"x": "1x3x32x32xf32"}). `dims` fixes named dims
    ({"batch": 8}) or keeps them within limits that every call checks ({"batch": (1, 8)} or "1..8").
    External data is read only for a model given as a file, from its own folder.
    """
    _check_model(model, args, kwargs, input_types or dims, dynamic_shapes)
    request = make_request(backend, optimize, threads, jobs, disabled_passes, step_limit)
    request.cache = _search.compile_cache(cache)
    _describe_inputs(request, input_types or {}, dims or {})
    example = Example(_as_tuple(args), kwargs or {}, dynamic_shapes)
    options = rewriting_options(limits, state=state, randomness=randomness, draws=draws, clock=clock)
    with _open_progress(progress, model) as report:
        made = compile_request(model, example, _search.runtime(), request, options, report)
    return made.complete_program()


def _describe_inputs(
    request: _core.CompileRequest, types: Mapping[str, str], dims: Mapping[str, int | tuple[int, int] | str]
) -> None:
    request.input_types = dict(types)
    request.dims = {name: _dim_text(name, size) for name, size in dims.items()}


def rewriting_options(
    limits: Mapping[str, int] | None = None,
    *,
    state: bool = False,
    randomness: str | None = None,
    draws: Mapping[str, int] | None = None,
    clock: str | None = None,
) -> _core.RewriteLimits:
    """The limits, and the other options of the rewriting that a user has asked for."""
    if randomness not in (None, "inputs"):
        raise UsageError(
            f"randomness cannot be {randomness!r}",
            code="argument.randomness",
            hint='give "inputs", or leave it out to refuse models that draw random numbers',
        )
    if draws is not None and randomness is None:
        raise UsageError(
            "draws is given without randomness", code="argument.draws", hint='give randomness="inputs", too'
        )
    if clock not in (None, "stopped"):
        raise UsageError(
            f"clock cannot be {clock!r}",
            code="argument.clock",
            hint='give "stopped", or leave it out to refuse models that read the time',
        )
    if state and state is not True:
        raise UsageError(f"state cannot be {state!r}", code="argument.limits", hint="give True or False")
    options = read_limits(limits)
    options.state = bool(state)
    options.draws = randomness is not None
    options.stopped_clock = clock is not None
    options.draws_bounds = {
        place: count_of(f"draws[{place!r}]", rows, "argument.draws") for place, rows in (draws or {}).items()
    }
    return options


@dataclass(frozen=True)
class Example:
    """An example call of a live PyTorch model, and the sizes that differ between calls."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None


@dataclass(frozen=True)
class Compilation:
    """The outcome of a request."""

    program: Program | None  # None if the compilation stopped after a phase
    dump: str  # the graph's text after the phase that was named, or nothing
    seconds: dict[str, float]  # how long each phase took, in order

    def complete_program(self) -> Program:
        """The program of a request that names no phase to stop after."""
        assert self.program is not None
        return self.program


def compile_request(
    model: Model,
    example: Example,
    runtime: _core.Runtime,
    request: _core.CompileRequest,
    options: _core.RewriteLimits,
    progress: ProgressFunction | None,
) -> Compilation:
    """Compiles for `compile` and for the command line, which may stop after a phase."""
    report, progress = None, logged(progress)
    if _is_live(model):
        compiled, report = compile_model(
            model, example.args, example.kwargs, runtime, request, options, progress, example.dynamic_shapes
        )
    else:
        compiled = _compiled_onnx(model, runtime, request, progress)
    core = compiled.take_program()
    program = None if core is None else Program(core, report, request.cache)
    if program is not None:
        log_compiled(model, program.stats(), dict(compiled.seconds))
    return Compilation(program, compiled.dump, dict(compiled.seconds))


def _is_live(model: Model) -> bool:
    """Whether the model is a PyTorch module or a function, rather than an ONNX model."""
    return callable(model) and not hasattr(model, "SerializeToString")


def _compiled_onnx(
    model: Model, runtime: _core.Runtime, request: _core.CompileRequest, progress: ProgressFunction | None
) -> _core.Compiled:
    if isinstance(model, (str, os.PathLike)):
        return _core.compile_file(runtime, _require_file(model), request, progress)
    contents = model if isinstance(model, bytes) else _serialize(model)
    return _core.compile_bytes(runtime, contents, Path(), "model", request, progress)


def _open_progress(
    progress: ProgressFunction | bool | None, model: Model
) -> AbstractContextManager[ProgressFunction | None]:
    if callable(progress):
        return nullcontext(progress)
    if progress or (progress is None and sys.stderr is not None and sys.stderr.isatty()):
        from dycl.progress import ProgressLine

        phases = _core.phases_from("rewrite" if _is_live(model) else "import_onnx")
        return ProgressLine(sys.stderr, patience=None if progress else 3.0, phases=phases)
    return nullcontext()


def load(
    path: str | os.PathLike[str],
    allow_native: bool = False,
    *,
    threads: int | None = None,
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> Program:
    """Loads a .dycl package. Refuses machine code inside it unless `allow_native` is set."""
    core = _search.runtime().load(_require_file(path), allow_native, step_limit, pool_size(threads))
    log_loaded(path, core.stats())
    return Program(core)


def _signature(stored: str, report: Mapping[str, Any] | None) -> Signature | None:
    """Returns how a Python model is called, as its compilation or the loaded package says."""
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


def _check_model(model: Any, args: Any, kwargs: Any, onnx_sizes: Any, dynamic_shapes: Any) -> None:
    if isinstance(model, type):
        raise UsageError(
            f"{model.__name__} is a class",
            code="python.not_a_model",
            hint=f"give a module: {model.__name__}()",
        )
    is_onnx = isinstance(model, (str, os.PathLike, bytes)) or hasattr(model, "SerializeToString")
    if not is_onnx and not callable(model):
        _serialize(model)
    if is_onnx and (args is not None or kwargs is not None):
        raise UsageError("an ONNX model is compiled without example inputs", code="argument.example")
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise UsageError(
            f"the example's keyword arguments are a {type(kwargs).__name__}, not a dict",
            code="argument.example",
            hint="give several positional arguments as a tuple: dycl.compile(model, (x, y))",
        )
    _check_sizes(model, onnx_sizes, dynamic_shapes)


def _check_sizes(model: Any, onnx_sizes: Any, dynamic_shapes: Any) -> None:
    """Sizes are declared in one way for ONNX models, and in another for PyTorch models."""
    if _is_live(model) and onnx_sizes:
        raise UsageError(
            "dims and input_types are for ONNX models",
            code="argument.dim",
            hint='open sizes of the example with dynamic_shapes={"x": {0: torch.export.Dim("batch")}}',
        )
    if not _is_live(model) and dynamic_shapes is not None:
        raise UsageError(
            "dynamic_shapes is for PyTorch models", code="argument.dynamic_shapes", hint="give dims, by name"
        )


def _require_file(path: str | os.PathLike[str]) -> Path:
    found = Path(path)
    if not found.exists():
        raise MissingFileError(f"there is no file {found}", code="file.missing")
    return found


def _serialize(model: Any) -> bytes:
    serialize = getattr(model, "SerializeToString", None)
    if serialize is None:
        raise UsageError(
            f"this is not a model but of type {type(model).__name__}",
            code="python.not_a_model",
            hint="give a torch.nn.Module, a function, or an ONNX model: a path, bytes, onnx.ModelProto",
        )
    return bytes(serialize())


def _as_tuple(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    return args if type(args) is tuple else (args,)
