# SPDX-License-Identifier: Apache-2.0
"""dycl.verify: it must see every kind of difference, say what no input reached, and when it cannot know."""

import functools
import json
import linecache

import dycl
import pytest
from dycl.verification.subnets import SubnetReport
from python.torch.case import v


def gated(x, scale=1.0):
    if x.sum() > 0:
        return {"y": x * 2 * scale}
    if x[0] > 1:
        raise ValueError("as it is")
    return {"y": x - 1}


def same_values_other_way(x, scale=1.0):
    if x[0] > -100:
        return {"y": x * 2 * scale}
    return {"y": x}


def other_values(x, scale=1.0):
    if x.sum() > 0:
        return {"y": x * 2.001 * scale}
    if x[0] > 1:
        raise ValueError("as it is")
    return {"y": x - 1}


def other_structure(x, scale=1.0):
    if x.sum() > 0:
        return {"z": x * 2 * scale}
    return {"y": x - 1}


def other_message(x, scale=1.0):
    if x.sum() > 0:
        return {"y": x * 2 * scale}
    if x[0] > 1:
        raise ValueError("as it was")
    return {"y": x - 1}


def close(x):
    return x if x.softmax(0).sum() > 1 - 1e-7 else -x


def counted(x):
    chosen = (x.sigmoid() > 0.5).float()
    return x if chosen.sum() == 1 else -x


def idle(x):
    if x.sum() > 0:
        pass
    return x + 1


on_inputs = functools.partial(dycl.verify, search=None)  # see test_verify_paths.py for the rest
POSITIVE, NEGATIVE, RAISING = v(1.0, 2.0), v(-1.0, -2.0), v(2.0, -4.0)


@pytest.fixture(scope="module")
def program():
    return dycl.compile(gated, POSITIVE)


def test_a_right_program_passes_and_every_edge_is_counted(program):
    report = on_inputs(program, gated, [POSITIVE, NEGATIVE, RAISING, (POSITIVE,)])
    assert report.ok, report
    report.check()
    assert report.missed == []
    assert sum(report.edges.values()) >= 6
    assert [entry.decisions for entry in report.inputs] == [1, 2, 2, 1]
    text = str(report)
    assert text.count("-[✓]") == 7
    assert "decisions: 6 equal, 0 undecided" in text
    assert "required tolerance" in text
    assert json.loads(json.dumps(report.to_dict()))["not_taken"] == []


def test_edges_that_no_input_took_are_named_with_their_lines(program):
    report = on_inputs(program, gated, [NEGATIVE])
    assert report.ok
    assert len(report.missed) == 2
    first = gated.__code__.co_firstlineno
    source = linecache.getline(gated.__code__.co_filename, first + 1).strip().rstrip(":")
    assert f"test_verify.py:{first + 1} `{source}`: True never taken" in str(report)
    assert len(report.not_taken) == 2
    assert "b1 ->" not in str(report)


@pytest.mark.parametrize(
    ("model", "value", "says"),
    [
        (other_values, POSITIVE, "should be [2.00"),
        (same_values_other_way, POSITIVE, "decisions:"),
        (other_structure, POSITIVE, "keys"),
        (other_message, RAISING, "raised ValueError: as it is, should have raised ValueError: as it was"),
    ],
)
def test_every_kind_of_difference_is_seen_and_check_raises(program, model, value, says):
    report = on_inputs(program, model, [value])
    assert not report.ok
    assert says in str(report)
    assert "-[x] input 0" in str(report)
    with pytest.raises(dycl.PathMismatch) as caught:
        report.check()
    assert says in str(caught.value)


def test_a_wider_tolerance_lets_small_differences_pass(program):
    moved = dycl.compile(other_values, POSITIVE)
    assert not on_inputs(moved, gated_alike, [POSITIVE]).ok
    assert on_inputs(moved, other_values, [POSITIVE], tolerance=1e-7).ok


def gated_alike(x, scale=1.0):
    return other_values(x * 1.01, scale)


def test_a_decision_next_to_its_threshold_is_undecided_and_never_passed():
    report = on_inputs(dycl.compile(close, v(0.3, 0.4)), close, [v(0.3, 0.4)])
    assert [entry.status for entry in report.inputs] == ["undecided"]
    assert not report.ok
    assert "-[?] input 0: undecided" in str(report)


def test_a_count_of_clear_comparisons_is_decided():
    program = dycl.compile(counted, v(0.3, 0.4))
    report = on_inputs(program, counted, [v(0.3, 0.4), v(0.3, -0.4), v(0.3, 1e-7)])
    assert [entry.status for entry in report.inputs] == ["equal", "equal", "undecided"]


def test_a_decision_that_nothing_depends_on_may_be_left_out():
    report = on_inputs(dycl.compile(idle, POSITIVE), idle, [POSITIVE, NEGATIVE])
    assert report.ok, report
    line = idle.__code__.co_firstlineno + 1
    assert report.left_out in ([], [f"test_verify.py:{line}"])


def test_inputs_that_do_not_fit_are_reported_not_raised(program):
    report = on_inputs(program, gated, [v(1.0, 2.0, 3.0)])
    assert not report.ok
    assert "UsageError" in str(report)


def test_keywords_and_single_inputs_are_taken():
    program = dycl.compile(gated, POSITIVE, {"scale": 3.0})
    assert on_inputs(program, gated, dycl.Call((POSITIVE,), {"scale": 3.0})).ok
    assert not on_inputs(program, gated, dycl.Call((POSITIVE,), {"scale": 2.0})).ok


def test_the_verdict_is_one_line_that_hides_nothing(program):
    assert on_inputs(program, gated, [POSITIVE, NEGATIVE, RAISING]).verdict == (
        "verified: equal on 3 inputs; sub-DNNs were not looked at"
    )
    one = on_inputs(program, gated, [POSITIVE])
    assert one.verdict == "verified: equal on 1 input; 3 edges not seen; sub-DNNs were not looked at"
    one.subnets = [
        SubnetReport([name], "tvm", [], calls, 0, 0.0, "") for name, calls in [("s0", 1), ("s1", 0)]
    ]
    assert one.verdict == "verified: equal on 1 input; 3 edges not seen; 1 sub-DNN not compared"
    one.subnets[0].problem = "differs"
    assert one.verdict == "NOT verified: 1 sub-DNN different"
    assert on_inputs(program, other_values, [POSITIVE]).verdict == "NOT verified: 1 input different"
    assert on_inputs(program, gated, []).verdict == "NOT verified: there was no input"


def test_no_inputs_verify_nothing(program):
    assert not on_inputs(program, gated, []).ok
