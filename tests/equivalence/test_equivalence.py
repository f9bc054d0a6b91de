# SPDX-License-Identifier: Apache-2.0
"""Every model, compiled, gives on every input what ONNX Runtime gives on the whole file."""

import dycl
import pytest

from equivalence.case import Case
from equivalence.judge import difference, run_whole
from equivalence.models import CASES


def check_equal(case: Case, folder, backend: str, optimize: int) -> None:
    program = dycl.compile(str(case.save(folder)), backend=backend, optimize=optimize)
    feeds = list(case.feeds())
    for number, (feed, expected) in enumerate(zip(feeds, run_whole(case.judge_model(), feeds))):
        given = program.run(None, feed)
        found = difference(list(given), expected, "outputs", loose=backend != "onnxruntime")
        assert not found, f"input {number}: {found}"


@pytest.mark.suite("equivalence-onnxruntime")
@pytest.mark.parametrize("optimize", [0, 1])
@pytest.mark.parametrize("case", [c for c in CASES if not c.refused], ids=lambda case: case.name)
def test_onnxruntime_gives_what_the_whole_file_gives(case, optimize, tmp_path):
    check_equal(case, tmp_path, "onnxruntime", optimize)


@pytest.mark.suite("equivalence-openvino")
@pytest.mark.parametrize("case", [c for c in CASES if not c.refused], ids=lambda case: case.name)
def test_openvino_gives_what_the_whole_file_gives_or_refuses_by_name(case, tmp_path, record_property):
    if not case.openvino:
        check_equal(case, tmp_path, "openvino", 1)
        return
    record_property("outcome", "refused")
    with pytest.raises(dycl.Error, match=r"(?i)openvino"):
        check_equal(case, tmp_path, "openvino", 1)


@pytest.mark.parametrize("case", [c for c in CASES if c.refused], ids=lambda case: case.name)
def test_a_refused_model_is_refused_with_its_code(case, tmp_path):
    with pytest.raises(dycl.UnsupportedError) as refusal:
        dycl.compile(str(case.save(tmp_path)))
    assert refusal.value.code == case.refused
