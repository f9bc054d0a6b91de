# SPDX-License-Identifier: Apache-2.0
"""What goes into a leaf call and what comes out: types, placeholders, the cached fragment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from dycl_operators.guards import LeafRefused as LeafRefused  # the machine asks for it here

# As name_of() spells them in src/base/dtype.h.
DTYPE_NAMES: dict[torch.dtype, str] = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "u8",
    torch.uint16: "u16",
    torch.uint32: "u32",
    torch.uint64: "u64",
    torch.bool: "bool",
}
SCALAR_DTYPES = {"bool": torch.bool, "int": torch.int64, "float": torch.float64}


class TorchRaised(Exception):  # noqa: N818 - it carries torch's own exception
    """Eager torch raises `exception` for these types, whatever the values are."""

    def __init__(self, exception: Exception) -> None:
        super().__init__(str(exception))
        self.exception = exception


@dataclass(frozen=True, eq=False, slots=True)
class TensorSpec:
    """Interned by `spec_of`: equal specs are one object."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    device: torch.device
    type_text: str


_SPECS: dict[tuple[torch.dtype, tuple[int, ...], tuple[int, ...], torch.device], TensorSpec] = {}


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """The spec of a strided tensor. Looks at its type only, never at its elements."""
    if tensor.layout != torch.strided:
        raise LeafRefused(f"a tensor of layout {tensor.layout}", "convert it with .to_dense()")
    key = (tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.device)
    found = _SPECS.get(key)
    return found if found is not None else _new_spec(*key)


def _new_spec(
    dtype: torch.dtype, shape: tuple[int, ...], stride: tuple[int, ...], device: torch.device
) -> TensorSpec:
    if dtype not in DTYPE_NAMES:
        complex_parts = "keep real and imaginary parts in two real tensors"
        hint = complex_parts if dtype.is_complex else "convert to a type that backends have, such as float32"
        raise LeafRefused(f"a tensor of dtype {dtype}", hint)
    if device.type == "meta":
        raise LeafRefused(
            f"a tensor on the device {device}, which has no elements", "keep tensors on the CPU"
        )
    text = f"{DTYPE_NAMES[dtype]}[{','.join(map(str, shape))}]"
    return _SPECS.setdefault((dtype, shape, stride, device), TensorSpec(dtype, shape, stride, device, text))


@dataclass(eq=False, slots=True)
class TensorSlot:
    """A tensor known at run time. The same object twice is the same tensor twice."""

    spec: TensorSpec
    storage: int  # equal numbers may share storage


@dataclass(eq=False, slots=True)
class ScalarSlot:
    """A Python number known at run time; a weak operand in type promotion."""

    kind: str  # "bool" | "int" | "float"


@dataclass(eq=False, slots=True)
class TensorResult:
    """Stands for one tensor in the structure that a call returns."""

    index: int  # output of the fragment; -1 when `same_as` or `same_static` names the very object
    spec: TensorSpec
    same_as: TensorSlot | None
    view_of: list[TensorSlot]
    static_view: bool  # shares storage with a parameter, buffer or constant
    same_static: torch.Tensor | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Output `output` is a bool[]: True where eager would have raised."""

    output: int
    exception: str
    message: str


@dataclass(frozen=True, eq=False, slots=True)
class Fragment:
    """One lowered leaf call, shared by all structurally equal calls."""

    name: str
    input_types: list[str]
    output_types: list[str]
    onnx: bytes  # serialized FunctionProto
    aten: str  # JSON
    key: str


Operand = TensorSlot | ScalarSlot | torch.Tensor | int | float | bool


@dataclass(eq=False, slots=True)
class LeafCall:
    """What one call needs: its fragment, the operands in order, and how results are put together."""

    fragment: Fragment
    inputs: list[Operand]
    result: Any
    mutated: list[tuple[TensorSlot, int, TensorSpec]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
