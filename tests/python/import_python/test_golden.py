# SPDX-License-Identifier: Apache-2.0
"""The IR of every program as text, with positions; `--regenerate` writes it anew.

Golden texts are Python 3.11's: later versions place some positions elsewhere.
"""

import difflib
import sys
from pathlib import Path

import pytest
from dycl import _core
from python.import_python import programs
from python.import_python.test_meaning import AREAS

GOLDEN = Path(__file__).parents[2] / "golden" / "import_python"


def text_of(area):
    library = _core.SourceLibrary()
    module = f"python.import_python.programs.{area}"
    functions = [function for function, _ in programs.CASES if function.__module__ == module]
    return "\n".join(library.lower(function, positions=True) for function in functions)


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="positions are those of Python 3.11")
@pytest.mark.parametrize("area", AREAS)
def test_the_text_is_as_written_down(area, request):
    path = GOLDEN / f"{area}.txt"
    text = text_of(area)
    if request.config.getoption("--regenerate"):
        path.write_text(text)
    difference = difflib.unified_diff(path.read_text().splitlines(), text.splitlines(), lineterm="")
    assert not list(difference)
