# SPDX-License-Identifier: Apache-2.0
"""Activations. TVM's own forms lose NaN (max(NaN, 0) is 0 there), or the digits of numbers near 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from tvm import relax
from tvm.relax import op

from dycl_tvm.arithmetic import of_library

Formula = Callable[[Any, Sequence[Any], Any, int], Any]  # builder, inputs, attributes, opset


def constant(value: float, like: Any) -> Any:
    dtype = str(like.ty.dtype)
    return relax.const(np.array(value, dtype), dtype)


def _is_float(value: Any) -> bool:
    return "float" in str(value.ty.dtype)


def _below(builder: Any, x: Any, low: Any) -> Any:
    """At least `low`, when that is a number."""
    return builder.emit(op.where(op.less(x, low), low, x))


def _above(builder: Any, x: Any, high: Any) -> Any:
    return builder.emit(op.where(op.greater(x, high), high, x))


def _relu(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    return _below(builder, inputs[0], constant(0, inputs[0]))


def _clip(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """A bound that is NaN bounds nothing."""
    x = inputs[0]
    bounds = [*inputs[1:3], None, None][:2]
    if opset < 11:
        bounds = [constant(attributes[name], x) if name in attributes else None for name in ("min", "max")]
    low, high = bounds
    x = x if low is None else _below(builder, x, low)
    return x if high is None else _above(builder, x, high)


def _extreme(compare: Any) -> Formula:
    def one(builder: Any, left: Any, right: Any) -> Any:
        chosen = builder.normalize(op.where(compare(left, right), left, right))
        return builder.normalize(op.where(op.isnan(left), left, chosen)) if _is_float(left) else chosen

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        return reduce(lambda left, right: one(builder, left, right), inputs)

    return formula


def _exponential(alpha: float = 1, gamma: float = 1, divides: bool = False) -> Formula:
    """Elu, Selu and Celu, with what these numbers are when nothing is said."""

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        x = inputs[0]
        outer = float(attributes.get("alpha", alpha))
        scale = float(attributes.get("gamma", gamma))
        given = builder.emit(op.divide(x, constant(outer, x))) if divides else x
        low = op.multiply(constant(outer * scale, x), of_library(builder, "expm1", given))
        high = x if scale == 1 else op.multiply(constant(scale, x), x)
        return op.where(op.greater(x, constant(0, x)), high, low)

    return formula


def _hard_sigmoid(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    scaled = op.multiply(constant(float(attributes.get("alpha", 0.2)), x), x)
    line = builder.emit(op.add(scaled, constant(float(attributes.get("beta", 0.5)), x)))
    return _above(builder, _below(builder, line, constant(0, x)), constant(1, x))


def _leaky_relu(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    slope = constant(float(attributes.get("alpha", 0.01)), x)
    return op.where(op.greater(x, constant(0, x)), x, op.multiply(slope, x))


def _prelu(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x, slope = inputs
    return op.where(op.greater(x, constant(0, x)), x, op.multiply(slope, x))


def _thresholded_relu(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    return op.where(op.greater(x, constant(float(attributes.get("alpha", 1)), x)), x, constant(0, x))


def _softplus(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    x = inputs[0]
    power = builder.emit(op.exp(op.negative(op.abs(x))))
    return op.add(_below(builder, x, constant(0, x)), of_library(builder, "log1p", power))


def _mish(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    return op.multiply(inputs[0], op.tanh(builder.emit(_softplus(builder, inputs, attributes, opset))))


def _mean(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    total = reduce(lambda left, right: builder.emit(op.add(left, right)), inputs)
    return op.divide(total, constant(len(inputs), total))


ACTIVATIONS: dict[str, Formula] = {
    "Celu": _exponential(divides=True),
    "Clip": _clip,
    "Elu": _exponential(),
    "HardSigmoid": _hard_sigmoid,
    "LeakyRelu": _leaky_relu,
    "Max": _extreme(op.greater),
    "Mean": _mean,
    "Min": _extreme(op.less),
    "Mish": _mish,
    "PRelu": _prelu,
    "Relu": _relu,
    "Selu": _exponential(1.67326319217681884765625, 1.05070102214813232421875),
    "Softplus": _softplus,
    "ThresholdedRelu": _thresholded_relu,
}
