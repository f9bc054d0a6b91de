# SPDX-License-Identifier: Apache-2.0
"""All rules, by operation: importing this module fills the table."""

from dycl.lower import rules_index, rules_layers, rules_order
from dycl.lower.rules import EMPTY, OVERWRITES, REFUSED, RULES

__all__ = ["EMPTY", "OVERWRITES", "REFUSED", "RULES", "rules_index", "rules_layers", "rules_order"]
