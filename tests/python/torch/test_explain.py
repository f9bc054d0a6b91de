# SPDX-License-Identifier: Apache-2.0
"""dycl.explain: every decision once per place in the source, and what becomes of it."""

import json
from pathlib import Path

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))

    def half(self, h):
        if h.max() > 2:
            return h / 2
        return h

    def forward(self, x):
        k = int(x.abs().sum())
        h = self.layers[k % 3](x)
        h = self.half(h)
        h = self.half(h)
        if k > 100:
            raise ValueError(f"too large: {k}")
        return h


FILE = __file__
SOURCE = Path(FILE).read_text().splitlines()


def line_of(text):
    return next(number for number, line in enumerate(SOURCE, 1) if text in line)


def plain(x):
    return x + 1


def refused(x):
    n, text = 0, ""
    while x.sum() > n:
        n, text = n + 1, text + "."
    return len(text)


def called(x):
    return refused(x) + 1


def random_after_a_branch(x):
    if x.sum() > 0:  # found first
        x = x + 1
    return x + torch.rand(2)  # refused


@pytest.fixture(scope="module")
def explanation():
    return dycl.explain(Net().eval(), v(1.0, 2.0))


def test_every_decision_is_listed_once_with_its_place_and_kind(explanation):
    found = [(site.file, site.line, site.kind, site.places) for site in explanation.sites]
    assert found == [
        (FILE, line_of("k = int("), "item", 1),
        (FILE, line_of("h = self.layers[k"), "switch", 1),
        (FILE, line_of("h = self.layers[k"), "raise", 1),
        (FILE, line_of("if h.max() > 2"), "branch", 2),
        (FILE, line_of("if k > 100"), "branch", 1),
        (FILE, line_of("raise ValueError"), "raise", 1),
    ]
    assert [site.column for site in explanation.sites if site.kind == "branch"] == [12, 12]
    assert all(site.outcome for site in explanation.sites)
    assert explanation.ok
    assert explanation.blocks > 6


def test_an_inlined_decision_says_from_where_it_is_called(explanation):
    (site,) = [site for site in explanation.sites if site.places == 2]
    assert site.source == "if h.max() > 2:"
    first, second = site.called_from
    line = line_of("h = self.half(h)")
    assert f":{line}:" in first
    assert f":{line + 1}:" in second


def test_it_prints_a_table_and_gives_json(explanation):
    text = str(explanation)
    assert "Net: 1 item, 1 switch, 2 raise, 2 branch in the source" in text
    (row,) = [line for line in text.splitlines() if line.endswith("if h.max() > 2:")]
    assert f"test_explain.py:{line_of('if h.max() > 2')}:12" in row
    assert "branch" in row
    assert text.count("called from") == 2
    assert "raises ValueError" in text
    document = json.loads(json.dumps(explanation.to_dict()))
    assert document["refused"] is None
    assert [site["places"] for site in document["sites"]] == [1, 1, 1, 2, 1, 1]
    assert document["sites"][0]["source"] == "k = int(x.abs().sum())"


def test_what_is_refused_is_part_of_the_answer():
    explanation = dycl.explain(called, v(1.0, 2.0))
    assert not explanation.ok
    assert isinstance(explanation.error, dycl.UnsupportedError)
    site = explanation.sites[-1]
    assert (site.file, site.line, site.kind) == (FILE, line_of("while x.sum() > n"), "refused")
    text = str(explanation)
    assert "while x.sum() > n:" in text
    assert f"called from {FILE}:{line_of('return refused(x) + 1')}" in text
    assert json.loads(json.dumps(explanation.to_dict()))["refused"]["hint"]


def test_decisions_before_a_refusal_are_listed():
    explanation = dycl.explain(random_after_a_branch, v(1.0, 2.0))
    assert [site.kind for site in explanation.sites] == ["branch", "refused"]
    branch, refusal = explanation.sites
    assert branch.source == "if x.sum() > 0:  # found first"
    assert refusal.line == line_of("torch.rand(2)  # refused")
    text = str(explanation)
    assert "refused, after 1 branch in the source" in text
    assert text.index("found first") < text.index("torch.rand(2)  # refused")


def test_a_model_without_decisions_says_so():
    assert "nothing depends on the values" in str(dycl.explain(plain, torch.ones(2)))
