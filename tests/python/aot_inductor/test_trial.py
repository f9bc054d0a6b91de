# SPDX-License-Identifier: Apache-2.0
"""A compiled library that ends its process is an answer, not the end of the worker."""

import subprocess

import pytest
from dycl import workers
from dycl_inductor.trial import TrialProcess

DEADLY = """
#include <csignal>
[[gnu::constructor]] static void die() { std::raise(SIGFPE); }
"""


def test_a_library_that_ends_its_process_is_told_and_the_next_one_tried(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(workers.FOLDER))
    (tmp_path / "deadly.cpp").write_text(DEADLY)
    library = tmp_path / "deadly.so"
    command = ["g++", "-shared", "-fPIC", "-o", library, tmp_path / "deadly.cpp"]
    subprocess.run(command, check=True, timeout=120)
    trials = TrialProcess()
    with pytest.raises(RuntimeError, match=r"ends its process \(SIGFPE\)"):
        trials.run(library, [])
    with pytest.raises(RuntimeError, match="missing"):
        trials.run(tmp_path / "missing.so", [])
