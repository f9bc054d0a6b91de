# SPDX-License-Identifier: Apache-2.0
"""ATen operations whose plain ONNX form differs from eager: rewritten, guarded or refused, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}
REFUSED: dict[str, str] = {
    "aten::as_strided": "it depends on how its operand lies in memory",
    "aten::as_strided_copy": "it depends on how its operand lies in memory",
}
