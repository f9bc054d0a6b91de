# SPDX-License-Identifier: Apache-2.0
"""Random Python models, compiled and compared with eager: `python -m python.torch.random_programs --help`."""
