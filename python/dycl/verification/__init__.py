# SPDX-License-Identifier: Apache-2.0
"""What `dycl.verify` does: runs eager and the program side by side, and reports path by path."""
