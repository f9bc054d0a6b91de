# SPDX-License-Identifier: Apache-2.0
"""Turns the inputs on the command line into calls of a Python model. The native core parses their text."""

from __future__ import annotations

import argparse
import inspect
import math
import zipfile
from pathlib import Path
from typing import Any

from dycl import _core
from dycl.errors import UsageError
from dycl.tensors import to_torch
from dycl.verification.sequence import Call


def names(options: argparse.Namespace) -> set[str]:
    return {text.partition("=")[0] for text in options.input}


def given_calls(model: Any, options: argparse.Namespace) -> list[Call]:
    """Returns a call per npz file, completed by the inputs on the command line, or one of these inputs."""
    named = dict(_tensor(text) for text in options.input)
    found = [as_call(model, {**named, **read_npz(path, model, named)}) for path in options.inputs]
    return found or [as_call(model, named)]


def random_calls(model: Any, options: argparse.Namespace) -> list[Call]:
    import torch

    generator = torch.Generator().manual_seed(0)

    def another(value: Any) -> Any:
        if isinstance(value, list):
            return [another(item) for item in value]
        if value is None:
            return None
        drawn = torch.randn(value.shape, generator=generator) * 2
        return (drawn > 0) if value.dtype == torch.bool else drawn.to(value.dtype)

    example = given_calls(model, options)[0] if options.random else Call()
    return [
        Call(tuple(map(another, example.args)), {name: another(v) for name, v in example.kwargs.items()})
        for _ in range(options.random)
    ]


def as_call(model: Any, tensors: dict[str, Any]) -> Call:
    signature = inspect.signature(getattr(model, "forward", model))
    try:
        bound = signature.bind(**tensors)
    except TypeError as error:
        hint = f"the model takes {signature}; name each with --input"
        raise UsageError(f"the inputs do not fit: {error}", code="argument.inputs", hint=hint) from None
    return Call(bound.args, bound.kwargs)


def _tensor(text: str) -> tuple[str, Any]:
    name, value = _core.parse_tensor_argument(text)
    return name, to_torch(value)


def dynamic_shapes(options: argparse.Namespace) -> dict[str, dict[int, Any]] | None:
    """Reads `--dim x.0=1..8`, an axis of an input, and `--dim x.0,y.0=1..8`, axes that are equal."""
    shapes: dict[str, dict[int, Any]] = {}
    for text in options.dim:
        axes, _, sizes = text.rpartition("=")
        places = [axis.rpartition(".") for axis in axes.split(",")]
        if not all(name and axis.isdecimal() for name, _, axis in places):
            raise UsageError(
                f"--dim takes INPUT.AXIS=SIZE or INPUT.AXIS=LO..HI for a Python model, not '{text}'",
                code="argument.dim",
                hint="x.0=1..8, or x.0,y.0=1..8 for axes that are equal; all other sizes are the example's",
            )
        dim = _dim("_".join(places[0][::2]), *_core.parse_dim_range(sizes))
        for name, _, axis in places:
            if int(axis) in shapes.setdefault(name, {}):
                raise UsageError(f"--dim {name}.{axis} is given twice", code="argument.dim")
            shapes[name][int(axis)] = dim
    return shapes or None


def _dim(name: str, smallest: int, largest: int) -> Any:
    import torch

    return smallest if smallest == largest else torch.export.Dim(name, min=smallest, max=largest)


def read_npz(path: Path, model: Any, others: dict[str, Any] | None = None) -> dict[str, Any]:
    """Reads the arrays of a file, after a check of their names: a small file may expand to a large array."""
    import numpy
    import torch

    try:
        with numpy.load(path, allow_pickle=False) as arrays:
            as_call(model, {**(others or {}), **dict.fromkeys(arrays.files)})
            for entry in arrays.zip.infolist():
                _check_size(arrays.zip, entry)
            return {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    except UsageError:  # about the names
        raise
    except (ValueError, AttributeError) as error:
        raise UsageError(f"{path} is not an npz file of arrays: {error}", code="npz.damaged") from None


def _check_size(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """The header of an array tells how many bytes follow: no more are unpacked than it says."""
    from numpy.lib import format as npy

    with archive.open(entry) as file:
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(file)
        size = math.prod(shape) * dtype.itemsize
        if entry.file_size - file.tell() != size:
            raise ValueError(
                f"{entry.filename} has {entry.file_size - file.tell()} bytes of data, not {size}"
            )


def has_values(options: argparse.Namespace) -> bool:
    """Whether the options give values, rather than types and sizes only."""
    return bool(options.inputs) or any(text.count("=") > 1 or "=@" in text for text in options.input)
