# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own operator samples: none wrong, and most of them equal to eager."""

import pytest
from python.suites import opinfo

PARTS = 16


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_operator_sample_is_wrong(part):
    tally = opinfo.run(opinfo.Tally(), part=part, parts=PARTS)
    assert not tally.wrong, "\n".join([str(tally), *tally.wrong])
    assert tally.equal > 0
