# SPDX-License-Identifier: Apache-2.0
"""Implements ONNX's backend interface (onnx.backend.base), so that ONNX's own suite can test DyCL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx.backend.base import Backend, BackendRep, Device, DeviceType

from dycl.api import Program
from dycl.api import compile as compile_model
from dycl.errors import UsageError
from dycl.requests import NO_RULES


class DyclBackendRep(BackendRep):
    """A compiled model."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Runs the model. `inputs` is a list in order, a mapping by name, or a single value."""
        if isinstance(inputs, Mapping):
            return tuple(self.program.run(None, inputs))
        if not isinstance(inputs, (list, tuple)):
            inputs = [inputs]
        ports = self.program.inputs
        if len(inputs) > len(ports):
            raise UsageError(
                f"the model takes {len(ports)} inputs, {len(inputs)} were given", code="run.input_count"
            )
        return tuple(self.program.run(None, {port.name: value for port, value in zip(ports, inputs)}))


class DyclBackend(Backend):
    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        return cls.supports_device(device)

    @classmethod
    def prepare(
        cls,
        model: onnx.ModelProto,
        device: str = "CPU",
        backend: str | Mapping[str, str] = NO_RULES,
        **kwargs: Any,
    ) -> DyclBackendRep:
        if not cls.supports_device(device):
            raise UsageError(f"device '{device}' is not supported, only CPU", code="python.device")
        return DyclBackendRep(compile_model(model, backend=backend, **kwargs))

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Runs one node. The inputs give their types; the output types are inferred."""
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        return cls.run_model(_model_of(node, inputs), inputs, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return bool(Device(device).type == DeviceType.CPU)


def _model_of(node: onnx.NodeProto, inputs: Sequence[Any]) -> onnx.ModelProto:
    names = [name for name in node.input if name]
    values = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in zip(names, inputs)
    ]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = onnx.helper.make_graph([node], "node", values, outputs)
    opset = [onnx.helper.make_opsetid(node.domain, onnx.defs.onnx_opset_version())]
    return onnx.shape_inference.infer_shapes(onnx.helper.make_model(graph, opset_imports=opset))


is_compatible = DyclBackend.is_compatible
prepare = DyclBackend.prepare
run_model = DyclBackend.run_model
run_node = DyclBackend.run_node
supports_device = DyclBackend.supports_device
