# SPDX-License-Identifier: Apache-2.0
"""Never silently wrong: every hazard is equal to eager, on repeated calls too, or refused with a position."""

import copy

import dycl
import pytest
import torch
from dycl.verification.compare import differences
from python.torch.hazards import ALL, N, P

CALLS = [P, N, P * 2, N * 3, torch.zeros(3)]


def outcome(function, x):
    try:
        with torch.no_grad():
            return function(x), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("source", ALL, ids=lambda source: source.__name__)
@pytest.mark.filterwarnings("ignore")
def test_equal_or_refused(source):
    torch.manual_seed(0)
    model = source().eval() if isinstance(source, type) else source
    try:
        program = dycl.compile(copy.deepcopy(model), (P.clone(),), threads=1)
    except dycl.UnsupportedError as refusal:
        place = refusal.line, bool(refusal.hint)
        assert place > (0, True)
        return
    for x in CALLS:  # one model for all calls: what a call leaves behind, the next one sees
        ours, theirs = x.clone(), x.clone()
        (wanted, wanted_error), (given, given_error) = outcome(model, theirs), outcome(program, ours)
        assert given_error == wanted_error
        assert not list(differences(given, wanted, 1e-5))
        assert torch.equal(ours, theirs)


def test_a_layout_that_decided_is_checked():
    from python.torch.hazards import layout_of_the_input_decides

    square = torch.arange(4.0).reshape(2, 2)
    program = dycl.compile(layout_of_the_input_decides, (square,), threads=1)
    assert torch.equal(program(square), layout_of_the_input_decides(square))
    with pytest.raises(dycl.UsageError, match="strides"):
        program(square.t())


def found_in_a_list_of_the_path(x):
    values = []
    for i in range(int(x[2])):
        values.append(x[i].item())
    return values[1] in values


def test_nans_that_may_be_one_object_are_an_error():
    program = dycl.compile(found_in_a_list_of_the_path, (torch.zeros(3),), threads=1)
    assert program(torch.tensor([1.0, 5.0, 2.0])) is True
    with pytest.raises(RuntimeError, match="whether two NaNs are one object"):
        program(torch.tensor([1.0, float("nan"), 2.0]))
