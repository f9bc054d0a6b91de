# SPDX-License-Identifier: Apache-2.0
"""Resize by indices and weights computed while compiling: TVM itself takes the ratio of sizes for the scale,
and heeds neither antialiasing nor axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tvm import relax, tirx
from tvm.relax import op

from dycl_tvm.refusals import CannotDo
from dycl_tvm.shapes import is_tensor_of_known_shape, known_array

Taps = list[tuple[Any, Any]]  # for each element of the result: an element's index, and its weight


def resize(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    mode = _text(attributes, "mode", "nearest")
    if opset < 11 or not is_tensor_of_known_shape(x):
        raise CannotDo("it is of an old operator set, or the rank of its input is not known")
    if (
        attributes.get("antialias", 0)
        or _text(attributes, "keep_aspect_ratio_policy", "stretch") != "stretch"
    ):
        raise CannotDo("it smooths, or keeps an aspect ratio")
    if mode != "nearest" and not str(x.ty.dtype).startswith("float"):
        raise CannotDo("it interpolates integers")
    for axis, scale, size in _resized_axes(x, inputs, attributes):
        taps = _taps(mode, int(x.ty.shape.values[axis]), size, scale, attributes)
        x = _gathered(builder, x, axis, taps)
    return x


def _text(attributes: Any, name: str, otherwise: str) -> str:
    value = attributes.get(name, otherwise)
    return value.decode("ascii") if isinstance(value, bytes) else str(value)


def _resized_axes(x: Any, inputs: Sequence[Any], attributes: Any) -> list[tuple[int, Any, int]]:
    """(axis, scale, size of the result) of those that change."""
    scales, sizes = (_numbers(inputs, position) for position in (2, 3))
    given = sizes if scales is None else scales
    if given is None:
        raise CannotDo("its scales or sizes are computed at run time")
    found = []
    for axis, number in zip(attributes.get("axes", range(x.ty.ndim)), given):
        axis %= x.ty.ndim
        before = x.ty.shape.values[axis]
        if scales is not None and number == 1:
            continue
        if not isinstance(before, tirx.IntImm):
            raise CannotDo("the size of an axis that it changes is not known")
        length = int(before)
        if scales is None:
            scale, size = np.float32(number) / np.float32(length), int(number)
        else:
            scale, size = np.float32(number), int(np.floor(np.float32(length) * np.float32(number)))
        if scale != 1:
            found.append((axis, scale, size))
    return found


def _numbers(inputs: Sequence[Any], position: int) -> Any:
    value = inputs[position] if len(inputs) > position else None
    if value is None:
        return None
    if isinstance(value, relax.ShapeExpr) and all(isinstance(size, tirx.IntImm) for size in value.values):
        return np.array([int(size) for size in value.values])
    numbers = known_array(value)
    if numbers is None:
        raise CannotDo("its scales or sizes are computed at run time")
    return numbers if numbers.size else None


def _places(size: int, length: int, scale: Any, how: str) -> Any:
    """Where the elements of the result lie in the input, in f32 as everywhere."""
    steps = np.arange(size, dtype=np.float32)
    half = np.float32(0.5)
    if how == "half_pixel" or (how == "pytorch_half_pixel" and size > 1):
        return (steps + half) / scale - half
    if how == "asymmetric":
        return steps / scale
    if how == "pytorch_half_pixel" or (how == "align_corners" and size == 1):
        return steps * 0
    if how == "align_corners" and np.float32(length) * scale == size:
        return steps * np.float32(length - 1) / np.float32(size - 1)
    if how == "half_pixel_symmetric":
        missing = 1 - size / (float(scale) * length)
        return (steps + half) / scale - half + np.float32(length / 2 * missing)
    raise CannotDo(f"its coordinates are '{how}'")


def _taps(mode: str, length: int, size: int, scale: Any, attributes: Any) -> Taps:
    places = _places(size, length, scale, _text(attributes, "coordinate_transformation_mode", "half_pixel"))
    if mode == "nearest":
        return [(_nearest(places, _text(attributes, "nearest_mode", "round_prefer_floor"), length), None)]
    first = np.floor(places)
    part = places - first
    weights = [1 - part, part] if mode == "linear" else _cubic(part, attributes.get("cubic_coeff_a", -0.75))
    start = first.astype("int64") - (len(weights) // 2 - 1)
    indices = [start + step for step in range(len(weights))]
    if attributes.get("exclude_outside", 0):
        weights = [np.where((i >= 0) & (i < length), w, 0) for i, w in zip(indices, weights)]
        total = sum(weights)
        weights = [weight / total for weight in weights]
    return [(np.clip(index, 0, length - 1), weight) for index, weight in zip(indices, weights)]


def _nearest(places: Any, rounding: str, length: int) -> Any:
    ways = {
        "round_prefer_floor": lambda: np.ceil(places - np.float32(0.5)),
        "round_prefer_ceil": lambda: np.floor(places + np.float32(0.5)),
        "floor": lambda: np.floor(places),
        "ceil": lambda: np.ceil(places),
    }
    return np.clip(ways[rounding]().astype("int64"), 0, length - 1)


def _cubic(part: Any, a: float) -> list[Any]:
    """Keys' weights of the elements at -1, 0, 1 and 2."""

    def near(t: Any) -> Any:
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t: Any) -> Any:
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a

    return [far(part + 1), near(part), near(1 - part), far(2 - part)]


def _gathered(builder: Any, x: Any, axis: int, taps: Taps) -> Any:
    dtype = str(x.ty.dtype)
    result = None
    for index, weight in taps:
        part = builder.emit(op.take(x, relax.const(index, "int64"), axis))
        if weight is not None:
            shape = [-1] + [1] * (x.ty.ndim - axis - 1)
            part = builder.emit(op.multiply(part, relax.const(weight.reshape(shape).astype(dtype), dtype)))
        result = part if result is None else builder.emit(op.add(result, part))
    return result
