# SPDX-License-Identifier: Apache-2.0
"""The table: what it says of a dynamic model, and of the control, by every way."""

import json

import pytest
import torch

import zoo
from zoo import __main__ as command
from zoo import figures, flat, rivals, table


@pytest.fixture(scope="module")
def results():
    names = ["cascade_nested", "resnet_static"]
    models = [figures.measured(zoo.entry(name, small=True), ["onnxruntime"], 12) for name in names]
    return {
        "date": "2026-01-01",
        "versions": table.versions(),
        "inputs": 12,
        "seconds": 60.0,
        "models": models,
    }


def test_tracing_is_wrong_where_the_model_is_dynamic_and_ours_is_not(results):
    dynamic, control = results["models"]
    assert dynamic["backends"]["onnxruntime"]["ok"]
    assert dynamic["traced"]["onnxruntime"]["error"] > 0.01
    assert not dynamic["exported"]["compiled"]
    assert control["traced"]["onnxruntime"]["error"] < 1e-5
    assert control["exported"]["compiled"]
    assert control["backends"]["onnxruntime"]["ok"]


def test_the_table_has_a_row_for_each_model_and_way(results):
    text = table.text(results)
    assert text.count("| cascade_nested |") == 1 + 3 + 1
    assert "torch " in text
    assert "refused: GuardOnDataDependentSymNode" in text
    assert json.loads(json.dumps(results)) == results
    document = f"before\n{command.BEGIN}\nold\n{command.END}\nafter\n"
    assert command._with_measured(document, "new") == f"before\n{command.BEGIN}\nnew\n{command.END}\nafter\n"


def test_the_listing_gives_every_figure():
    text = table.listing([figures.listed(zoo.entry("cascade_nested", small=True))])
    assert text.splitlines()[1].split()[:6] == ["cascade_nested", "18,743", "3", "3", "4", "4"]


def test_errors_of_flat_results_count_what_is_lacking():
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0, 2.0])
    assert flat.error([one], [one]) == 0.0
    assert flat.error([one], [two]) == 0.5
    assert flat.error([], [two]) == 1.0
    assert not flat.same_shapes([one], [two])
    assert flat.prediction([torch.tensor([[0.1, 0.9]])]) == [1]
    assert flat.prediction(flat.leaves(([3, 4], one))) == [3, 4]


def test_what_a_rival_refuses_is_its_first_line():
    def refuse():
        raise ValueError("\n  cannot do this\nbecause")

    assert rivals.judge(refuse, [], []) == {"compiled": False, "refused": "ValueError: cannot do this"}
