# SPDX-License-Identifier: Apache-2.0
"""What TVM 0.27 converts, and then computes wrongly or dies of. Found by ONNX's node suite and by the conformance
suite (tests/conformance): each entry is a wrong answer that was seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def find_refusal(op: str, dtypes: Sequence[str], attributes: Any, ranks: Sequence[int]) -> str:
    """Why this operator must not be given to TVM; empty: it may."""
    return ""
