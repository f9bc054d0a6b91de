# SPDX-License-Identifier: Apache-2.0
"""What `make bench` measures of rewriting exists and counts right; times are not judged."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def rewriting(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import rewriting

    return rewriting


def test_leaf_calls_and_blocks_of_gates_are_counted(rewriting):
    small, large = rewriting.measure_gates([3, 6])
    assert (large["leaf_calls"], large["blocks"] - small["blocks"]) == (18, 9)
    assert 0 < small["ms_per_call"] < small["seconds"] * 1e3
    assert small["torch_seconds"] > 0
