# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own operator samples: none wrong; tests/floors.toml says how many must be equal to eager."""

import pytest
from python.suites import opinfo

PARTS = 16


@pytest.mark.long
@pytest.mark.suite("opinfo")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_operator_sample_is_wrong(part, record_property):
    tally = opinfo.run(opinfo.Tally(), part=part, parts=PARTS)
    record_property("equal", str(tally.equal.total()))
    record_property("refused", str(tally.refused.total()))
    assert not tally.wrong, "\n".join([str(tally), *tally.wrong])
    assert tally.equal.total() > 0
