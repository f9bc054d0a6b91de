# SPDX-License-Identifier: Apache-2.0
"""How a model of the prelude refuses."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - never raised at run time
    """What has no faithful model: a reason, and a way out."""
