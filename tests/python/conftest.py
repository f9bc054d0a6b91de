# SPDX-License-Identifier: Apache-2.0
import gc
import os
import subprocess
from pathlib import Path

import dycl
import onnx
import pytest
from dycl import _search

from python import models

BINARY = Path(dycl.__file__).parent / "bin" / "dycl"


@pytest.fixture(scope="session")
def command():
    """Runs the native binary in an empty environment: no PATH, no HOME, no Python to be found."""

    def run(*arguments, **variables) -> subprocess.CompletedProcess[str]:
        vendors = os.pathsep.join(map(str, _search.vendor_folders()))
        environment = {"DYCL_VENDOR_PATH": vendors, **variables}
        return subprocess.run(
            [str(BINARY), *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.fixture(scope="session")
def packages(tmp_path_factory, command):
    """name -> package, compiled by the command line when first asked for."""
    folder = tmp_path_factory.mktemp("packages")

    def package(name: str) -> Path:
        path = folder / f"{name}.dycl"
        if not path.exists():
            onnx.save(getattr(models, name)(), folder / f"{name}.onnx")
            done = command("compile", folder / f"{name}.onnx", "-o", path)
            assert done.returncode == 0, done.stderr
        return path

    return package


@pytest.fixture
def no_other_program():
    """A program in a traceback of an earlier test keeps its pool until garbage is collected, and a pool in
    use decides how many threads the next program has, which its package tells."""
    gc.collect()
