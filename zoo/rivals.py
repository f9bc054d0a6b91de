# SPDX-License-Identifier: Apache-2.0
"""What other ways make of the same models: tracing with the same backend, torch.export, TorchScript."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import tempfile
from collections.abc import Callable
from typing import Any

import torch

from zoo.flat import Flat, error, leaves, prediction, same_shapes
from zoo.measure import quiet

Run = Callable[..., list[torch.Tensor]]


def traced(model: Any, call: tuple[Any, ...], backend: str) -> Run:
    """torch.jit.trace on the first input; then the backend's own compiler."""
    flat = Flat(copy.deepcopy(model)).eval()
    with torch.no_grad():
        script = torch.jit.trace(flat, call, check_trace=False)
    return TRACED[backend](script, call)


def _as_onnx(script: Any, call: tuple[Any, ...]) -> tuple[bytes, list[str]]:
    """The traced model, and the names of its inputs."""
    file = io.BytesIO()
    names = [f"input{number}" for number in range(len(call))]
    torch.onnx.export(script, call, file, dynamo=False, do_constant_folding=False, input_names=names)
    return file.getvalue(), names


def _on_onnxruntime(script: Any, call: tuple[Any, ...]) -> Run:
    import onnxruntime

    model, names = _as_onnx(script, call)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    kept = {port.name for port in session.get_inputs()}  # those on which the traced path depends

    def run(*args: torch.Tensor) -> list[torch.Tensor]:
        feeds = {name: value.numpy() for name, value in zip(names, args) if name in kept}
        return [torch.from_numpy(value.copy()) for value in session.run(None, feeds)]

    return run


def _on_openvino(script: Any, call: tuple[Any, ...]) -> Run:
    import openvino

    converted = openvino.convert_model(script, example_input=call)
    options = {"INFERENCE_PRECISION_HINT": "f32"}
    program = openvino.compile_model(converted, "CPU", options)

    def run(*args: torch.Tensor) -> list[torch.Tensor]:
        answer = program([value.numpy() for value in args[: len(program.inputs)]])
        return [torch.from_numpy(answer[port].copy()) for port in program.outputs]

    return run


def _folded(model: bytes) -> Any:
    """Without the arithmetic on known shapes that tracing leaves behind: TVM does not import it."""
    import onnx
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = f"{folder}/model.onnx"
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def _on_tvm(script: Any, call: tuple[Any, ...]) -> Run:
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    model, names = _as_onnx(script, call)
    module = from_onnx(_folded(model))
    kept = [str(parameter.name) for parameter in module["main"].params]
    cpu = tvm.target.codegen.llvm_get_system_cpu()
    program = tvm.compile(module, tvm.target.Target({"kind": "llvm", "mcpu": cpu}))
    machine = relax.VirtualMachine(program, tvm.cpu())

    def run(*args: torch.Tensor) -> list[torch.Tensor]:
        given = dict(zip(names, args))
        answer = machine["main"](*[tvm.runtime.tensor(given[name].numpy()) for name in kept])
        answers = [answer] if isinstance(answer, tvm.runtime.Tensor) else list(answer)
        return [torch.from_numpy(value.numpy().copy()) for value in answers]

    return run


def _on_aot_inductor(script: Any, call: tuple[Any, ...]) -> Run:
    """It takes what torch.export gives; a traced model is converted to that first."""
    from torch._export.converter import TS2EPConverter

    program = TS2EPConverter(script, call).convert()
    with tempfile.TemporaryDirectory() as folder:
        package = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
        loaded = torch._inductor.aoti_load_package(package)
    return lambda *args: leaves(loaded(*args))


# Each backend's own compiler on what tracing gives.
TRACED = {
    "onnxruntime": _on_onnxruntime,
    "openvino": _on_openvino,
    "tvm": _on_tvm,
    "aot_inductor": _on_aot_inductor,
}


def exported(model: Any, call: tuple[Any, ...]) -> Run:
    program = torch.export.export(copy.deepcopy(model), call).module()
    return lambda *args: leaves(program(*args))


def scripted(model: Any, call: tuple[Any, ...]) -> Run:
    script = torch.jit.script(copy.deepcopy(model))
    return lambda *args: leaves(script(*args))


def judge(
    make: Callable[[], Run], calls: list[tuple[Any, ...]], expected: list[list[torch.Tensor]]
) -> dict[str, Any]:
    """How wrong it is on the inputs, or the first line of the refusal."""
    logging.disable(logging.CRITICAL)
    try:
        with quiet(), contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            run = make()
            return _compared(run, calls, expected)
    except Exception as problem:  # whatever the other compiler raises is its answer
        return {"compiled": False, "refused": _first_line(problem)}
    finally:
        logging.disable(logging.NOTSET)


def _compared(run: Run, calls: list[tuple[Any, ...]], expected: list[list[torch.Tensor]]) -> dict[str, Any]:
    errors, other, shapes, failures = [0.0], 0, 0, []
    for call, wanted in zip(calls, expected):
        try:
            with torch.no_grad():
                given = run(*copy.deepcopy(call))
        except Exception as problem:
            failures.append(_first_line(problem))
            continue
        errors.append(error(given, wanted))
        other += prediction(given) != prediction(wanted)
        shapes += not same_shapes(given, wanted)
    return {
        "compiled": True,
        "error": max(errors),
        "inconsistent": (other + len(failures)) / len(calls),
        "other_shapes": shapes,
        "failures": len(failures),
        "failure": failures[0] if failures else None,
    }


def _first_line(problem: Exception) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return f"{type(problem).__name__}: {lines[0] if lines else ''}"
