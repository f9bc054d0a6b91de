# SPDX-License-Identifier: Apache-2.0
"""The checked-in types of the extension module name what it has, and the package type-checks."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUB = ROOT / "python" / "dycl" / "_core.pyi"


def signatures(body: list[ast.stmt], prefix: str = "") -> set[str]:
    """Every class, property and function with the names of its arguments."""
    found = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= {node.name} | signatures(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            found.add(f"{prefix}{node.name}({', '.join(arguments)})")
    return found


def test_the_stub_names_what_the_module_has(tmp_path):
    derived = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "dycl._core", "-o", derived], check=True
    )
    assert signatures(ast.parse(STUB.read_text()).body) == signatures(ast.parse(derived.read_text()).body)


def test_the_package_is_typed():
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
