# SPDX-License-Identifier: Apache-2.0
"""Operators that we convert ourselves: TVM's own form loses NaN, digits or sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from tvm import relax, tirx
from tvm.ir import GenericConst, is_prim_expr
from tvm.relax import op

from dycl_tvm.activations import ACTIVATIONS, constant
from dycl_tvm.extremes import (
    first_extreme,
    global_max_pool,
    hardmax,
    log_sum_exp,
    max_pool,
    reduce_extreme,
    top_k,
)
from dycl_tvm.recurrent import recurrent
from dycl_tvm.refusals import CannotDo
from dycl_tvm.resize import resize
from dycl_tvm.shapes import (
    common_sizes,
    equal,
    expand,
    fresh_size,
    is_tensor_of_known_shape,
    known_array,
    match_shape,
    provable,
)

Formula = Callable[[Any, Sequence[Any], Any, int], Any]  # builder, inputs, attributes, opset


def formula_of(name: str) -> Formula | None:
    """The formula returns NotImplemented where TVM's own conversion is as good."""
    return _FORMULAS.get(name)


def _array(values: Any) -> Any:
    return relax.const(values, str(values.dtype))  # left to itself, TVM narrows i64


def _equal(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM compares booleans as if they were floats, which LLVM refuses."""
    if any(str(value.ty.dtype) != "bool" for value in inputs):
        return NotImplemented
    return op.logical_not(builder.emit(op.logical_xor(*inputs)))


def _gemm(builder: Any, inputs: Any, attributes: Any, opset: int) -> Any:
    """What is added times 0 is not added, were it NaN."""
    if len(inputs) > 2 and attributes.get("beta", 1) == 0:
        inputs[2] = None
    return NotImplemented


def _mod(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM computes a - floor(a / b) * b, which loses digits, and is NaN for an infinite b."""
    left, right = inputs
    if "float" not in str(left.ty.dtype) or attributes.get("fmod", 0):
        return NotImplemented
    zero = constant(0, left)
    rest = builder.emit(op.mod(left, right))
    differ = op.logical_xor(op.less(rest, zero), op.less(right, zero))
    moved = builder.emit(op.logical_and(op.not_equal(rest, zero), differ))
    return op.where(moved, op.add(rest, right), rest)


def _dropout(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM drops nothing, whatever the mode."""
    wants_mask = attributes["tvm_custom"]["num_outputs"] > 1
    mode = inputs[2] if opset >= 12 and len(inputs) > 2 else None
    if mode is not None and _numbers(mode) != [0]:
        raise CannotDo("TVM does not drop numbers by chance, as training does")
    if opset < 7 and not attributes.get("is_test", 0):
        raise CannotDo("TVM does not drop numbers by chance, as training does")
    if not wants_mask:
        return inputs[0]
    if opset < 12:
        raise CannotDo("TVM does not tell which numbers it keeps")
    return relax.Tuple([inputs[0], builder.emit(op.equal(op.full_like(inputs[0], constant(0, inputs[0])),
                                                         constant(0, inputs[0])))])  # fmt: skip


def _unsqueeze(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM does not take a single axis that is a scalar."""
    if opset < 13:
        return NotImplemented
    axes = _numbers(inputs[1])
    if axes is None or is_prim_expr(inputs[0]):
        return NotImplemented
    return op.expand_dims(inputs[0], axes)


def _squeeze(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM wants to know beforehand that the sizes are 1; the program can check it."""
    x = inputs[0]
    axes = _numbers(inputs[1]) if len(inputs) > 1 and inputs[1] is not None else None
    if opset < 13 or axes is None or not is_tensor_of_known_shape(x):
        return NotImplemented
    dropped = {axis % x.ty.ndim for axis in axes}
    sizes = [1 if axis in dropped else size for axis, size in enumerate(x.ty.shape.values)]
    if any(not isinstance(x.ty.shape.values[axis], tirx.IntImm) for axis in dropped):
        x = builder.match_cast(x, relax.TensorType(sizes, str(x.ty.dtype)))
    return op.squeeze(x, sorted(dropped))


def _slice(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """With bounds that are computed at run time."""
    x, lists = inputs[0], [*inputs[1:], *[None] * (5 - len(inputs))]
    if opset < 10 or not is_tensor_of_known_shape(x):
        return NotImplemented
    if all(one is None or isinstance(one, GenericConst | relax.ShapeExpr) for one in lists):
        return NotImplemented
    length = lists[0].ty.shape.values[0] if is_tensor_of_known_shape(lists[0]) else None
    if not isinstance(length, tirx.IntImm):
        raise CannotDo("the number of its bounds is not known")
    axes = list(range(int(length))) if lists[2] is None else _numbers(lists[2])
    if axes is None:
        raise CannotDo("its axes are computed at run time")
    starts, ends = (builder.normalize(op.astype(one, "int64")) for one in lists[:2])
    steps = _array(np.ones(int(length), "int64")) if lists[3] is None else op.astype(lists[3], "int64")
    call = op.call_pure_packed(
        "dycl.slice", x, starts, ends, _array(np.array(axes, "int64")), steps,
        ty_args=relax.TensorType(ndim=x.ty.ndim, dtype=str(x.ty.dtype)),
    )  # fmt: skip
    cut = {axis % x.ty.ndim for axis in axes}
    sizes = [fresh_size() if axis in cut else size for axis, size in enumerate(x.ty.shape.values)]
    return builder.match_cast(builder.emit(call), relax.TensorType(sizes, str(x.ty.dtype)))


def _shape_operand(builder: Any, value: Any) -> tuple[Any, int] | None:
    """A shape that is computed at run time, and its length; None when TVM can do with it as it is."""
    if not is_tensor_of_known_shape(value) or isinstance(value, GenericConst):
        return None
    length = value.ty.shape.values[0] if value.ty.ndim == 1 else None
    if not isinstance(length, tirx.IntImm):
        raise CannotDo("the number of dimensions of its result is not known")
    return builder.emit(op.tensor_to_shape(builder.emit(op.astype(value, "int64")))), int(length)


def _constant_of_shape(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    given = attributes.get("value")
    value = np.zeros(1, "float32") if given is None else onnx.numpy_helper.to_array(given)
    known = _numbers(inputs[0])
    if known is not None:
        return _array(np.full(known, value.reshape(()), value.dtype))
    shape = _shape_operand(builder, inputs[0])
    if shape is None:
        return NotImplemented
    sizes = match_shape(builder, shape[0], [fresh_size() for _ in range(shape[1])])
    return op.full(relax.ShapeExpr(sizes), _array(value.reshape(())), str(value.dtype))


def _expand(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    if not is_tensor_of_known_shape(x):
        return NotImplemented
    wanted = _numbers(inputs[1]) or _sizes(builder, inputs[1])
    if wanted is None:
        return NotImplemented
    return expand(builder, x, common_sizes(builder, [list(x.ty.shape.values), wanted]))


def _sizes(builder: Any, value: Any) -> list[Any] | None:
    """A shape that the program computes, size by size."""
    if isinstance(value, relax.ShapeExpr):
        return list(value.values)
    shape = _shape_operand(builder, value)
    if shape is None:
        return None
    return match_shape(builder, shape[0], [fresh_size() for _ in range(shape[1])])


def _matmul(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM wants to know beforehand that sizes fit; the program can check it."""
    left, right = inputs
    if not all(map(is_tensor_of_known_shape, inputs)) or min(left.ty.ndim, right.ty.ndim) < 2:
        return NotImplemented
    rows, columns = list(left.ty.shape.values), list(right.ty.shape.values)
    if not equal(rows[-1], columns[-2]):
        columns[-2] = rows[-1]
        right = builder.match_cast(right, relax.TensorType(columns, str(right.ty.dtype)))
    batches = [rows[:-2], columns[:-2]]
    if not provable(batches):
        batch = common_sizes(builder, batches)
        left = expand(builder, left, batch + rows[-2:])
        right = expand(builder, right, batch + columns[-2:])
    return op.matmul(left, right)


def _reshape(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    shape = _shape_operand(builder, inputs[1]) if len(inputs) > 1 else None
    if shape is None:
        return NotImplemented
    allow_zero = relax.prim_value(int(attributes.get("allowzero", 0)))
    computed = op.call_pure_packed(
        "dycl.reshape_shape", op.shape_of(inputs[0]), shape[0], allow_zero,
        ty_args=relax.ShapeType(ndim=shape[1]),
    )  # fmt: skip
    sizes = match_shape(builder, builder.emit(computed), [fresh_size() for _ in range(shape[1])])
    return op.reshape(inputs[0], relax.ShapeExpr(sizes))


def _numbers(value: Any) -> list[int] | None:
    known = known_array(value)
    return None if known is None else [int(number) for number in np.atleast_1d(known)]


def _nonzero(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM's own type of it does not know how many rows there are."""
    count = tirx.Var("nonzero_count", "int64")
    return builder.match_cast(op.nonzero(inputs[0]), relax.TensorType([inputs[0].ty.ndim, count], "int64"))


_FORMULAS: dict[str, Formula] = {
    **ACTIVATIONS,
    "ArgMax": first_extreme(1),
    "ArgMin": first_extreme(-1),
    "GlobalMaxPool": global_max_pool,
    "Hardmax": hardmax,
    "MaxPool": max_pool,
    "ReduceMax": reduce_extreme(1),
    "ReduceMin": reduce_extreme(-1),
    "ReduceLogSumExp": log_sum_exp,
    "TopK": top_k,
    "Dropout": _dropout,
    "Equal": _equal,
    "Mod": _mod,
    "NonZero": _nonzero,
    "Reshape": _reshape,
    "Resize": resize,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "ConstantOfShape": _constant_of_shape,
    "Expand": _expand,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "RNN": recurrent("RNN"),
    "GRU": recurrent("GRU"),
    "LSTM": recurrent("LSTM"),
}
