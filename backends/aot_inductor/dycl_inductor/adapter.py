# SPDX-License-Identifier: Apache-2.0
"""Every private name of torch that the worker uses. For torch 2.15."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
import torch._inductor
from dycl_worker import Failed, one_line
from torch._inductor import cpp_builder, exc
from torch.fx.experimental import _config as symbolic_config

_OPTIONS: dict[str, Any] = {
    "cpp.threads": 1,  # one thread per sub-DNN: libgomp's spinning threads cost more than they give
    "aot_inductor.enable_line_tables": False,
}


def require_compiler() -> str:
    """The C++ compiler that Inductor will call."""
    try:
        return str(cpp_builder.get_cpp_compiler())
    except exc.InvalidCxxCompiler:
        raise Failed(
            "aot_inductor needs a C++ compiler and finds none",
            code="aot_inductor.no_compiler",
            hint="install g++ (Debian: apt install g++), or name a compiler in CXX",
        ) from None


@contextlib.contextmanager
def sizes_kept_open() -> Iterator[None]:
    """Traces in here do not take a size for neither 0 nor 1 because its example is neither."""
    before = symbolic_config.backed_size_oblivious
    symbolic_config.backed_size_oblivious = True
    try:
        yield
    finally:
        symbolic_config.backed_size_oblivious = before


@contextlib.contextmanager
def _without_cuda() -> Iterator[None]:
    """Links libraries to what they call: `libtorch.so` itself only pulls in CUDA, where torch has it."""
    builder: Any = cpp_builder
    original = builder._get_torch_related_args

    def related(include_pytorch: bool, aot_mode: bool) -> Any:
        includes, folders, libraries = original(include_pytorch, aot_mode)
        return includes, folders, ["c10" if name == "torch" else name for name in libraries]

    builder._get_torch_related_args = related
    try:
        yield
    finally:
        builder._get_torch_related_args = original


def build(program: torch.export.ExportedProgram, example: Sequence[torch.Tensor], folder: Path) -> Path:
    """The shared library of an exported program."""
    options = {**_OPTIONS, "aot_inductor.output_path": str(folder / "subnet.so")}
    module: Any = program.module(check_guards=False)
    with _without_cuda():
        library = Path(str(torch._inductor.aot_compile(module, tuple(example), options=options)))
    if b"\0libtorch.so\0" in library.read_bytes():
        raise Failed(
            "the compiled library would load all of torch",
            code="aot_inductor.torch_version",
            hint="this DyCL knows torch 2.15",
        )
    strip = shutil.which("strip")
    if strip is not None:
        subprocess.run([strip, "--strip-unneeded", str(library)], check=False, capture_output=True)
    return library


def run(library: Path, values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    runner: Any = torch._C._aoti.AOTIModelContainerRunnerCpu(str(library), 1)
    results: list[torch.Tensor] = runner.run(list(values))
    return results


def reason(error: BaseException) -> str:
    """The innermost cause on one line, without torch's advice on debugging."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {one_line(error)}"
