# SPDX-License-Identifier: Apache-2.0
"""Loops and sizes that depend on the input, on OpenVINO: equal, or a BackendError for a known reason."""

import dycl
import pytest
from python.torch.collection import all_cases, quick_part
from python.torch.harness import check_case

CASES = {
    name: case
    for name, case in all_cases().items()
    if name.partition(".")[0] in ("cycles", "data_sizes", "sizes")
}
REFUSED = {
    "data_sizes.numbers_beyond_all_sizes": "Greater on integers",
    "data_sizes.numbers_of_a_vector_as_a_list": "Cast on f64: openvino computes f64 as f32",
    "data_sizes.unique": "Unique: openvino lacks it",
    "data_sizes.repeated_by_a_number": "Tile: repeats that are not constant",
}
FAILS_WITHOUT_ELEMENTS = {"sizes.Convolutions"}  # it takes no empty batch: an error, there alone


@pytest.mark.parametrize("name", quick_part(CASES, 3))
def test_a_program_equals_eager_on_openvino(name):
    if name in REFUSED:
        with pytest.raises(dycl.BackendError, match=REFUSED[name]):
            check_case(CASES[name], backend="openvino")
    elif name in FAILS_WITHOUT_ELEMENTS:
        with pytest.raises(AssertionError, match=r"raised BackendError: .*openvino cannot run the graph"):
            check_case(CASES[name], backend="openvino")
    else:
        check_case(CASES[name], backend="openvino")
