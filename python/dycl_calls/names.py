# SPDX-License-Identifier: Apache-2.0
"""Things of Python's by name, "module:Qualified.name"."""

from __future__ import annotations

import sys
from typing import Any


def name_of(thing: Any) -> str:
    if thing.__module__ is None:  # torch.relu and its like do not know where they are from
        return f"torch:{thing.__name__}"
    return f"{thing.__module__}:{thing.__qualname__}"


def loaded(name: str) -> Any:
    """What has this name in a module that is loaded, or None. Imports nothing."""
    module, _, path = name.rpartition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found
