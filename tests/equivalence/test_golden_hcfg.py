# SPDX-License-Identifier: Apache-2.0
"""The HCFG text of a dozen models right after import, held against tests/golden/import_onnx.

`pytest tests/equivalence/test_golden_hcfg.py --regenerate` writes the files anew; read the difference."""

import subprocess
import sys
from pathlib import Path

import pytest

from equivalence.models import CASES

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "import_onnx"
SHOWN = [
    "if_on_the_sign_of_a_sum",
    "if_branches_of_different_shapes",
    "if_nested_three_deep",
    "if_condition_is_constant",
    "loop_trip_count_only",
    "loop_condition_only",
    "loop_carried_rank_grows",
    "loop_only_scan_outputs",
    "loop_rotates_three_values_directly",
    "loop_in_branch_in_loop",
    "scan_along_the_second_axis",
    "sequence_grows_in_a_loop",
    "sequence_map_over_one_sequence",
    "function_that_calls_a_function_with_a_loop",
]


def imported_text(model: Path) -> str:
    command = Path(sys.executable).with_name("dycl")
    arguments = ["compile", "-q", model.name, "--stop-after", "import_onnx"]
    done = subprocess.run(
        [command, *arguments], cwd=model.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SHOWN)
def test_the_imported_graph_is_the_golden_one(name, tmp_path, request):
    case = next(case for case in CASES if case.name == name)
    text = imported_text(case.save(tmp_path))
    golden = GOLDEN / f"{name}.hcfg"
    if request.config.getoption("--regenerate"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


def test_no_golden_file_is_left_over():
    assert {path.stem for path in GOLDEN.glob("*.hcfg")} == set(SHOWN)
