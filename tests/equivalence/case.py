# SPDX-License-Identifier: Apache-2.0
"""A control-flow model written in ONNX's text form, with inputs that take every path through it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

Feed = dict[str, Any]  # arrays; lists of arrays for sequences; None for an absent optional


@dataclass(frozen=True)
class Case:
    name: str
    text: str  # graph and functions, without the model header
    feeds: Callable[[], Iterable[Feed]]
    opset: int = 18
    judge_text: str = ""  # the same function for ONNX Runtime, where it refuses the model itself
    judge_opset: int = 0  # likewise: an opset at which every operator used means the same
    local: bool = False  # has functions of its own, in domain "local"
    external: bool = False  # stores its weights in a file beside it
    never_taken: tuple[str, ...] = ()  # names of subgraphs that no input reaches, on purpose
    checker_refuses: str = ""  # why onnx.checker does, although runtimes accept it
    refused: str = ""  # the error code with which every backend refuses it
    openvino: str = ""  # why OpenVINO refuses it; empty: it must be equal there too

    def model(self) -> onnx.ModelProto:
        return self._parse(self.text, self.opset)

    def judge_model(self) -> onnx.ModelProto:
        return self._parse(self.judge_text or self.text, self.judge_opset or self.opset)

    def save(self, folder: Path) -> Path:
        path = folder / f"{self.name}.onnx"
        if self.external:
            onnx.save_model(
                self.model(), path, save_as_external_data=True, location=f"{self.name}.data", size_threshold=0
            )
        else:
            onnx.save_model(self.model(), path)
        return path

    def _parse(self, text: str, opset: int) -> onnx.ModelProto:
        imports = f'"" : {opset}' + (', "local" : 1' if self.local else "")
        header = f"<ir_version: {ir_version_for(opset)}, opset_import: [{imports}]>\n"
        return onnx.parser.parse_model(header + text)


def ir_version_for(opset: int) -> int:
    """An IR version old enough for every reader and new enough for functions (8)."""
    return 8 if opset < 21 else 10


CASES: list[Case] = []


def case(name: str, text: str, feeds: Callable[[], Iterable[Feed]] | list[Feed], **options: Any) -> None:
    """Adds a model to the collection."""
    assert name not in {known.name for known in CASES}, f"two models are called {name}"
    given = feeds if callable(feeds) else lambda: feeds
    CASES.append(Case(name=name, text=text, feeds=given, **options))


def f32(*values: Any) -> np.ndarray:
    """f32(1, 2) is a vector; f32([[1, 2]]) takes the array as it is."""
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.float32)


def i64(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 and isinstance(values[0], list) else values, np.int64)


def scalar(value: Any, dtype: Any = None) -> np.ndarray:
    return np.array(value, dtype or (np.bool_ if isinstance(value, bool) else np.int64))


def normal(*shape: int, seed: int = 0, shift: float = 0.0, dtype: Any = np.float32) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(shape) + shift).astype(dtype)


def both_signs(
    *shape: int, name: str = "x", seeds: int = 8, dtype: Any = np.float32
) -> Callable[[], list[Feed]]:
    """Random inputs whose mean lies clearly below, then clearly above zero."""
    shifts = [-2.0, 2.0] * (seeds // 2)
    return lambda: [{name: normal(*shape, seed=i, shift=s, dtype=dtype)} for i, s in enumerate(shifts)]
