# SPDX-License-Identifier: Apache-2.0
"""dycl.verify from a few inputs of a zoo model: the search drives at least nine of ten edges."""

from collections import Counter

import dycl
import pytest

import zoo
from zoo import measure


def ways(name, inputs, seconds):
    """How the edges of a small form were taken; everything must be equal on the way."""
    entry = zoo.entry(name, small=True)
    model, calls = entry.build(), entry.inputs(0, inputs)
    program, _ = measure.compiled(model, calls[0], "onnxruntime")
    with measure.quiet():
        report = dycl.verify(program, model, calls, search=seconds)
    assert report.ok, report
    assert all(subnet.calls for subnet in report.subnets), report
    return Counter(report.ways.values())


def by_inputs(counts):
    return (counts["given"] + counts["found"]) / counts.total()


def test_the_search_completes_what_few_inputs_leave():
    counts = ways("gpt_decode", 2, 20.0) + ways("caption_googlenet", 2, 20.0)
    assert counts["found"] > 0
    assert by_inputs(counts) >= 0.9


def test_what_cannot_be_taken_is_forced():
    counts = ways("moe_top1", 6, 3.0)
    assert counts["forced"] > 0
    assert counts["never"] == 0


@pytest.mark.long
def test_inputs_drive_nine_of_ten_edges_of_the_whole_zoo():
    counts = sum((ways(name, 6, 20.0) for name in zoo.NAMES), Counter())
    assert by_inputs(counts) >= 0.9, counts
    assert counts["never"] == 0, counts
