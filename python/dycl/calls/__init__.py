# SPDX-License-Identifier: Apache-2.0
"""How a compiled program is called: what the example has frozen, and what does not fit it.

It needs neither torch nor the compiler.
"""
