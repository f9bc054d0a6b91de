# SPDX-License-Identifier: Apache-2.0
"""Random control-flow models give what ONNX Runtime gives on the whole file."""

import pytest

from equivalence.random_models import random_case
from equivalence.test_equivalence import check_equal


@pytest.mark.suite("equivalence-random")
@pytest.mark.parametrize("seed", range(40))
def test_a_random_model_gives_what_the_whole_file_gives(seed, tmp_path):
    check_equal(random_case(seed), tmp_path, "onnxruntime", seed % 2)


@pytest.mark.long
@pytest.mark.suite("equivalence-random")
@pytest.mark.parametrize("seed", range(40, 440))
def test_many_random_models_give_what_the_whole_file_gives(seed, tmp_path):
    check_equal(random_case(seed), tmp_path, "onnxruntime", 1 - seed % 2)


@pytest.mark.long
@pytest.mark.suite("equivalence-random-openvino")
@pytest.mark.parametrize("seed", range(60))
def test_random_models_on_openvino_give_what_the_whole_file_gives(seed, tmp_path):
    check_equal(random_case(seed), tmp_path, "openvino", 1)
