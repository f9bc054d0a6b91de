# SPDX-License-Identifier: Apache-2.0
"""The models themselves: valid, runnable by the judge, and driven down every path by their inputs."""

import onnx
import pytest

from equivalence.coverage import unreached_subgraphs
from equivalence.judge import run_whole
from equivalence.models import CASES

BY_NAME = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest.mark.parametrize("case", [c for c in CASES if not c.checker_refuses], ids=lambda c: c.name)
def test_the_model_is_valid_onnx(case):
    onnx.checker.check_model(case.judge_model(), full_check=case.judge_opset == 0)


@BY_NAME
def test_the_judge_runs_the_model_on_several_inputs(case):
    feeds = list(case.feeds())
    assert len(feeds) >= 2
    results = run_whole(case.judge_model(), feeds)
    assert len(results) == len(feeds)


@pytest.mark.parametrize("case", [c for c in CASES if not c.local and c.opset >= 13], ids=lambda c: c.name)
def test_the_inputs_take_every_path(case):
    assert unreached_subgraphs(case.judge_model(), list(case.feeds())) == set(case.never_taken)


def test_there_are_at_least_sixty_models():
    assert len(CASES) >= 60
