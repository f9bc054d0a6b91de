# SPDX-License-Identifier: Apache-2.0
"""Torch-side glue: one leaf call in, its types and its cached fragment out. No control flow lives here."""

from dycl.frontend.capture.engine import Capture
from dycl.frontend.sizes.declared import Declared
from dycl.frontend.sizes.values import (
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
