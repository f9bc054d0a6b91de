# SPDX-License-Identifier: Apache-2.0
"""From the functional ATen graph of one leaf call to the payloads that backends take."""
