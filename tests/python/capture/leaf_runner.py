# SPDX-License-Identifier: Apache-2.0
"""One leaf call, captured and run by the reference backend, against the same call in eager torch."""

from __future__ import annotations

import builtins
import copy
import importlib
from dataclasses import dataclass
from typing import Any

import dycl
import torch
from dycl import _search
from dycl._core import FragmentTrial
from dycl.frontend.capture import Capture, LeafCall, ScalarSlot, TensorResult, TensorSlot, TorchRaised


class BackendLacks(Exception):  # noqa: N818 - a verdict, not a failure
    """The reference does not take the fragment, or says at run time that it cannot: never a wrong value."""


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


def _trial(call: LeafCall) -> FragmentTrial:
    try:
        return FragmentTrial(_search.runtime(), call.fragment)
    except dycl.Error as error:
        raise BackendLacks(str(error)) from error


def as_tensor(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.detach().contiguous()
    kinds = {bool: torch.bool, int: torch.int64, float: torch.float64}
    return torch.tensor(value, dtype=kinds[type(value)])


def _as_torch(array: Any) -> torch.Tensor:
    """torch knows nothing of numpy's bfloat16; f32 holds all its numbers."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.astype("f4")).bfloat16()
    return torch.from_numpy(array)


def execute(call: LeafCall, values: dict[int, Any]) -> list[torch.Tensor]:
    if not call.fragment.output_types:
        return []
    operands = [as_tensor(values.get(id(o), o)) for o in call.inputs]
    for operand, text in zip(operands, call.fragment.input_types, strict=True):
        assert list(operand.shape) == _dims(text), text
    try:
        outputs = [_as_torch(output) for output in _trial(call).run(operands)]
    except dycl.BackendError as error:
        raise BackendLacks(str(error)) from error
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
        wanted = _exception_called(failing[0].exception)
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


def _exception_called(name: str) -> Any:
    """ "ValueError" or "torch._C:_LinAlgError"."""
    module, _, inside = name.rpartition(":")
    return getattr(importlib.import_module(module) if module else builtins, inside)


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
