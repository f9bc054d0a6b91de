# SPDX-License-Identifier: Apache-2.0
"""The programs themselves, in eager alone: they run, and their inputs take every path."""

import pytest
from python.torch.collection import all_cases, lines_of, one_sided, run_with_lines

CASES = all_cases()


@pytest.mark.parametrize("name", CASES)
def test_inputs_take_every_path_in_eager(name):
    case = CASES[name]
    runs, ran = run_with_lines(case, case.build())
    unreached = lines_of(case.source) - ran
    assert not unreached, f"no input reaches the lines {sorted(unreached)}"
    assert all(run.error is None or case.may_raise for run in runs), [run.error for run in runs]
    if case.every_path:
        always = one_sided([decision for run in runs for decision in run.decisions])
        assert not always, always
    undecided = [decision.shown() for run in runs for decision in run.decisions if decision.undecided]
    assert not undecided, undecided


def test_there_are_many_programs():
    assert len(CASES) >= 250
