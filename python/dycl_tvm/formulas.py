# SPDX-License-Identifier: Apache-2.0
"""Operators that we convert ourselves: TVM's own form loses NaN (max(NaN, 0) is 0 there) or sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from tvm import relax, tirx
from tvm.relax import op

Formula = Callable[[Any, Sequence[Any], Any, int], Any]  # builder, inputs, attributes, opset


def formula_of(name: str) -> Formula | None:
    return _FORMULAS.get(name)


def _constant(value: float, like: Any) -> Any:
    return relax.const(np.array(value, dtype=str(like.ty.dtype)))


def _relu(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    zero = _constant(0, inputs[0])
    return op.where(op.less(inputs[0], zero), zero, inputs[0])


def _clip(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """A bound that is NaN bounds nothing."""
    x = inputs[0]
    bounds = list(inputs[1:3]) + [None] * (3 - len(inputs))
    if opset < 11:
        bounds = [_constant(attributes[name], x) if name in attributes else None for name in ("min", "max")]
    low, high = bounds
    if low is not None:
        x = builder.normalize(op.where(op.less(x, low), low, x))
    if high is not None:
        x = builder.normalize(op.where(op.greater(x, high), high, x))
    return x


def _extreme(compare: Any) -> Formula:
    def one(builder: Any, left: Any, right: Any) -> Any:
        if "float" not in str(left.ty.dtype):
            return builder.normalize(op.where(compare(left, right), left, right))
        chosen = builder.normalize(op.where(compare(left, right), left, right))
        return builder.normalize(op.where(op.isnan(left), left, chosen))

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        return reduce(lambda left, right: one(builder, left, right), inputs)

    return formula


def _nonzero(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
    """TVM's own type of it does not know how many rows there are."""
    count = tirx.Var("nonzero_count", "int64")
    return builder.match_cast(op.nonzero(inputs[0]), relax.TensorType([inputs[0].ty.ndim, count], "int64"))


_FORMULAS: dict[str, Formula] = {
    "NonZero": _nonzero,
    "Relu": _relu,
    "Clip": _clip,
    "Max": _extreme(op.greater),
    "Min": _extreme(op.less),
}
