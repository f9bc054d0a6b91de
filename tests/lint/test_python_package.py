# SPDX-License-Identifier: Apache-2.0
"""python/dycl is glue: the machine is C++. Its code is counted, and nothing in it reads programs."""

import ast
from pathlib import Path

from lint.sources import ROOT, shown

PACKAGE = ROOT / "python" / "dycl"
# Lines of code: no blank lines, comments or docstrings. What is no glue has a budget of its own.
BUDGETS = {
    "prelude": 1000,  # models of Python's builtins: data of the machine, which interprets them
    "rules": 900,  # formulas of single operators, one after another
    "tools": 850,  # explain, verify and the command line: they call the compiler, it does not call them
    "glue": 2500,
}
TOOLS = {"command.py", "compare.py", "eager.py", "explanation.py", "verification.py"}
# Reading programs is the business of src/import_python.
FORBIDDEN = {"ast", "codeop", "dis", "opcode", "parser", "symtable", "tokenize"}
ALLOWED = {("eager.py", "dis")}  # the judge asks whether eager's own frame makes a call


def part_of(path: Path) -> str:
    if path.name.startswith("prelude") or "prelude" in path.parent.name:
        return "prelude"
    if path.parent.name == "lower" and path.name.startswith("rule"):
        return "rules"
    return "tools" if path.parent == PACKAGE and path.name in TOOLS else "glue"


def docstring_lines(tree: ast.Module) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if first is not None and ast.get_docstring(node) is not None:
                found |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def lines_of_code(text: str) -> int:
    documentation = docstring_lines(ast.parse(text))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in documentation
        for number, line in lines
    )


def imports_of(text: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found


def test_the_python_package_stays_small():
    counted = dict.fromkeys(BUDGETS, 0)
    for path in PACKAGE.rglob("*.py"):
        counted[part_of(path)] += lines_of_code(path.read_text())
    assert {part: n for part, n in counted.items() if n >= BUDGETS[part]} == {}, counted


def test_the_python_package_does_not_read_programs():
    found = [
        f"{shown(path)} imports {name}"
        for path in PACKAGE.rglob("*.py")
        for name in imports_of(path.read_text()) & FORBIDDEN
        if (path.name, name) not in ALLOWED
    ]
    found += [shown(path) for path in PACKAGE.rglob("*.py") if "inspect.getsource" in path.read_text()]
    assert found == []


def test_code_is_told_from_comments_and_docstrings():
    text = '"""A module."""\n\nimport ast.x  # why\n# no\ndef f():\n    """Not\n    code."""\n'
    text += '    return """a\nb"""\n'
    assert lines_of_code(text) == 4
    assert imports_of(text) == {"ast"}
