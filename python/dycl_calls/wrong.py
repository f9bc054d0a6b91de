# SPDX-License-Identifier: Apache-2.0
"""The exception for a call that does not fit; its class belongs to the compiler's face, above."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dycl.errors import UsageError


def wrong_call(message: str, *, code: str, hint: str = "") -> UsageError:
    from dycl.errors import UsageError

    return UsageError(message, code=code, hint=hint)
