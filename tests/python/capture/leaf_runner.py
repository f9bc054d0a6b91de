# SPDX-License-Identifier: Apache-2.0
"""One leaf call, captured and run in ONNX Runtime, against the same call in eager torch."""

from __future__ import annotations

import builtins
import copy
from dataclasses import dataclass
from typing import Any

import onnx
import onnxruntime
import torch
from dycl.frontend.capture import Capture, LeafCall, ScalarSlot, TensorResult, TensorSlot, TorchRaised
from onnx import helper

_ONNX_TYPES = {
    "f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11,
    "u32": 12, "u64": 13, "bf16": 16,
}  # fmt: skip


class BackendLacks(Exception):  # noqa: N818 - a verdict, not a failure
    """ONNX Runtime does not load the fragment: a refusal at compile time, never a wrong value."""


@dataclass
class Number:
    """Marks an argument as a number known only at run time."""

    value: Any


def _dims(text: str) -> list[int | str]:
    """A size that depends on values has a name."""
    return [int(d) if d.isdigit() else d for d in text.partition("[")[2][:-1].split(",") if d]


def _fits(shape: Any, dims: Any) -> bool:
    pairs = zip(shape, dims, strict=False)
    return len(shape) == len(dims) and all(size == d for size, d in pairs if isinstance(d, int))


def value_info(name: str, text: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, _ONNX_TYPES[text.partition("[")[0]], _dims(text))


def _handed_over(names: Any, types: list[str], taken: bool) -> tuple[list[Any], list[Any]]:
    """NumPy has no bf16: such values cross the border as f32, which holds all of them."""
    nodes, values = [], []
    for name, text in zip(names, types, strict=True):
        if text.startswith("bf16"):
            outside = f"{name}_f32"
            ends = ([outside], [name]) if taken else ([name], [outside])
            nodes.append(helper.make_node("Cast", *ends, to=16 if taken else 1))
            name, text = outside, text.replace("bf16", "f32")
        values.append(value_info(name, text))
    return nodes, values


def session(call: LeafCall) -> onnxruntime.InferenceSession:
    fragment = call.fragment
    function = onnx.FunctionProto.FromString(fragment.onnx)
    before, inputs = _handed_over(function.input, fragment.input_types, taken=True)
    after, outputs = _handed_over(function.output, fragment.output_types, taken=False)
    graph = helper.make_graph([*before, *function.node, *after], "fragment", inputs, outputs)
    model = helper.make_model(graph, opset_imports=list(function.opset_import), ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise BackendLacks(str(error)[:300]) from error


def as_tensor(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.detach().contiguous()
    kinds = {bool: torch.bool, int: torch.int64, float: torch.float64}
    return torch.tensor(value, dtype=kinds[type(value)])


def execute(call: LeafCall, values: dict[int, Any]) -> list[torch.Tensor]:
    if not call.fragment.output_types:
        return []
    operands = [as_tensor(values.get(id(o), o)) for o in call.inputs]
    for operand, text in zip(operands, call.fragment.input_types, strict=True):
        assert list(operand.shape) == _dims(text), text
    ort = session(call)
    operands = [t.float() if t.dtype == torch.bfloat16 else t for t in operands]
    feeds = {i.name: t.numpy() for i, t in zip(ort.get_inputs(), operands, strict=True)}
    outputs = [torch.from_numpy(o) for o in ort.run(None, feeds)]
    kinds = call.fragment.output_types
    outputs = [o.bfloat16() if k.startswith("bf16") else o for o, k in zip(outputs, kinds, strict=True)]
    for output, text in zip(outputs, call.fragment.output_types, strict=True):
        assert _fits(output.shape, _dims(text)), (output.shape, text)
    return outputs


def _slots(value: Any, capture: Capture, found: dict[int, tuple[Any, Any]]) -> Any:
    """`value` with run-time values exchanged for slots; `found` maps id(original) to (slot, original)."""
    if isinstance(value, Number):
        slot = ScalarSlot(type(value.value).__name__)
        found[id(value)] = (slot, value.value)
        return slot
    if isinstance(value, torch.nn.Parameter):
        return value
    if isinstance(value, torch.Tensor):
        if id(value) not in found:
            spec = capture.spec(value)
            found[id(value)] = (TensorSlot(spec, value.untyped_storage()._cdata), value)
        return found[id(value)][0]
    return _mapped(value, lambda item: _slots(item, capture, found))


def _mapped(value: Any, function: Any) -> Any:
    if isinstance(value, tuple):
        items = [function(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        return [function(item) for item in value]
    if isinstance(value, dict):
        return {key: function(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*(function(item) for item in (value.start, value.stop, value.step)))
    return value


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Number) else _mapped(value, _plain)


def check_leaf(
    capture: Capture,
    function: Any,
    *args: Any,
    _rtol: float | None = None,
    _atol: float | None = None,
    **kwargs: Any,
) -> LeafCall | None:
    """Raises AssertionError where the fragment differs from eager; LeafRefused and BackendLacks pass through.

    Returns None where eager raises and the capture says so, at once or by a check.
    """
    found: dict[int, tuple[Any, Any]] = {}
    slots, named = _slots(args, capture, found), _slots(kwargs, capture, found)
    memo: dict[int, Any] = {}
    eager_args, eager_kwargs = copy.deepcopy((args, kwargs), memo)
    raised: Exception | None = None
    expected: Any = None
    with torch.no_grad():
        try:
            expected = function(*_plain(eager_args), **_plain(eager_kwargs))
        except Exception as error:
            raised = error
    try:
        call = capture.call(function, slots, named)
    except TorchRaised as error:
        _same_exception(error.exception, raised)
        return None
    outputs = execute(call, {id(slot): value for slot, value in found.values()})
    failing = [c for c in call.checks if bool(outputs[c.output])]
    if raised is not None:
        assert failing, f"eager raises {raised!r}, the fragment does not"
        wanted = getattr(builtins, failing[0].exception)
        assert isinstance(raised, wanted), f"eager raises {raised!r}, the check {wanted}"
        return None
    assert not failing, f"eager does not raise, but the check does: {failing}"
    originals = {id(slot): memo.get(id(value), value) for slot, value in found.values()}
    _compare(call.result, expected, outputs, originals, _rtol, _atol)
    written = {id(slot) for slot, _ in call.mutated}
    for slot, output in call.mutated:
        _close(outputs[output], originals[id(slot)], _rtol, _atol)
    for slot, value in found.values():
        if isinstance(slot, TensorSlot) and id(slot) not in written:
            _close(value, originals[id(slot)], 0, 0)
    return call


def _same_exception(said: Exception, raised: Exception | None) -> None:
    assert raised is not None, f"capture says that eager raises {said!r}"
    related = isinstance(said, type(raised)) or isinstance(raised, type(said))
    assert related, f"capture says {said!r}, eager {raised!r}"


def _close(actual: torch.Tensor, wanted: torch.Tensor, rtol: float | None, atol: float | None) -> None:
    if wanted.dtype == torch.float32 and rtol is None:
        rtol, atol = 2e-5, 1e-5
    torch.testing.assert_close(actual, wanted.detach(), rtol=rtol, atol=atol, equal_nan=True)


def _compare(
    result: Any, wanted: Any, outputs: list[torch.Tensor], originals: dict[int, Any], rtol: Any, atol: Any
) -> None:
    if isinstance(result, TensorResult):
        assert isinstance(wanted, torch.Tensor), f"a tensor where eager gives {wanted!r}"
        assert result.spec.dtype == wanted.dtype, f"{result.spec.dtype} where eager gives {wanted.dtype}"
        assert _fits(wanted.shape, result.spec.shape), f"{result.spec.shape}, eager {tuple(wanted.shape)}"
        for slot, original in originals.items():
            if original is wanted:
                assert id(result.same_as) == slot, "identity is lost"
        if result.index >= 0:
            _close(outputs[result.index], wanted, rtol, atol)
        return
    assert type(result) is type(wanted), f"{type(result)} where eager gives {type(wanted)}"
    if isinstance(result, (tuple, list)):
        assert len(result) == len(wanted)
        for one, other in zip(result, wanted, strict=True):
            _compare(one, other, outputs, originals, rtol, atol)
    elif isinstance(result, dict):
        assert list(result) == list(wanted)
        for key in result:
            _compare(result[key], wanted[key], outputs, originals, rtol, atol)
    else:
        assert result == wanted
