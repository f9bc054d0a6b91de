# SPDX-License-Identifier: Apache-2.0
"""What goes into a leaf call and what comes out: types, placeholders, the cached fragment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch

from dycl.frontend.operators.guards import LeafRefused as LeafRefused  # the machine asks for it here
from dycl.frontend.sizes import sizes
from dycl.frontend.sizes.sizes import Size

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
    shape: tuple[Size, ...]
    stride: tuple[Size, ...]
    device: torch.device
    type_text: str  # a size that is known at run time only is an "s"
    symbols: tuple[sympy.Symbol, ...]  # of its sizes and strides, in order; empty: all are known

    def __reduce__(self) -> tuple[Any, ...]:
        return spec, (self.dtype, self.shape, self.stride, self.device)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of a tensor all of whose sizes are known."""
        assert not self.symbols
        return self.shape


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


def contiguous_stride(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    strides: list[Size] = []
    total: Any = 1
    for size in reversed(shape):
        strides.append(sizes.number(sympy.expand(total)) if not isinstance(total, int) else total)
        total = total * (max(size, 1) if isinstance(size, int) else size)
    return tuple(reversed(strides))


_SUBSTITUTED: dict[Any, TensorSpec] = {}


def substituted(old: TensorSpec, values: Mapping[sympy.Symbol, Size]) -> TensorSpec:
    """With other sizes in the place of symbols."""
    used = tuple((symbol, values[symbol]) for symbol in old.symbols if symbol in values)
    if not used:
        return old
    found = _SUBSTITUTED.get((old, used))
    if found is None:
        shape = tuple(sizes.substituted(size, values) for size in old.shape)
        stride = tuple(sizes.substituted(size, values) for size in old.stride)
        if old.stride == contiguous_stride(old.shape):  # where a size becomes 0, strides do not
            stride = contiguous_stride(shape)
        found = _SUBSTITUTED[(old, used)] = spec(old.dtype, shape, stride, old.device)
    return found


class SpecJoins(sizes.Joins):
    """Types where paths meet."""

    def spec(self, sides: list[TensorSpec], place: int) -> TensorSpec | None:
        """Of tensors that differ in sizes at most."""
        first = sides[0]
        kinds = {(side.dtype, len(side.shape), side.device) for side in sides}
        if len(kinds) != 1:
            return None
        shape = tuple(self.size(list(parts), place) for parts in zip(*(s.shape for s in sides), strict=True))
        if all(side.stride == contiguous_stride(side.shape) for side in sides):
            stride = contiguous_stride(shape)
        else:
            parts = zip(*(side.stride for side in sides), strict=True)
            stride = tuple(self.size(list(part), place) for part in parts)
        return spec(first.dtype, shape, stride, first.device)


class Renaming:
    """Compares what two meetings at one place made: equal but for the names of sizes that they bound."""

    def __init__(self, left: Iterable[sympy.Symbol], right: Iterable[sympy.Symbol]) -> None:
        self._left, self._right = set(left), set(right)
        self._names: dict[sympy.Symbol, sympy.Symbol] = {}

    def same(self, left: Any, right: Any) -> bool:
        if isinstance(left, TensorSpec):
            kinds = [(side.dtype, len(side.shape), side.device) for side in (left, right)]
            pairs = zip((*left.shape, *left.stride), (*right.shape, *right.stride), strict=False)
            return kinds[0] == kinds[1] and all(self.same(a, b) for a, b in pairs)
        if isinstance(left, int) or isinstance(right, int):
            return bool(left == right)
        if left.is_Symbol and right.is_Symbol and left != right and not self._bind(left, right):
            return False
        return bool(left.xreplace(self._names) == right)

    def _bind(self, left: sympy.Symbol, right: sympy.Symbol) -> bool:
        """Whatever the right one may be, the left one may be too."""
        if left in self._names or right in self._names.values():
            return bool(self._names.get(left) == right)
        if left not in self._left or right not in self._right:
            return False
        (smallest, largest), (least, most) = sizes.range_of(left), sizes.range_of(right)
        if not smallest <= least <= most <= largest:
            return False
        self._names[left] = right
        return True


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
    dims = ",".join(str(size) if isinstance(size, int) else "s" for size in shape)
    text = f"{DTYPE_NAMES[dtype]}[{dims}]"
    open_sizes = [size for size in (*shape, *stride) if not isinstance(size, int)]
    symbols = dict.fromkeys(s for size in open_sizes for s in sorted(size.free_symbols, key=str))
    made = TensorSpec(dtype, shape, stride, device, text, tuple(symbols))
    return _SPECS.setdefault((dtype, shape, stride, device), made)


@dataclass(eq=False, slots=True)
class TensorSlot:
    """A tensor known at run time. The same object twice is the same tensor twice."""

    spec: TensorSpec
    storage: int  # equal numbers may share storage
    at: int | None = 0  # place of the first element in the storage; None: not known


@dataclass(eq=False, slots=True)
class ScalarSlot:
    """A Python number known at run time; a weak operand in type promotion."""

    kind: str  # "bool" | "int" | "float"
    size: Size | None = None  # of an int: how it follows from sizes that other types name


@dataclass(frozen=True, slots=True)
class SizeResult:
    """Stands for an int that depends on sizes."""

    size: Size


class OpenShape(tuple[Any, ...]):
    """A torch.Size with such ints in it, which torch's own class does not take."""


class SizeSplit(Exception):  # noqa: N818 - it asks for something
    """The call is typed differently on both sides of a comparison of sizes: the path must know which."""

    def __init__(self, relation: str, left: Size, right: Size) -> None:
        super().__init__(f"{left} {relation} {right}")
        self.relation = relation
        self.left = left
        self.right = right
        self._symbols: list[sympy.Symbol] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.relation, self.left, self.right), self.__dict__

    def of(self, symbols: list[sympy.Symbol]) -> SizeSplit:
        self._symbols = symbols
        return self

    def at(self, symbols: list[sympy.Symbol]) -> SizeSplit:
        """The same for a call with these symbols."""
        renamed = dict(zip(self._symbols, symbols, strict=True))
        return SizeSplit(
            self.relation, sizes.substituted(self.left, renamed), sizes.substituted(self.right, renamed)
        )


@dataclass(frozen=True, slots=True)
class Requirement:
    """Eager raises unless `left relation right`; `fields` are the sizes that the message shows."""

    relation: str
    left: Size
    right: Size
    exception: str
    message: str  # a format as of Raise
    fields: tuple[Size, ...]

    @property
    def settles(self) -> bool:
        """Whether a path that has made the check knows of it for good."""
        known = sizes.consequence(self.relation, self.left, self.right, True)
        left, right = sizes.substituted(self.left, known), sizes.substituted(self.right, known)
        return sizes.comparison(self.relation, left, right) is True

    def at(self, renamed: Mapping[sympy.Symbol, Size]) -> Requirement:
        left, right = sizes.substituted(self.left, renamed), sizes.substituted(self.right, renamed)
        fields = tuple(sizes.substituted(size, renamed) for size in self.fields)
        return Requirement(self.relation, left, right, self.exception, self.message, fields)


class SizesRaised(Exception):  # noqa: N818 - it carries torch's own exception
    """Eager raises whatever the sizes are; the message shows some of them."""

    def __init__(self, requirement: Requirement) -> None:
        super().__init__(requirement.message)
        self.requirement = requirement
        self._symbols: list[sympy.Symbol] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.requirement,), self.__dict__

    def of(self, symbols: list[sympy.Symbol]) -> SizesRaised:
        self._symbols = symbols
        return self

    def at(self, symbols: list[sympy.Symbol]) -> SizesRaised:
        return SizesRaised(self.requirement.at(dict(zip(self._symbols, symbols, strict=True))))


@dataclass(eq=False, slots=True)
class TensorResult:
    """Stands for one tensor in the structure that a call returns."""

    index: int  # output of the fragment; -1 when `same_as` or `same_static` names the very object
    spec: TensorSpec
    same_as: TensorSlot | None
    view_of: list[TensorSlot]
    static_view: bool  # shares storage with a parameter, buffer or constant
    same_static: torch.Tensor | None = None
    at: int | None = 0  # place of the first element, counted from that of `view_of`; None: not known
    static_base: torch.Tensor | None = None  # the parameter, buffer or constant that it is a view of


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


@dataclass(eq=False, slots=True)
class Lowered:
    fragment: Fragment
    used: list[int]  # which of the traced inputs the fragment takes, in order
    checks: list[Check]


Operand = TensorSlot | ScalarSlot | torch.Tensor | int | float | bool


@dataclass(eq=False, slots=True)
class LeafCall:
    """What one call needs: its fragment, the operands in order, and how results are put together."""

    fragment: Fragment
    inputs: list[Operand]
    result: Any
    mutated: list[tuple[TensorSlot, int, TensorSpec]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    requires: list[Requirement] = field(default_factory=list)
