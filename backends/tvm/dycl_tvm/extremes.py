# SPDX-License-Identifier: Apache-2.0
"""Largest and smallest numbers. TVM's own begin with the largest finite number instead of infinity, so that
the largest of infinities is finite, and its place -1; and they lose NaN, or not, depending on its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tvm import relax, te, tirx
from tvm.relax import op
from tvm.relax.frontend.onnx.onnx_frontend import MaxPool

from dycl_tvm.arithmetic import kept
from dycl_tvm.refusals import CannotDo
from dycl_tvm.shapes import is_tensor_of_known_shape, known_array

Formula = Callable[[Any, Sequence[Any], Any, int], Any]


def _infinity(sign: int, dtype: str) -> Any:
    return tirx.const(sign * float("inf"), dtype)


def _reducer(sign: int) -> Any:
    """Of the largest (sign 1) or the smallest; NaN, when there is one."""

    def best(x: Any, y: Any) -> Any:
        is_better = kept("greater" if sign > 0 else "less", x, y)
        return tirx.Select(tirx.Or(is_better, kept("not_equal", x, x)), x, y)

    return te.comm_reducer(best, lambda dtype: _infinity(-sign, str(dtype)), name="extreme")


def reduce_extreme(sign: int) -> Formula:
    """ReduceMax and ReduceMin."""

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        x = inputs[0]
        if "float" not in str(x.ty.dtype):
            return NotImplemented
        if not is_tensor_of_known_shape(x):
            raise CannotDo("its sizes are not known")
        reduced = _reduced_axes(inputs, attributes, opset)
        if not reduced:
            return x
        keep = bool(attributes.get("keepdims", 1))
        return builder.emit_te(lambda tensor: _reduce(tensor, reduced, keep, sign), x)

    return formula


def _reduced_axes(inputs: Sequence[Any], attributes: Any, opset: int) -> set[int]:
    """None of a scalar, or where the operator says so."""
    rank = inputs[0].ty.ndim
    axes = attributes.get("axes", ()) if opset < 18 else ()
    if opset >= 18 and len(inputs) > 1 and inputs[1] is not None:
        axes = known_array(inputs[1])
        if axes is None:
            raise CannotDo("its axes are computed at run time")
        axes = axes.reshape(-1)
    if len(axes) == 0 and attributes.get("noop_with_empty_axes", 0):
        return set()
    return {int(axis) % rank for axis in axes} or set(range(rank))


def _reduce(x: Any, reduced: set[int], keep: bool, sign: int) -> Any:
    inner = {axis: te.reduce_axis((0, x.shape[axis]), name=f"k{axis}") for axis in sorted(reduced)}
    shape = [
        1 if axis in reduced else size for axis, size in enumerate(x.shape) if keep or axis not in reduced
    ]

    def one(*place: Any) -> Any:
        rest = iter([index for axis, index in enumerate(place) if not (keep and axis in reduced)])
        index = [inner[axis] if axis in reduced else next(rest) for axis in range(len(x.shape))]
        return _reducer(sign)(x[tuple(index)], axis=list(inner.values()))

    return te.compute(shape, one, name="extreme")


def first_extreme(sign: int) -> Formula:
    """ArgMax and ArgMin: the first place of the largest, or the last."""

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        x, axis = inputs[0], int(attributes.get("axis", 0))
        if "float" not in str(x.ty.dtype):
            return NotImplemented
        if not is_tensor_of_known_shape(x):
            raise CannotDo("its sizes are not known")
        axis %= x.ty.ndim
        keep = bool(attributes.get("keepdims", 1))
        best = builder.emit_te(lambda tensor: _reduce(tensor, {axis}, True, sign), x)
        is_best = builder.emit(op.logical_or(op.equal(x, best), op.isnan(x)))
        if not attributes.get("select_last_index", 0):
            return op.argmax(builder.emit(op.astype(is_best, "int8")), axis, keep)
        places = builder.emit_te(lambda tensor: _places(tensor, axis), is_best)
        return op.max(places, axis, keep)

    return formula


def _places(is_best: Any, axis: int) -> Any:
    """Along the axis, of those that are the best; 0 of others."""
    zero = tirx.const(0, "int64")
    return te.compute(
        is_best.shape,
        lambda *index: tirx.Select(is_best[index], index[axis].astype("int64"), zero),
        name="places",
    )


def hardmax(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    if opset < 13:
        raise CannotDo("it is of an old operator set, which flattens")
    axis = int(attributes.get("axis", -1)) % x.ty.ndim
    place = builder.emit(first_extreme(1)(builder, inputs, {"axis": axis}, opset))

    def marked(tensor: Any, places: Any) -> Any:
        one, zero = (tirx.const(number, tensor.dtype) for number in (1, 0))

        def mark(*index: Any) -> Any:
            chosen = places(*index[:axis], 0, *index[axis + 1 :])
            return tirx.Select(chosen == index[axis].astype("int64"), one, zero)

        return te.compute(tensor.shape, mark, name="hardmax")

    return builder.emit_te(marked, x, place)


def log_sum_exp(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM subtracts the largest number even when it is infinite."""
    x = inputs[0]
    if "float" not in str(x.ty.dtype):
        return NotImplemented
    reduced = _reduced_axes(inputs, attributes, opset)
    if not reduced and x.ty.ndim:
        raise CannotDo("it reduces no axis")
    keep = bool(attributes.get("keepdims", 1))
    largest = builder.emit_te(lambda tensor: _reduce(tensor, reduced, True, 1), x)
    zero = relax.const(np.zeros((), str(x.ty.dtype)), str(x.ty.dtype))
    largest = builder.emit(op.where(op.isfinite(largest), largest, zero))
    total = builder.emit(op.sum(op.exp(op.subtract(x, largest)), sorted(reduced), keepdims=True))
    result = builder.emit(op.add(op.log(total), largest))
    return result if keep else op.squeeze(result, sorted(reduced))


def top_k(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """By integers of the same order, in which NaN is the largest: TVM's own sorting gets lost at NaN."""
    x = inputs[0]
    dtype = str(x.ty.dtype)
    if "float" not in dtype or opset < 11:
        return NotImplemented
    count = known_array(inputs[1])
    if count is None or not attributes.get("sorted", 1):
        raise CannotDo("how many numbers it wants is computed at run time, or it wants no order")
    axis, largest = int(attributes.get("axis", -1)), bool(attributes.get("largest", 1))
    keys = builder.emit_te(_sortable, x)
    places = builder.emit(op.topk(keys, int(count.item()), axis, "indices", largest=largest, dtype="int64"))
    return relax.Tuple([builder.emit(op.gather_elements(x, places, axis % x.ty.ndim)), places])


def _sortable(x: Any) -> Any:
    wide = "float64" if str(x.dtype) == "float64" else "float32"
    integer = wide.replace("float", "int")
    bits = int(wide[5:])
    last = tirx.const(2 ** (bits - 1) - 1, integer)

    def key(*index: Any) -> Any:
        number = kept("add", x(*index).astype(wide), tirx.const(0.0, wide))  # -0.0 is 0.0
        code = tirx.reinterpret(integer, number)
        ordered = tirx.Select(code < 0, tirx.bitwise_xor(code, last), code)
        return tirx.Select(kept("not_equal", number, number), last, ordered)

    return te.compute(x.shape, key, name="sortable")


def global_max_pool(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    if "float" not in str(x.ty.dtype):
        return NotImplemented
    return builder.emit_te(lambda tensor: _reduce(tensor, set(range(2, x.ty.ndim)), True, 1), x)


def max_pool(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    if "float" not in str(x.ty.dtype):
        return NotImplemented
    if not is_tensor_of_known_shape(x) or attributes["tvm_custom"]["num_outputs"] > 1:
        raise CannotDo("places of the largest numbers are not found for tvm")
    # TVM works out the paddings and the sizes.
    shape = builder.normalize(MaxPool.get_converter(opset)(builder, inputs, attributes, [{}, {}])).ty.shape
    kernel = [int(size) for size in attributes["kernel_shape"]]
    count = len(kernel)
    strides = [int(size) for size in attributes.get("strides", [1] * count)]
    dilations = [int(size) for size in attributes.get("dilations", [1] * count)]
    before = _paddings(attributes, x, kernel, strides, dilations, shape)

    def pool(tensor: Any) -> Any:
        inner = [te.reduce_axis((0, size), name=f"k{axis}") for axis, size in enumerate(kernel)]

        def one(batch: Any, channel: Any, *place: Any) -> Any:
            index = [
                place[axis] * strides[axis] + inner[axis] * dilations[axis] - before[axis]
                for axis in range(count)
            ]
            inside = [tirx.all(i >= 0, i < size) for i, size in zip(index, tensor.shape[2:])]
            value = tirx.if_then_else(
                tirx.all(*inside), tensor[(batch, channel, *index)], _infinity(-1, tensor.dtype)
            )
            return _reducer(1)(value, axis=inner)

        return te.compute(list(shape.values), one, name="largest")

    return builder.emit_te(pool, x)


def _paddings(
    attributes: Any, x: Any, kernel: list[int], strides: list[int], dilations: list[int], shape: Any
) -> list[int]:
    """Before the first pixel of each axis."""
    given = attributes.get("auto_pad", b"NOTSET")
    kind = given.decode() if isinstance(given, bytes) else given
    if kind in ("NOTSET", "VALID"):
        pads = attributes.get("pads", ()) if kind == "NOTSET" else ()
        return [int(size) for size in (pads or [0] * 2 * len(kernel))[: len(kernel)]]
    before = []
    for axis, size in enumerate(kernel):
        sizes = (x.ty.shape.values[2 + axis], shape.values[2 + axis])
        if not all(isinstance(one, tirx.IntImm) for one in sizes):
            raise CannotDo("its paddings are not known")
        reach = (int(sizes[1]) - 1) * strides[axis] + (size - 1) * dilations[axis] + 1
        total = max(reach - int(sizes[0]), 0)
        before.append(total // 2 if kind == "SAME_UPPER" else total - total // 2)
    return before
