# SPDX-License-Identifier: Apache-2.0
"""Formulas of single ATen operators, by name: importing this package fills the table. It knows torch only."""

from dycl.frontend.operators import (
    detection,
    fourier,
    index,
    integers,
    layers,
    linear_algebra,
    losses,
    near_zero,
    order,
    special,
    spread,
    strides,
)
from dycl.frontend.operators.rules import EMPTY, OVERWRITES, REFUSED, RULES

__all__ = [
    "EMPTY",
    "OVERWRITES",
    "REFUSED",
    "RULES",
    "detection",
    "fourier",
    "index",
    "integers",
    "layers",
    "linear_algebra",
    "losses",
    "near_zero",
    "order",
    "special",
    "spread",
    "strides",
]
