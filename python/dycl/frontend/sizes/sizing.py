# SPDX-License-Identifier: Apache-2.0
"""One leaf call's operands as torch sees them: fake tensors, with sizes known at run time as its symbols."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import sympy
import torch

from dycl.frontend.operators.weak import EXAMPLES
from dycl.frontend.sizes import sizes
from dycl.frontend.sizes.sizes import Range, Size
from dycl.frontend.sizes.structure import Lifted, Sized
from dycl.frontend.sizes.torch_sizes import MAXIMA, SizeEnv, is_symbolic
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

RELATIONS: dict[Any, str] = {
    sympy.Eq: "==",
    sympy.Ne: "!=",
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
}


class UnknownSize(Exception):  # noqa: N818 - it asks for another way of typing
    """A result has a size that depends on values."""


class Fresh:
    """Our sizes for torch's symbols; a size that torch made up is one of its own."""

    def __init__(self, known: Iterable[tuple[sympy.Symbol, Size]]) -> None:
        self._values: dict[sympy.Symbol, Size] = dict(known)

    def of(self, *parts: Size) -> dict[sympy.Symbol, Size]:
        for part in parts:
            for symbol in () if isinstance(part, int) else part.free_symbols:
                if symbol not in self._values:
                    self._values[symbol] = sizes.fresh()
        return self._values


class Sizing:
    """`symbols` are ours, in order; `inner` are torch's, which templates of results are written in."""

    def __init__(
        self, mode: Any, symbols: list[sympy.Symbol], unknown: bool = False, exact: bool = False
    ) -> None:
        """`unknown`: results may have sizes of their own. `exact`: 0 and 1 are sizes like others."""
        self.symbols = symbols
        self.ranges: list[Range] = [sizes.range_of(symbol) for symbol in symbols]
        self.env = SizeEnv() if symbols or unknown else None
        self.mode = self.env.mode if self.env is not None else mode
        self.inner: list[sympy.Symbol] = []
        for symbol, (smallest, largest) in zip(symbols, self.ranges, strict=True):
            assert self.env is not None
            if 0 <= smallest < 2 and not exact:
                if largest < 2:
                    raise SizeSplit("==", symbol, smallest)
                smallest = 2
            self.inner.append(self.env.symbol(smallest, largest))
        self._to_inner = dict(zip(symbols, self.inner, strict=True))

    def value(self, size: Size) -> Any:
        if isinstance(size, int):
            return size
        assert self.env is not None
        return self.env.value(sizes.number(size.xreplace(self._to_inner)))

    def size(self, value: Any) -> Size:
        """In torch's symbols."""
        return value if isinstance(value, int) or self.env is None else self.env.size(value)

    def quiet(self) -> contextlib.AbstractContextManager[None]:
        return self.env.quiet() if self.env is not None else contextlib.nullcontext()

    def to_outer(self, size: Any) -> Any:
        return size.xreplace(dict(zip(self.inner, self.symbols, strict=True)))

    def undecided(self, error: Exception, name: str) -> Exception:
        """torch needs to know something of the sizes: the path splits where that settles it."""
        condition = getattr(error, "cond", None)
        relation = RELATIONS.get(type(condition)) if condition is not None else None
        if relation is not None and condition is not None and condition.free_symbols <= set(self.inner):
            left, right = (sizes.number(self.to_outer(side)) for side in condition.args)
            ways = [sizes.consequence(relation, left, right, truth) for truth in (True, False)]
            if all(ways):
                return SizeSplit(relation, left, right)
        reason = f"{name} needs to know a size that is known at run time only"
        return LeafRefused(reason, "use a size known at compile time, or leave it out of dynamic_shapes")

    def outer(self, value: Any) -> Any:
        """An int that depends on sizes, in our symbols."""
        if not is_symbolic(value):
            return value
        if not isinstance(value, torch.SymInt):
            raise LeafRefused("a truth that depends on sizes", "compare sizes themselves")
        size = self.size(value)
        if isinstance(size, int):
            return size
        return SizeResult(sizes.number(sizes.simplified(self.to_outer(size))))

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
        """The spec of a result, in torch's symbols."""
        if self.env is None or not any(map(is_symbolic, (*tensor.shape, *tensor.stride()))):
            return spec_of(tensor)
        if tensor.layout != torch.strided:
            raise LeafRefused(f"a tensor of layout {tensor.layout}", "convert it with .to_dense()")
        shape = tuple(self.size(size) for size in tensor.shape)
        stride = tuple(_at_least_two(self.size(size)) for size in tensor.stride())
        return spec(tensor.dtype, shape, stride, tensor.device)

    def settled(self, template: TensorSpec) -> TensorSpec:
        """With what torch has found out after the template was made."""
        if self.env is None or not template.symbols:
            return template
        shape = tuple(self.env.same(size) for size in template.shape)
        stride = tuple(self.env.same(size) for size in template.stride)
        return spec(template.dtype, shape, stride, template.device)


def _at_least_two(size: Size) -> Size:
    """torch writes the stride over an unknown size as Max(1, size)."""
    if isinstance(size, int):
        return size

    def other(*args: Any) -> Any:
        rest = [argument for argument in args if argument != 1]
        return rest[0] if len(rest) == 1 else sympy.Max(*args)

    for kind in MAXIMA:
        size = size.replace(kind, other)
    return sizes.number(sympy.expand(size))
