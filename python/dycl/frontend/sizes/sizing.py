# SPDX-License-Identifier: Apache-2.0
"""One leaf call's operands as torch sees them: fake tensors, with sizes known at run time as its symbols."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import torch

from dycl._core import SizeExpr, SizeSymbols, size_relation_splits
from dycl.frontend.operators.weak import EXAMPLES
from dycl.frontend.sizes.sizes import Range, Size, symbols_of
from dycl.frontend.sizes.structure import Lifted, Sized
from dycl.frontend.sizes.torch_sizes import SizeEnv, is_symbolic
from dycl.frontend.sizes.values import (
    SCALAR_DTYPES,
    LeafRefused,
    ScalarSlot,
    SizeResult,
    SizeSplit,
    TensorSlot,
    TensorSpec,
    contiguous_stride,
    spec,
    spec_of,
)


class UnknownSize(Exception):  # noqa: N818 - it asks for another way of typing
    """A result has a size that depends on values."""


class Fresh:
    """A call's sizes for the symbols of what was lowered; a size that torch made up is one of its own."""

    def __init__(self, known: Iterable[tuple[SizeExpr, Size]], symbols: SizeSymbols) -> None:
        self._values: dict[SizeExpr, Size] = dict(known)
        self._symbols = symbols

    def of(self, *sizes: Size) -> dict[SizeExpr, Size]:
        for symbol in symbols_of(*sizes):
            if symbol not in self._values:
                self._values[symbol] = self._symbols.fresh()
        return self._values


class Sizing:
    """`symbols` are those of the operands, in order."""

    def __init__(
        self, mode: Any, symbols: list[SizeExpr], unknown: bool = False, exact: bool = False
    ) -> None:
        """`unknown`: results may have sizes of their own. `exact`: 0 and 1 are sizes like others."""
        self.symbols = symbols
        self.ranges: list[Range] = [symbol.range for symbol in symbols]
        self.env = SizeEnv(symbols) if symbols or unknown else None
        self.mode = self.env.mode if self.env is not None else mode
        for symbol, (smallest, largest) in zip(symbols, self.ranges, strict=True):
            assert self.env is not None
            if 0 <= smallest < 2 and not exact:
                if largest < 2:
                    raise SizeSplit("==", symbol, smallest)
                smallest = 2
            self.env.add(symbol, smallest, largest)

    def value(self, size: Size) -> Any:
        if isinstance(size, int):
            return size
        assert self.env is not None
        return self.env.value(size)

    def size(self, value: Any) -> Size:
        return value if isinstance(value, int) or self.env is None else self.env.size(value)

    def quiet(self) -> contextlib.AbstractContextManager[None]:
        return self.env.quiet() if self.env is not None else contextlib.nullcontext()

    def undecided(self, error: Exception, name: str) -> Exception:
        """torch needs to know something of the sizes: the path splits where that settles it."""
        condition = self.env.condition(error) if self.env is not None else None
        if condition is not None and size_relation_splits(*condition):
            return SizeSplit(*condition)
        reason = f"{name} needs to know a size that is known at run time only"
        return LeafRefused(reason, "use a size known at compile time, or leave it out of dynamic_shapes")

    def outer(self, value: Any) -> Any:
        """An int that depends on sizes."""
        if not is_symbolic(value):
            return value
        if not isinstance(value, torch.SymInt):
            raise LeafRefused("a truth that depends on sizes", "compare sizes themselves")
        size = self.size(value)
        if isinstance(size, int):
            return size
        if self.env is None or not self.env.is_own(size):
            reason = "an int that follows from sizes in a way of torch's own"
            raise LeafRefused(reason, "compute it from the sizes themselves")
        return SizeResult(size)

    def fake(self, given: TensorSpec) -> torch.Tensor:
        shape = tuple(self.value(size) for size in given.shape)
        if given.symbols and given.stride == contiguous_stride(given.shape):
            return torch.empty(shape, dtype=given.dtype, device=given.device)
        stride = tuple(self.value(size) for size in given.stride)
        return torch.empty_strided(shape, stride, dtype=given.dtype, device=given.device)

    def example(self, operand: Any) -> Any:
        """What stands for an operand where a call is typed."""
        if isinstance(operand, TensorSlot):
            return self.fake(operand.spec)
        if isinstance(operand, torch.Tensor):
            return self.fake(spec_of(operand))
        if isinstance(operand, Sized):
            return self.value(operand.size)
        return operand.value if isinstance(operand, Lifted) else EXAMPLES[operand.kind]

    def traced(self, operand: Any) -> Any:
        """What stands for an operand where a call is traced: numbers are inputs of the graph."""
        if isinstance(operand, (ScalarSlot, Lifted)):
            return torch.empty((), dtype=SCALAR_DTYPES[operand.kind])
        return self.example(operand)

    def template(self, tensor: torch.Tensor) -> TensorSpec:
        """The spec of a result; sizes that torch made up have symbols that no operand has."""
        if self.env is None or not any(map(is_symbolic, (*tensor.shape, *tensor.stride()))):
            return spec_of(tensor)
        if tensor.layout != torch.strided:
            raise LeafRefused(f"a tensor of layout {tensor.layout}", "convert it with .to_dense()")
        shape = tuple(self.size(size) for size in tensor.shape)
        stride = tuple(self.env.stride(size) for size in tensor.stride())
        return spec(tensor.dtype, shape, stride, tensor.device)
