# SPDX-License-Identifier: Apache-2.0
"""Small programs around every callable that a model can reach: each equals eager or is refused."""
