# SPDX-License-Identifier: Apache-2.0
"""Sizes that are known at run time only. Every value gets sizes with names; where TVM cannot prove that
operands broadcast, the program asks the plugin (backends/tvm/functions.h), which fails when they do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from tvm import relax, te, tirx
from tvm.ir import GenericConst, is_prim_expr
from tvm.relax import op
from tvm.sym import Analyzer

from dycl_tvm.refusals import CannotDo

BROADCASTING = {
    "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater",
    "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul", "Or",
    "Pow", "PRelu", "Sub", "Sum", "Where", "Xor",
}  # fmt: skip
# What TVM computes with sizes while it compiles; other operators must be given tensors.
ON_SIZES = {"Add", "Div", "Mul", "Range", "Sub", "Unsqueeze"}
_numbers = count()


def fresh_size() -> Any:
    return tirx.Var(f"size_{next(_numbers)}", "int64")


def with_sizes(builder: Any, value: Any) -> Any:
    """The same tensor, with names for sizes that TVM does not know."""
    ty = value.ty
    if not isinstance(ty, relax.TensorType) or ty.ndim < 0 or isinstance(ty.shape, relax.ShapeExpr):
        return value
    sizes = [fresh_size() for _ in range(ty.ndim)]
    return builder.match_cast(value, relax.TensorType(sizes, str(ty.dtype)))


def without_sizes(builder: Any, op_name: str, values: Sequence[Any]) -> list[Any]:
    """A size (of another value, say) as a tensor, unless the operator can do with sizes."""
    if op_name in ON_SIZES and all(_is_size(value) or isinstance(value, GenericConst) for value in values):
        return list(values)
    return [as_tensor(builder, value) if is_prim_expr(value) else value for value in values]


def _is_size(value: Any) -> bool:
    return bool(is_prim_expr(value)) and str(value.ty.dtype) == "int64"


def as_tensor(builder: Any, value: Any) -> Any:
    """Of a number that is no tensor; its sizes are none."""
    dtype = str(value.ty.dtype)
    if isinstance(value, tirx.IntImm | tirx.FloatImm):
        return relax.const(np.array(value.value, dtype), dtype)
    if dtype != "int64":
        raise CannotDo(f"it is given a computed size as {dtype}")
    tensor = builder.emit(op.shape_to_tensor(relax.ShapeExpr([value])))
    return builder.emit(op.reshape(tensor, ()))


def as_dtype(builder: Any, value: Any, dtype: str) -> Any:
    known = known_array(value)
    if known is not None:
        return relax.const(known.astype(dtype), dtype)
    return builder.emit(op.astype(value, dtype))


def known_array(value: Any) -> Any:
    """The contents of a constant; None of what is computed at run time."""
    return value.value.numpy() if isinstance(value, GenericConst) else None


def is_tensor_of_known_shape(value: Any) -> bool:
    ty = getattr(value, "ty", None)
    return isinstance(ty, relax.TensorType) and isinstance(ty.shape, relax.ShapeExpr)


def broadcast(builder: Any, values: Sequence[Any]) -> list[Any]:
    """Operands of one shape, when TVM cannot prove that theirs fit; otherwise as they are."""
    if not all(is_tensor_of_known_shape(value) for value in values):
        return list(values)
    shapes = [list(value.ty.shape.values) for value in values]
    if provable(shapes):
        return list(values)
    target = common_sizes(builder, shapes)
    return [expand(builder, value, target) for value in values]


def provable(shapes: list[list[Any]]) -> bool:
    return all(common_size(column) is not None for column in size_columns(shapes))


def common_sizes(builder: Any, shapes: list[list[Any]]) -> list[Any]:
    """Of shapes that broadcast; the program fails when they do not."""
    sizes = [common_size(column) for column in size_columns(shapes)]
    if all(size is not None for size in sizes):
        return sizes
    shape: Any = relax.ShapeExpr(shapes[0])
    for number, other in enumerate(shapes[1:], 2):
        ty = relax.ShapeType(ndim=max(len(one) for one in shapes[:number]))
        call = op.call_pure_packed("dycl.broadcast_shape", shape, relax.ShapeExpr(other), ty_args=ty)
        shape = builder.emit(call)
    return match_shape(builder, shape, [fresh_size() if size is None else size for size in sizes])


def match_shape(builder: Any, shape: Any, sizes: list[Any]) -> list[Any]:
    """Binds the names in `sizes` to a shape that is computed at run time, and checks the others."""
    builder.match_cast(
        shape, relax.ShapeType([tirx.const(s, "int64") if isinstance(s, int) else s for s in sizes])
    )
    return sizes


def expand(builder: Any, value: Any, sizes: list[Any]) -> Any:
    return builder.emit_te(_expand, value, relax.ShapeExpr(sizes))


def _expand(x: Any, sizes: Any) -> Any:
    sizes = list(sizes)
    return te.compute(sizes, lambda *index: element(x, sizes, index), name="expand")


def element(x: Any, sizes: list[Any], index: Sequence[Any]) -> Any:
    """Of a broadcast tensor: a size of 1 is read again and again, whether TVM knows that it is 1 or not."""
    offset = len(sizes) - len(x.shape)
    places = []
    for axis, size in enumerate(x.shape):
        place = index[offset + axis]
        if equal(size, 1):
            places.append(tirx.const(0, "int64"))
        elif equal(size, sizes[offset + axis]):
            places.append(place)
        else:
            places.append(tirx.Select(size == 1, tirx.const(0, "int64"), place))
    return x(*places)


def size_columns(shapes: list[list[Any]]) -> list[list[Any]]:
    """Sizes of the same axis, aligned at the last."""
    rank = max(len(shape) for shape in shapes)
    padded = [[1] * (rank - len(shape)) + shape for shape in shapes]
    return [list(column) for column in zip(*padded)]


def common_size(column: list[Any]) -> Any:
    """The size that all provably have; None when that shows at run time only."""
    wide = [size for size in column if not equal(size, 1)]
    if not wide:
        return 1
    return wide[0] if all(equal(size, wide[0]) for size in wide[1:]) else None


def equal(left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    return bool(Analyzer().can_prove_equal(left, right))
