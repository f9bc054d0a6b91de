# SPDX-License-Identifier: Apache-2.0
"""A backend is known by what its plugin says, never by its name: no code outside backends/ has one. Comments,
docstrings and the raw strings of help texts are for people, and may name them as examples."""

import ast
import re

from lint.sources import CPP, ROOT, files, shown

NAMES = sorted(path.name for path in (ROOT / "backends").iterdir() if (path / "plugin.cpp").is_file())
NAME = re.compile("|".join(NAMES), re.IGNORECASE)
CPP_PROSE = re.compile(
    r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|(?P<code>"(?:\\.|[^"\\\n])*")', re.DOTALL
)
# Where an extra of our own distribution is named, in a hint.
NAMED_IN_A_HINT = {"python/dycl/calls/needs.py"}


def cpp_code(text):
    """Without comments and raw strings, line by line."""
    return CPP_PROSE.sub(lambda found: found["code"] or re.sub(r"[^\n]", " ", found[0]), text)


def python_code(text):
    """Without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for line in body:
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                line.value = ast.Constant("")
    return ast.unparse(tree)


def violations(name, text):
    if name in NAMED_IN_A_HINT:
        return []
    code = python_code(text) if name.endswith((".py", ".pyi")) else cpp_code(text)
    return [f"{name} has a backend's name: {line.strip()}" for line in code.splitlines() if NAME.search(line)]


def test_no_code_outside_backends_has_the_name_of_one():
    assert {"onnxruntime", "openvino", "tvm", "aot_inductor", "skeleton"} == set(NAMES)
    paths = files(*CPP, folders=("src", "bindings", "include")) + files(".py", ".pyi", folders=("python",))
    found = [line for path in paths for line in violations(shown(path), path.read_text())]
    assert not found, "\n".join(found)


def test_planted_names_are_found():
    assert violations("src/a.cpp", 'if (backend == "openvino") trust(blob);')
    assert violations("src/a.cpp", 'run("pip install onnxruntime");  // why')
    assert violations("src/a.cpp", 'find("libtvm_runtime.so");')
    assert violations("python/dycl/a.py", 'BACKENDS = ["tvm"]')


def test_names_in_prose_are_not_found():
    assert not violations("src/a.cpp", "// as openvino does\n/* tvm */ int a = 0;")
    assert not violations("src/a.cpp", 'constexpr const char* kHelp = R"(--backend openvino)";')
    assert not violations("python/dycl/a.py", '"""openvino"""\n\n\ndef f():\n    "tvm"\n    return 1  # tvm')
