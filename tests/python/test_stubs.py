# SPDX-License-Identifier: Apache-2.0
"""The checked-in stub of the extension module is what nanobind derives from it."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[2] / "python" / "dycl" / "_core.pyi"
HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Made by `python -m nanobind.stubgen -m dycl._core`.\n"


def test_the_stub_fits_the_module(tmp_path):
    made = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "dycl._core", "-o", made], check=True
    )
    assert STUB.read_text() == HEAD + made.read_text(), f"copy {made} over {STUB.name}, below its head"
