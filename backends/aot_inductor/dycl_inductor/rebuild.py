# SPDX-License-Identifier: Apache-2.0
"""A sub-DNN as a torch module again, rebuilt from the ATen graphs of its fragments."""

from __future__ import annotations

import base64
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from dycl_worker import Failed

# As the compiler spells them: src/base/dtype.h. The worker runs without the package dycl.
DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "bool": torch.bool,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
}  # fmt: skip
Payload = Mapping[str, Any]
Values = dict[str, Any]
TensorType = tuple[torch.dtype, list[int | str]]  # a size that differs between calls has a name


def parse_type(text: str) -> TensorType:
    """A float32 of shape [1, "s0"] is written f32[1,s0]."""
    name, _, rest = text.partition("[")
    sizes = [size for size in rest.removesuffix("]").split(",") if size]
    if name not in DTYPES:
        raise refused(f"torch has no tensors of {name}")
    return DTYPES[name], [int(size) if size.isdigit() else size for size in sizes]


def refused(why: str) -> Failed:
    return Failed(why, code="aot_inductor.refused", hint="compile for another backend")


def _narrow(x: torch.Tensor, dim: int, start: torch.Tensor, length: int) -> torch.Tensor:
    # torch itself would read `start` while tracing.
    return x.index_select(dim, start.reshape(1) + torch.arange(length))


def _erf(x: torch.Tensor) -> torch.Tensor:
    """Inductor's own is right to 1e-7 only, however small it is: near 0 its series."""
    square = x * x
    series = torch.zeros_like(x)
    for n in range(6, -1, -1):
        series = series * square + (-1) ** n * 2 / math.sqrt(math.pi) / math.factorial(n) / (2 * n + 1)
    return torch.where(x.abs() < 0.5, x * series, torch.ops.aten.erf.default(x))


def _atanh(x: torch.Tensor) -> torch.Tensor:
    """Inductor's own is log((1 + x) / (1 - x)) / 2, which is 0 near 0."""
    size = x.abs()
    result = torch.log1p(2 * size / (1 - size)) / 2
    return torch.where(x < 0, -result, result)


def _in_single(function: Callable[[torch.Tensor], torch.Tensor], name: str) -> Callable[..., torch.Tensor]:
    """Of f32; of other dtypes as it is."""
    return lambda x: function(x) if x.dtype == torch.float32 else _overload(name)(x)


def _without_overflow(name: str) -> Callable[..., torch.Tensor]:
    """Integer division of the most negative number by -1 ends the process: -a wraps, as eager's does."""
    divide = _overload(name)

    def guarded(a: Any, b: Any, **options: Any) -> torch.Tensor:
        tensors = [value for value in (a, b) if isinstance(value, torch.Tensor)]
        if not isinstance(b, torch.Tensor) or any(value.dtype.is_floating_point for value in tensors):
            result: torch.Tensor = divide(a, b, **options)
            return result
        negated = b == -1
        result = divide(a, torch.where(negated, torch.ones_like(b), b), **options)
        other = torch.zeros_like(result) if "remainder" in name or "fmod" in name else torch.neg(result)
        return torch.where(negated, other, result)

    return guarded


def _overload(name: str) -> Callable[..., Any]:
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    try:
        found: Callable[..., Any] = getattr(getattr(getattr(torch.ops, space), base), overload or "default")
    except AttributeError:
        raise refused(f"this torch has no operator {name}") from None
    return found


_OWN: dict[str, Callable[..., Any]] = {
    "aten::narrow.Tensor": _narrow,
    "aten::erf": _in_single(_erf, "aten::erf"),
    "aten::atanh": _in_single(_atanh, "aten::atanh"),
}
_DIVISIONS = (
    "aten::floor_divide",
    "aten::div.Tensor_mode",
    "aten::remainder.Tensor",
    "aten::fmod.Tensor",
)


def operator_of(name: str) -> Callable[..., Any]:
    if name in _OWN:
        return _OWN[name]
    if name in _DIVISIONS:
        return _without_overflow(name)
    if "::" in name:
        if not name.startswith(("aten::", "prims::")):
            raise refused(f"{name} has no C form that a library without Python could call")
        return _overload(name)
    plain = getattr(operator, name, None) or getattr(torch, name, None)  # on sizes: mul, sym_max …
    if plain is None:
        raise refused(f"the operator {name} is not known")
    found: Callable[..., Any] = plain
    return found


def _decode(value: Any, known: Values) -> Any:
    if isinstance(value, list):
        return [_decode(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "value":
        return known[content]
    if kind == "float":
        return float.fromhex(content)
    if kind == "dtype":
        return DTYPES[content]
    if kind == "device":
        return torch.device(content)
    if kind in ("layout", "memory_format"):
        return getattr(torch, content)
    raise refused(f"an argument of kind {kind} is not known")


def _constant(content: Mapping[str, Any]) -> torch.Tensor:
    return tensor_of(content["dtype"], content["shape"], base64.b64decode(content["data"]))


def tensor_of(dtype: str, shape: Sequence[int], data: bytes) -> torch.Tensor:
    if not data:
        return torch.empty(list(shape), dtype=DTYPES[dtype])
    return torch.frombuffer(bytearray(data), dtype=DTYPES[dtype]).reshape(list(shape))


def _value_names(content: Any) -> set[str]:
    if isinstance(content, list):
        return {name for item in content for name in _value_names(item)}
    return {content["value"]} if isinstance(content, dict) and "value" in content else set()


def _numbers_of(fragment: Mapping[str, Any]) -> set[str]:
    """The fragment's inputs that were sizes or indices when it was traced: their operators take numbers."""
    numbers: set[str] = set()
    for node in fragment["nodes"]:
        if node["op"] == "constant":
            continue
        if "::" not in node["op"]:
            if node["op"] != "getitem":
                numbers |= _value_names(node["args"])
            continue
        if node["op"] in _OWN:
            continue
        schema = _overload(node["op"])._schema.arguments  # type: ignore[attr-defined]
        given = [*zip(schema, node["args"], strict=False)]
        given += [
            (argument, node["kwargs"][argument.name])
            for argument in schema
            if argument.name in node["kwargs"]
        ]
        for argument, content in given:
            if "Tensor" not in str(argument.type):
                numbers |= _value_names(content)
    return numbers & set(fragment["inputs"])


class Subnet(torch.nn.Module):
    """Takes the sub-DNN's inputs, then its weights, then the constants that lie outside the library."""

    def __init__(self, payload: Payload) -> None:
        super().__init__()
        self.payload = payload
        self.names = [*payload["inputs"], *payload["weights"], *payload["outside"]]
        self.inside: Values = {
            name: tensor_of(*_split(constant["type"]), bytes.fromhex(constant["hex"]))
            for name, constant in payload["constants"].items()
            if name not in payload["outside"]
        }
        self.numbers = [_numbers_of(fragment) for fragment in payload["fragments"]]
        self._require_numbers_inside()
        self.constants: dict[tuple[int, str], torch.Tensor] = {
            (position, node["name"]): _constant(node["value"])
            for position, fragment in enumerate(payload["fragments"])
            for node in fragment["nodes"]
            if node["op"] == "constant"
        }

    def _require_numbers_inside(self) -> None:
        for call in self.payload["calls"]:
            inputs = self.payload["fragments"][call["fragment"]]["inputs"]
            for inner, outer in zip(inputs, call["in"], strict=True):
                if inner in self.numbers[call["fragment"]] and outer in self.payload["outside"]:
                    raise Failed("a constant decides a size", code="aot_inductor.number_outside")

    def forward(self, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        known: Values = {**self.inside, **dict(zip(self.names, values, strict=True))}
        numbers: Values = {}
        for call in self.payload["calls"]:
            results = self._call(call["fragment"], call["in"], known, numbers)
            for name, value in zip(call["out"], results, strict=True):
                if name is not None and value is not None:
                    known[name] = value
        missing = [name for name in self.payload["outputs"] if name not in known]
        if missing:
            raise refused("its torch graph needs a value that its ONNX form does without")
        given = {id(value) for value in values}
        return tuple(_result(known[name], given) for name in self.payload["outputs"])

    def _call(self, position: int, names: list[str | None], known: Values, numbers: Values) -> list[Any]:
        fragment = self.payload["fragments"][position]
        local: Values = {}
        for inner, outer in zip(fragment["inputs"], names, strict=True):
            if outer not in known:  # only results that nobody needs depend on it
                continue
            if inner in self.numbers[position]:
                if outer not in numbers:
                    numbers[outer] = self._number(known[outer], outer)
                local[inner] = numbers[outer]
            else:
                local[inner] = known[outer]
        for node in fragment["nodes"]:
            if node["op"] == "constant":
                local[node["name"]] = self.constants[position, node["name"]]
                continue
            if not _value_names([node["args"], *node["kwargs"].values()]) <= local.keys():
                continue
            arguments = _decode(node["args"], local)
            options = {key: _decode(value, local) for key, value in node["kwargs"].items()}
            local[node["name"]] = operator_of(node["op"])(*arguments, **options)
        ready = [_value_names(output) <= local.keys() for output in fragment["outputs"]]
        return [
            _decode(o, local) if done else None for o, done in zip(fragment["outputs"], ready, strict=True)
        ]

    def _number(self, value: Any, name: str) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return self.inside[name].item() if name in self.inside else value.item()


def _split(text: str) -> tuple[str, list[int]]:
    name, _, rest = text.partition("[")
    return name, [int(size) for size in rest.removesuffix("]").split(",") if size]


def _result(value: Any, given: set[int]) -> torch.Tensor:
    """Of its own memory and contiguous, as results cross the border."""
    if not isinstance(value, torch.Tensor):  # a size
        return torch.full((), value, dtype=torch.int64)
    if id(value) in given:
        return value.clone(memory_format=torch.contiguous_format)
    return value.contiguous()
