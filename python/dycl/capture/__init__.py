# SPDX-License-Identifier: Apache-2.0
"""Torch-side glue: one leaf call in, its types and its cached fragment out. No control flow lives here."""

from dycl.capture.declared import Declared
from dycl.capture.engine import Capture
from dycl.capture.values import (
    Check,
    Fragment,
    LeafCall,
    LeafRefused,
    ScalarSlot,
    TensorResult,
    TensorSlot,
    TensorSpec,
    TorchRaised,
)

__all__ = [
    "Capture",
    "Check",
    "Declared",
    "Fragment",
    "LeafCall",
    "LeafRefused",
    "ScalarSlot",
    "TensorResult",
    "TensorSlot",
    "TensorSpec",
    "TorchRaised",
]
