# SPDX-License-Identifier: Apache-2.0
"""Every construct in a small program: compiled, and equal to eager on every path."""

import pytest
from python.torch.collection import all_cases
from python.torch.harness import check_case

CASES = all_cases()


@pytest.mark.suite("torch-programs")
@pytest.mark.parametrize("name", CASES)
def test_a_compiled_program_equals_eager_on_every_path(name):
    check_case(CASES[name])
