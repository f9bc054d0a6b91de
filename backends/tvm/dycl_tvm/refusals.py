# SPDX-License-Identifier: Apache-2.0
"""What TVM 0.27 converts, and then computes wrongly or dies of. Found by ONNX's node suite and by the
conformance suite (tests/conformance): each entry is a wrong answer that was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WRONG = {
    "NonMaxSuppression": "TVM leaves boxes out",
}


class CannotDo(Exception):  # noqa: N818  an answer, not an error
    """Why our own formula of an operator does not do what is asked."""


@dataclass(frozen=True)
class Operand:
    """What is known of an operator's input; "" as dtype: the input is left out."""

    dtype: str
    rank: int
    is_constant: bool  # or a shape


def find_refusal(op: str, operands: Sequence[Operand], attributes: Any, opset: int) -> str:
    """Why this operator must not be given to TVM; empty: it may."""
    if op in WRONG:
        return WRONG[op]
    if op == "IsInf" and not (attributes.get("detect_negative", 1) and attributes.get("detect_positive", 1)):
        return "TVM does not tell the signs of infinities"
    if op == "BatchNormalization" and attributes.get("training_mode", 0):
        return "TVM's running averages in training mode differ"
    if op == "LayerNormalization" and attributes["tvm_custom"]["num_outputs"] > 1:
        return "TVM does not compute its means and deviations"
    if op == "ConvTranspose" and "output_shape" in attributes:
        return "TVM does not heed its output_shape"
    if op == "NonZero" and operands[0].rank == 0:
        return "TVM has no indices of a scalar"
    return ""
