# SPDX-License-Identifier: Apache-2.0
"""Models of widely used packages, compiled as they are: equal to eager, or refused by the line.

`make test` tries ten, of the packages of scripts/requirements-packages-quick.txt, and `make test-all` all;
where a package is missing they fail.
"""

import importlib.metadata
import re

import pytest
from python.torch.packages import MODELS
from python.torch.packages.attempt import attempt, attempt_here
from python.torch.packages.table import ROOT, row_of, rows_of_page, version_of

LIST = (ROOT / "docs" / "real_models_list.md").read_text()


def test_the_table_says_what_is_tested():
    assert rows_of_page() == [row_of(model) for model in MODELS]


def test_every_entry_of_the_list_is_tested_or_was_taken_off_with_a_reason():
    fixed, taken_off = LIST.split("## Taken off since")
    listed = re.findall(r"^\| (.+) \| (\S+) \| .+ \|$", fixed.split("## Looked at")[0], re.MULTILINE)
    gone = re.findall(r"^\| (.+) \| (\S+) \| .+ \|$", taken_off, re.MULTILINE)
    kept = [entry for entry in listed if entry not in gone and entry[0] != "entry"]
    assert kept == [(model.name, model.package) for model in MODELS]


def test_there_are_many_models_of_many_packages():
    assert len(MODELS) >= 80
    assert len({model.package for model in MODELS}) >= 20
    assert sum(model.grows for model in MODELS) >= 60


def test_ten_models_that_compile_are_tried_by_make_test():
    assert len([model for model in MODELS if model.quick and not model.refused]) == 10


@pytest.mark.suite("packages")
@pytest.mark.parametrize(
    "model",
    [pytest.param(m, id=m.name, marks=[] if m.quick else [pytest.mark.long]) for m in MODELS],
)
def test_a_model_of_a_package(model, record_property):
    found = importlib.metadata.version(model.package)
    assert found == version_of(model.package), "scripts/test.sh installs scripts/requirements-packages*.txt"
    outcome = attempt_here(model) if model.quick else attempt(model)
    assert outcome.outcome in ("equal", "refused"), str(outcome)
    assert outcome.refused == model.refused, f"{outcome}: refused.toml and docs/real_models.md say otherwise"
    assert (outcome.paths > 1) == model.grows, f"eager takes {outcome.paths} paths"
    if model.refused:
        record_property("outcome", "refused")
