# SPDX-License-Identifier: Apache-2.0
"""What is done with the compiler: `dycl.explain`, `dycl.verify` and the command line for Python models."""
