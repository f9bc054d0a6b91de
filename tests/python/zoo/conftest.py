# SPDX-License-Identifier: Apache-2.0
"""The zoo lies beside the tests: it is found by its folder."""

import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT))


@pytest.fixture(autouse=True)
def _one_thread():
    """Two tests at a time share the cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
