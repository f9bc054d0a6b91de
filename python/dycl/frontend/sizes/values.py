# SPDX-License-Identifier: Apache-2.0
"""What goes into a leaf call and what comes out. The classes that the machine reads are dycl._core's."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from dycl import _core
from dycl._core import Check as Check
from dycl._core import Fragment as Fragment
from dycl._core import LeafCall as LeafCall
from dycl._core import Requirement as Requirement
from dycl._core import ScalarSlot as ScalarSlot
from dycl._core import SizeExpr as SizeExpr
from dycl._core import SizeResult as SizeResult
from dycl._core import TensorResult as TensorResult
from dycl._core import TensorSlot as TensorSlot
from dycl._core import TensorSpec as TensorSpec
from dycl._core import contiguous_stride as contiguous_stride
from dycl.frontend.operators.guards import LeafRefused as LeafRefused
from dycl.frontend.sizes import sizes
from dycl.frontend.sizes.sizes import Size

_MOST_DIMENSIONS = 64  # of torch's own functions, most of which take no more

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

    def answer(self) -> _core.TorchRaised:
        return _core.TorchRaised(self.exception)


def known_sizes(given: TensorSpec) -> tuple[int, ...]:
    """Of a tensor all of whose sizes are known."""
    assert not given.symbols
    return tuple(size for size in given.shape if isinstance(size, int))


_SPECS: dict[tuple[torch.dtype, tuple[Size, ...], tuple[Size, ...], torch.device], TensorSpec] = {}


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """The spec of a strided tensor. Looks at its type only, never at its elements."""
    if tensor.layout != torch.strided:
        raise LeafRefused(f"a tensor of layout {tensor.layout}", "convert it with .to_dense()")
    if type(tensor).__module__.partition(".")[0] != "torch":  # its operations may mean anything
        raise LeafRefused(
            f"a tensor of the class {type(tensor).__name__}", "convert it with .as_subclass(torch.Tensor)"
        )
    key = (tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.device)
    found = _SPECS.get(key)
    return found if found is not None else _new_spec(*key)


def spec(
    dtype: torch.dtype, shape: tuple[Size, ...], stride: tuple[Size, ...], device: torch.device
) -> TensorSpec:
    found = _SPECS.get((dtype, shape, stride, device))
    return found if found is not None else _new_spec(dtype, shape, stride, device)


# Equal specs are one object, in other processes too.
copyreg.pickle(TensorSpec, lambda made: (spec, (made.dtype, made.shape, made.stride, made.device)))


def substituted(old: TensorSpec, values: Mapping[SizeExpr, Size]) -> TensorSpec:
    """With other sizes in the place of symbols."""
    if not any(symbol in values for symbol in old.symbols):
        return old
    return spec(old.dtype, *_core.substituted_layout(old, dict(values)), old.device)


def _new_spec(
    dtype: torch.dtype, shape: tuple[Size, ...], stride: tuple[Size, ...], device: torch.device
) -> TensorSpec:
    if dtype not in DTYPE_NAMES:
        complex_parts = "keep real and imaginary parts in two real tensors"
        hint = complex_parts if dtype.is_complex else "convert to a type that backends have, such as float32"
        raise LeafRefused(f"a tensor of dtype {dtype}", hint)
    if device.type == "meta":
        raise LeafRefused(
            f"a tensor on the device {device}, which has no elements", "keep tensors on the CPU"
        )
    if len(shape) > _MOST_DIMENSIONS:
        raise LeafRefused(f"a tensor of more than {_MOST_DIMENSIONS} dimensions", "keep the rank as it is")
    dims = ",".join(str(size) if isinstance(size, int) else "s" for size in shape)
    text = f"{DTYPE_NAMES[dtype]}[{dims}]"
    made = TensorSpec(dtype, shape, stride, device, text)
    return _SPECS.setdefault((dtype, shape, stride, device), made)


class OpenShape(tuple[Any, ...]):
    """A torch.Size with such ints in it, which torch's own class does not take."""


class SizeSplit(Exception):  # noqa: N818 - it asks for something
    """The call is typed differently on both sides of a comparison of sizes: the path must know which."""

    def __init__(self, relation: str, left: Size, right: Size) -> None:
        super().__init__(f"{left} {relation} {right}")
        self.relation = relation
        self.left = left
        self.right = right
        self._symbols: list[SizeExpr] = []

    def answer(self) -> _core.SizeSplit:
        return _core.SizeSplit(self.relation, self.left, self.right)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.relation, self.left, self.right), self.__dict__

    def of(self, symbols: list[SizeExpr]) -> SizeSplit:
        self._symbols = symbols
        return self

    def at(self, symbols: list[SizeExpr]) -> SizeSplit:
        """The same for a call with these symbols."""
        renamed = dict(zip(self._symbols, symbols, strict=True))
        return SizeSplit(
            self.relation, sizes.substituted(self.left, renamed), sizes.substituted(self.right, renamed)
        )


def requirement_at(requirement: Requirement, renamed: Mapping[SizeExpr, Size]) -> Requirement:
    """The same with other sizes in the place of symbols."""
    left, right = (sizes.substituted(side, renamed) for side in (requirement.left, requirement.right))
    fields = [sizes.substituted(size, renamed) for size in requirement.fields]
    return Requirement(requirement.relation, left, right, requirement.exception, requirement.message, fields)


class SizesRaised(Exception):  # noqa: N818 - it carries torch's own exception
    """Eager raises whatever the sizes are; the message shows some of them."""

    def __init__(self, requirement: Requirement) -> None:
        super().__init__(requirement.message)
        self.requirement = requirement
        self._symbols: list[SizeExpr] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.requirement,), self.__dict__

    def of(self, symbols: list[SizeExpr]) -> SizesRaised:
        self._symbols = symbols
        return self

    def at(self, symbols: list[SizeExpr]) -> SizesRaised:
        renamed = dict(zip(self._symbols, symbols, strict=True))
        return SizesRaised(requirement_at(self.requirement, renamed))


@dataclass(eq=False, slots=True)
class Lowered:
    fragment: Fragment
    used: list[int]  # which of the traced inputs the fragment takes, in order
    checks: list[Check]
