# SPDX-License-Identifier: Apache-2.0
"""The torch side of the frontend: what one call of torch means, its types, and its graph for backends."""
