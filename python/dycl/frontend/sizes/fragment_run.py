# SPDX-License-Identifier: Apache-2.0
"""Runs a lowered fragment on made-up values, to see that it agrees with eager at the sizes tried."""

from __future__ import annotations

import importlib
from typing import Any

import numpy
import onnx
import torch

from dycl.frontend.sizes.structure import Lifted
from dycl.frontend.sizes.values import DTYPE_NAMES, Lowered

_TRIED = {"f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "bool"}
_ELEMENTS = {name: dtype for dtype, name in DTYPE_NAMES.items() if name in _TRIED}


class FragmentRun:
    """Needs ONNX Runtime's Python package; without it, or for types it lacks, there is nothing to say."""

    def __init__(self, lowered: Lowered) -> None:
        self._used = lowered.used
        self._checks = len(lowered.checks)
        self._dtypes = [text.split("[")[0] for text in lowered.fragment.input_types]
        self._session = _session(lowered)

    def agrees(self, operands: list[Any], expected: list[torch.Tensor], values_too: bool) -> bool | None:
        """None: it cannot be run."""
        if self._session is None:
            return None
        feeds = {
            f"x{i}": _array(operands[position], dtype)
            for i, (position, dtype) in enumerate(zip(self._used, self._dtypes, strict=True))
        }
        try:
            found = self._session.run(None, feeds)
        except Exception:
            return False
        for array, tensor in zip(found, expected, strict=False):
            if tuple(array.shape) != tuple(tensor.shape):
                return False
            wanted = tensor.to(torch.float64).numpy()
            if values_too and not numpy.allclose(
                array.astype("f8"), wanted, rtol=1e-2, atol=1e-3, equal_nan=True
            ):
                return False
        checks = found[len(found) - self._checks :]
        return not any(bool(raised) for raised in checks)


def _array(value: Any, dtype: str) -> Any:
    value = value.value if isinstance(value, Lifted) else value
    tensor = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
    return tensor.to(_ELEMENTS[dtype]).contiguous().numpy()


def _session(lowered: Lowered) -> Any:
    fragment = lowered.fragment
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        return None
    function = onnx.FunctionProto.FromString(fragment.onnx)
    texts = [*fragment.input_types, *fragment.output_types]
    if any(text.split("[")[0] not in _ELEMENTS for text in texts):
        return None

    def port(name: str, text: str) -> onnx.ValueInfoProto:
        inside = text[text.index("[") + 1 : -1]
        rank = len(inside.split(",")) if inside else 0
        dims = [None if not part.isdigit() else int(part) for part in inside.split(",")[:rank]]
        element = torch.empty(0, dtype=_ELEMENTS[text.split("[")[0]]).numpy().dtype
        return onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(element), dims)

    inputs = [port(name, text) for name, text in zip(function.input, fragment.input_types, strict=True)]
    outputs = [
        port(name, text.split("[")[0] + "[" + ",".join("?" for _ in _dims(text)) + "]")
        for name, text in zip(function.output, fragment.output_types, strict=True)
    ]
    graph = onnx.helper.make_graph(list(function.node), "fragment", inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=list(function.opset_import), ir_version=10)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return runtime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception:
        return None


def _dims(text: str) -> list[str]:
    inside = text[text.index("[") + 1 : -1]
    return inside.split(",") if inside else []
