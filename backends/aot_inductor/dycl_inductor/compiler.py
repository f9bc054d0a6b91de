# SPDX-License-Identifier: Apache-2.0
"""Export, compile, and compare with eager: what comes out has been run once at every kind of size."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from dycl_worker import Failed, Progress

from dycl_inductor import adapter
from dycl_inductor.rebuild import Payload, Subnet, TensorType, parse_type, refused
from dycl_inductor.trial import TrialProcess

_EXAMPLE_SIZES = (5, 7, 11, 13, 17, 19, 23, 29)  # of sizes that differ between calls
_TRIED_SIZES = (2, 3, 1, 0)  # the last two are where compilers assume things
_TRIALS = 3  # a comparison of two close numbers may come out either way: an answer must differ every time
_TOLERANCE = {torch.float16: 1e-2, torch.bfloat16: 4e-2, torch.float32: 1e-3, torch.float64: 1e-6}

_SHIFTS = (0.0, -0.5, -2.0)  # values that are all, partly and never positive: masks choose all, some and none
_RAISES = "it raises "  # which no rounding explains
_APART = TrialProcess()

Sizes = Mapping[str, int]
Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


def compile_subnet(payload: Payload, progress: Progress) -> tuple[dict[str, Any], bytes]:
    """The facts that the plugin keeps, and the library; `payload` is what payload.cpp of the plugin wrote."""
    adapter.require_compiler()
    torch.set_num_threads(1)
    net = Subnet(payload)
    types = [parse_type(text) for text in payload["types"]]
    names = _named_sizes(types)
    example = _values(types, dict(zip(names, itertools.cycle(_EXAMPLE_SIZES), strict=False)), seed=0)
    with tempfile.TemporaryDirectory(prefix="dycl_inductor_") as folder, torch.no_grad():
        program = _export(net, types, example)
        progress("compiling")
        library = _build(program, example, Path(folder))
        is_open = bool(program.range_constraints)  # some sizes are not known: it may die of them
        run = partial(_APART.run if is_open else adapter.run, library)
        smallest = _Comparison(net, run, types, _SHIFTS if is_open else _SHIFTS[:1]).smallest(names)
        facts = {"torch": torch.__version__, "smallest": smallest}
        return facts, library.read_bytes()


def _named_sizes(types: Sequence[TensorType]) -> list[str]:
    return list(dict.fromkeys(size for _, sizes in types for size in sizes if isinstance(size, str)))


def _values(types: Sequence[TensorType], sizes: Sizes, seed: int, shift: float = 0.0) -> list[torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    values = []
    for dtype, dims in types:
        shape = [size if isinstance(size, int) else sizes[size] for size in dims]
        if dtype.is_floating_point:
            values.append(torch.rand(shape, generator=random).add(0.05 + shift).to(dtype))
        else:
            most = 2 if shift > _SHIFTS[-1] else 1
            values.append(torch.randint(0, most, shape, generator=random).to(dtype))
    return values


def _export(
    net: Subnet, types: Sequence[TensorType], example: Sequence[torch.Tensor]
) -> torch.export.ExportedProgram:
    dims = {name: torch.export.Dim(name, min=0) for name in _named_sizes(types)}
    shapes = tuple(
        {axis: dims[size] for axis, size in enumerate(sizes) if isinstance(size, str)} for _, sizes in types
    )
    try:
        with adapter.sizes_kept_open():
            return torch.export.export(
                net,
                tuple(example),
                dynamic_shapes={"values": shapes} if types else None,
                strict=False,
                prefer_deferred_runtime_asserts_over_guards=True,
            )
    except Failed:
        raise
    except Exception as error:
        raise refused(f"torch.export cannot take it: {adapter.reason(error)}") from error


def _build(program: torch.export.ExportedProgram, example: Sequence[torch.Tensor], folder: Path) -> Path:
    try:
        return adapter.build(program, example, folder)
    except Failed:
        raise
    except Exception as error:
        raise refused(f"Inductor cannot compile it: {adapter.reason(error)}") from error


@dataclass(frozen=True)
class _Comparison:
    """A library beside eager, on made-up values."""

    net: Subnet
    run: Run
    types: Sequence[TensorType]
    shifts: Sequence[float]

    def smallest(self, names: Sequence[str]) -> int:
        """The smallest size of a named dimension at which the library gives what eager gives."""
        if not names:
            self._require_equal({}, "")
            return 0
        for size in _TRIED_SIZES:
            # Two named sizes may have to be equal or to differ, so both are tried; eager decides what counts.
            for step in (0, 1)[: len(names)]:
                sizes = {name: size + step * index for index, name in enumerate(names)}
                try:
                    self._require_equal(sizes, f" at sizes {sizes}")
                except Failed:
                    if size in _TRIED_SIZES[:2]:
                        raise
                    return size + 1
        return 0

    def _require_equal(self, sizes: Sizes, where: str) -> None:
        for shift in self.shifts:
            trials = (_values(self.types, sizes, seed, shift) for seed in range(1, _TRIALS + 1))
            problems = [self._problem(values) for values in trials]
            certain = [text for text in problems if text.startswith(_RAISES)]
            if certain or all(problems):
                what = (certain or problems)[-1]
                raise refused(f"what Inductor compiled differs from eager{where}: {what}")

    def _problem(self, values: Sequence[torch.Tensor]) -> str:
        try:
            wanted = self.net(*[value.clone() for value in values])
        except Exception:  # eager refuses these values or sizes: then any answer is as good
            return ""
        try:
            given = self.run(values)
        except RuntimeError as error:
            return f"{_RAISES}{adapter.reason(error)}"
        return _difference(given, wanted)


def _difference(given: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> str:
    for position, (a, b) in enumerate(zip(given, wanted, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {position} is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        if not b.dtype.is_floating_point:
            if not torch.equal(a, b):
                return f"output {position} has other numbers"
            continue
        scale = torch.nan_to_num(b.double().abs(), posinf=0.0).max().item() if b.numel() else 0.0
        bound = _TOLERANCE.get(b.dtype, 0.0)
        if not torch.allclose(a.double(), b.double(), rtol=bound, atol=bound * scale, equal_nan=True):
            return f"output {position} differs by {(a.double() - b.double()).abs().max().item():.3g}"
    return ""
