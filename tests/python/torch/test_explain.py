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


class Obstructed(nn.Module):
    """Three obstacles, one of them in both halves."""

    def forward(self, x):
        noise = torch.rand(2)  # drawn first
        if x.sum() > 0:
            with open("weights.txt") as file:  # outside
                x = x * len(file.read())
        y = self.half(x) + noise
        return y + torch.rand(2)  # drawn last

    def half(self, x):
        return x * len({int(n): n for n in x.tolist()})  # a dict


def test_obstacles_behind_the_first_are_listed_as_possible():
    found = dycl.explain(Obstructed(), (v(1.0, 2.0),))
    lines = {error.line: error.code for error in found.obstacles}
    assert found.error is found.obstacles[0]
    assert lines == {
        line_of("# drawn first"): "python.randomness",
        line_of("# outside"): "python.refused_builtin",
        line_of("# a dict"): "python.needs_static",
        line_of("# drawn last"): "python.randomness",
    }
    told = found.to_dict()["obstacles"]
    assert [entry["possible"] for entry in told] == [False, True, True, True]
    assert all(entry["hint"] for entry in told)


def test_the_most_frequent_construct_comes_first():
    text = str(dycl.explain(Obstructed(), (v(1.0, 2.0),))).splitlines()
    first = next(number for number, line in enumerate(text) if line.startswith("4 obstacles"))
    codes = [line.split()[1] for line in text[first + 2 : first + 6]]
    assert codes[:2] == ["python.randomness"] * 2
    assert sorted(codes[2:]) == ["python.needs_static", "python.refused_builtin"]
    assert "certain" in text[first + 2]


def test_what_follows_from_an_unknown_value_is_no_obstacle():
    def follows(x):
        y = torch.rand(2)
        for part in y:
            x = x + part.item()
        z = torch.stack([y, x])[y > 0].unique().tolist()
        return {"z": z, "k": len(z), "n": int(y[0]) + 1, "t": y.sum() if y.sum() > 0 else x}

    assert [error.code for error in dycl.explain(follows, (v(1.0, 2.0),)).obstacles] == ["python.randomness"]


def test_a_model_that_compiles_has_no_obstacles():
    assert dycl.explain(plain, (v(1.0),)).obstacles == []
