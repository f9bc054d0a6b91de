# SPDX-License-Identifier: Apache-2.0
"""Every model, compiled and exported again: ONNX Runtime on the file, and the file compiled, give what the
model gives."""

import dycl
import onnx
import pytest

from equivalence.case import Case
from equivalence.judge import difference, run_whole
from equivalence.models import CASES
from equivalence.random_models import random_case


def check_export(case: Case, folder, optimize: int) -> None:
    contents = dycl.compile(str(case.save(folder)), optimize=optimize).to_onnx()
    exported = onnx.load_from_string(contents)
    again = dycl.compile(contents, optimize=1 - optimize)
    feeds = list(case.feeds())
    expected = run_whole(case.judge_model(), feeds)
    for number, (feed, whole, outputs) in enumerate(zip(feeds, run_whole(exported, feeds), expected)):
        found = difference(whole, outputs, "ONNX Runtime's outputs")
        found = found or difference(
            list(again.run(None, feed)), outputs, "outputs of the file compiled again"
        )
        assert not found, f"input {number}: {found}"


@pytest.mark.suite("export-onnx")
@pytest.mark.parametrize("optimize", [0, 1])
@pytest.mark.parametrize("case", [c for c in CASES if not c.refused], ids=lambda case: case.name)
def test_an_exported_model_gives_what_the_model_gives(case, optimize, tmp_path):
    check_export(case, tmp_path, optimize)


@pytest.mark.suite("export-onnx-random")
@pytest.mark.parametrize("seed", range(20))
def test_an_exported_random_model_gives_what_the_model_gives(seed, tmp_path):
    check_export(random_case(seed), tmp_path, seed % 2)


@pytest.mark.long
@pytest.mark.suite("export-onnx-random")
@pytest.mark.parametrize("seed", range(20, 200))
def test_many_exported_random_models_give_what_the_models_give(seed, tmp_path):
    check_export(random_case(seed), tmp_path, 1 - seed % 2)
