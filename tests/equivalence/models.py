# SPDX-License-Identifier: Apache-2.0
"""All models of the collection, in one list."""

from equivalence import models_if, models_loop, models_mixed, models_scan, models_sequence
from equivalence.case import CASES

__all__ = ["CASES", "models_if", "models_loop", "models_mixed", "models_scan", "models_sequence"]
