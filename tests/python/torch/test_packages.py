# SPDX-License-Identifier: Apache-2.0
"""Models of widely used packages, compiled as they are: equal to eager, or refused by the line.

They belong to `make test-all`, which installs scripts/requirements-packages.txt; where a package is missing
they fail.
"""

import copy
import importlib.metadata
import re
from pathlib import Path

import dycl
import pytest
import torch
from dycl.verification.compare import differences
from python.torch.packages import MODELS

ROOT = Path(__file__).parents[3]
REQUIREMENTS = (ROOT / "scripts" / "requirements-packages.txt").read_text()
TABLE = (ROOT / "docs" / "real_models.md").read_text()
TOLERANCE = 1e-5


def version_of(package):
    """The pinned one; the installed one has to be the same."""
    (pinned,) = re.findall(rf"^{package}==(.+)$", REQUIREMENTS, re.MULTILINE)
    return pinned


def outcome_of(model, count=6):
    return f"refused at `{model.refused}`" if model.refused else f"equal on {count} inputs"


def row_of(model):
    package = f"{model.package} {version_of(model.package)}"
    return f"| {model.name} | {package} | {model.dynamic} | {outcome_of(model)} |"


def test_the_table_says_what_is_tested():
    rows = [line for line in TABLE.splitlines() if line.startswith("| ")][1:]
    assert rows == [row_of(model) for model in MODELS]


def test_enough_models_compile():
    compiled = [model for model in MODELS if not model.refused]
    assert len(MODELS) >= 12
    assert len(compiled) >= 6
    assert sum(model.grows for model in compiled) >= 4


@pytest.mark.long
@pytest.mark.suite("packages")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_of_a_package(model, record_property):
    found = importlib.metadata.version(model.package)
    assert found == version_of(model.package), "make test-all installs scripts/requirements-packages.txt"
    torch.manual_seed(0)
    source, calls = model.build()
    first = copy.deepcopy((calls[0].args, calls[0].kwargs))
    with torch.no_grad():  # as a user has done before: packages fill caches at the first call
        source(*first[0], **first[1])
    if model.refused:
        with pytest.raises(dycl.UnsupportedError, match=re.escape(model.refused)):
            dycl.compile(source, calls[0].args, calls[0].kwargs)
        record_property("outcome", "refused")
        return
    program = dycl.compile(source, calls[0].args, calls[0].kwargs)
    seen = {compared(source, program, call, f"input {number}") for number, call in enumerate(calls)}
    assert len(calls) >= 5
    if model.grows:
        assert len(seen) > 1, "all inputs go one way: they show nothing"


def compared(source, program, call, where):
    """The sizes of the results and the decisions taken."""
    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    with torch.no_grad():
        expected = source(*args, **kwargs)
    trace = program.trace(*call.args, **call.kwargs)
    assert trace.error is None, f"{where}: {trace.error}"
    wrong = differences(trace.result, expected, TOLERANCE)
    assert not wrong, f"{where}: " + "; ".join(wrong)
    leaves = torch.utils._pytree.tree_leaves(expected)
    return str([tuple(leaf.shape) for leaf in leaves if torch.is_tensor(leaf)]) + str(list(trace.decisions))
