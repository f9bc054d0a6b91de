# SPDX-License-Identifier: Apache-2.0
"""The implementation of `dycl.verify`, which runs eager and the program side by side."""
