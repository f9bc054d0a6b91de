# SPDX-License-Identifier: Apache-2.0
"""Small files and small functions. Limits, not aims: see CONTRIBUTING.md."""

import ast

from lint.cpp_functions import function_bodies
from lint.sources import PYTHON, files, shown

FILE_LIMITS = {".h": 250, ".hpp": 250, ".cpp": 600, ".c": 600, ".py": 600}
FUNCTION_LIMIT = 60


def test_files_are_short():
    found = []
    for path in files(*FILE_LIMITS):
        lines = path.read_text().count("\n")
        if lines > FILE_LIMITS[path.suffix]:
            found.append(f"{shown(path)} has {lines} lines, the limit is {FILE_LIMITS[path.suffix]}")
    assert not found, "\n".join(found)


def test_cpp_functions_are_short():
    found = []
    for path in files(".h", ".hpp", ".cpp", ".c"):
        for line, length in function_bodies(path.read_text()):
            if length > FUNCTION_LIMIT:
                found.append(
                    f"{shown(path)}:{line} is a function of {length} lines, the limit is {FUNCTION_LIMIT}"
                )
    assert not found, "\n".join(found)


def test_python_functions_are_short():
    found = []
    for path in files(*PYTHON):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LIMIT:
                    found.append(f"{shown(path)}:{node.lineno} {node.name} has {length} lines")
    assert not found, "\n".join(found)


def test_function_bodies_are_found_and_measured():
    body = "int f(int a) {\n" + "  if (a) { a += 1; }\n" * 61 + "  return a;\n}\n"
    assert function_bodies("namespace n {\n" + body + "}\n") == [(2, 64)]
    assert function_bodies("struct S {\n  int g() const { return 1; }\n};\n") == [(2, 1)]
    assert function_bodies('const char* s = "f() {";\nstruct T { int a; };\n// h() {\n') == []
