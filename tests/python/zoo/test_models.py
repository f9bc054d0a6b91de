# SPDX-License-Identifier: Apache-2.0
"""The models themselves: plain PyTorch, the same everywhere, sent every way by their inputs."""

import ast
import copy
from pathlib import Path

import pytest
import torch
from python.zoo.line_coverage import missed_lines

import zoo
from zoo.flat import leaves

FILES = sorted(
    path
    for folder in ("nine", "beyond", "parts")
    for path in Path(zoo.__file__).parent.glob(f"{folder}/*.py")
)


def test_there_are_the_nine_and_ten_beyond():
    assert (len(zoo.NINE), len(zoo.BEYOND)) == (9, 10)
    modules = {path.stem for path in FILES if path.parent.name != "parts" and path.stem != "__init__"}
    assert modules == set(zoo.NAMES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_model_knows_of_dycl(path):
    text = path.read_text()
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in imported for alias in node.names]
    names += [node.module or "" for node in imported if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} & {"dycl"} == set()
    assert "dycl" not in text


@pytest.mark.parametrize("name", zoo.NAMES)
def test_a_model_and_its_inputs_are_the_same_each_time(name):
    entry = zoo.entry(name, small=True)
    state = torch.get_rng_state()
    first, second = entry.build(), entry.build()
    one, two = entry.inputs(3, 2), entry.inputs(3, 2)
    assert torch.equal(state, torch.get_rng_state())
    for key, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[key]), key
    assert not first.training
    with torch.no_grad():
        for a, b in zip(one, two, strict=True):
            results = leaves(first(*copy.deepcopy(a))), leaves(second(*b))
            assert all(torch.equal(x, y) for x, y in zip(*results, strict=True))


@pytest.mark.parametrize("name", zoo.NAMES)
def test_inputs_send_eager_through_every_line(name):
    entry = zoo.entry(name, small=True)
    assert missed_lines(entry.build(), entry.inputs(0, 24)) == []


def test_lines_that_no_input_reaches_are_seen():
    entry = zoo.entry("cascade_nested", small=True)
    assert missed_lines(entry.build(), entry.inputs(0, 1)) != []


@pytest.mark.long
@pytest.mark.suite("zoo-coverage")
@pytest.mark.parametrize("name", zoo.NAMES)
def test_inputs_send_eager_through_every_line_of_the_full_form(name):
    entry = zoo.entry(name)
    assert missed_lines(entry.build(), entry.inputs(0, 50)) == []
