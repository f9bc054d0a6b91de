# SPDX-License-Identifier: Apache-2.0
"""Programs whose sizes only the run knows, on aot_inductor: equal to eager, or refused by name with a place.
Never does the compiling process end without a word."""

import dycl
import pytest
import torch
from python.torch.case import cases_of
from python.torch.harness import check_case
from python.torch.programs import data_sizes, sizes

CASES = {case.name: case for module in (data_sizes, sizes) for case in cases_of(module.__name__)}
QUICK = ("mask_of_rows",)
FROM_TWO_ON = ("hints", "views")  # Inductor's code for them is right from size 2 on, and a run says so below


def check(name):
    """Whether it was refused."""
    refused = None
    try:
        check_case(CASES[name], backend="aot_inductor", jobs=2)
    except dycl.BackendError as error:
        refused = error
    if refused is None:
        return False
    assert "the plugin calls it aot_inductor.refused" in str(refused)
    assert refused.line
    return True


pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize("name", QUICK)
def test_programs_with_sizes_of_the_run_equal_eager(name):
    assert not check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(CASES.keys() - {*QUICK, *FROM_TWO_ON}))
def test_all_programs_with_sizes_of_the_run_equal_eager_or_are_refused(name):
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", FROM_TWO_ON)
def test_a_size_that_inductor_did_not_compile_for_is_refused_by_the_run(name):
    case = CASES[name]
    program = dycl.compile(
        case.build(), case.example.args, dynamic_shapes=case.dynamic_shapes, backend="aot_inductor", jobs=2
    )
    for call in case.calls:
        error = None
        try:
            torch.testing.assert_close(program(*call.args), case.build()(*call.args))
        except dycl.BackendError as raised:
            error = raised
        if error is not None:
            assert min(call.args[0].shape) < 2
            assert "is right from 2 on only" in str(error)
            assert error.line
