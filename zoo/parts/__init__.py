# SPDX-License-Identifier: Apache-2.0
"""What several models are built of."""
