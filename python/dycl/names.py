# SPDX-License-Identifier: Apache-2.0
"""Finds Python objects by name, "module:Qualified.name"."""

from __future__ import annotations

import sys
from typing import Any


def name_of(thing: Any) -> str:
    module = thing.__module__ or "torch"  # some of torch's own do not know where they are from
    short = f"{module}:{thing.__name__}"
    # torch.relu and its like are methods of a class that no module names.
    return short if loaded(short) is thing else f"{module}:{thing.__qualname__}"


def loaded(name: str) -> Any:
    """Returns what has this name in a loaded module, or None. Imports nothing."""
    module, _, path = name.rpartition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found
