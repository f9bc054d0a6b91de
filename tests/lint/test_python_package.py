# SPDX-License-Identifier: Apache-2.0
"""python/dycl is glue: the machine is C++. Its code is counted, and nothing in it reads programs."""

import ast

from lint.sources import ROOT, files, shown

PACKAGE = ROOT / "python" / "dycl"
LIMIT = 2500  # lines of code: no blank lines, comments or docstrings
# Reading programs is the business of src/import_python.
FORBIDDEN = {"ast", "codeop", "dis", "opcode", "parser", "symtable", "tokenize"}
ALLOWED = {("python/dycl_tools/eager.py", "dis")}  # the judge asks whether eager's own frame makes a call


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
    counted = {shown(path): lines_of_code(path.read_text()) for path in PACKAGE.rglob("*.py")}
    assert 0 < sum(counted.values()) < LIMIT, counted


def test_no_python_of_ours_reads_programs():
    """The operators' formulas, the tools and the models of builtins included."""
    paths = files(".py", folders=("python", "src"))
    found = [
        f"{shown(path)} imports {name}"
        for path in paths
        for name in imports_of(path.read_text()) & FORBIDDEN
        if (shown(path), name) not in ALLOWED
    ]
    found += [shown(path) for path in paths if "inspect.getsource" in path.read_text()]
    assert found == []


def imports_at_the_top(text: str) -> set[str]:
    """Of a module as it is loaded: not what its functions import, nor what is for types only."""
    tree = ast.parse(text)
    plain = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return imports_of(ast.unparse(ast.Module(plain, [])))


def test_what_is_below_the_compiler_does_not_import_it():
    """Loading python/dycl loads these packages, never the other way round; and the lower the less."""
    known = {"dycl_operators": set(), "dycl_calls": set(), "dycl_sizes": {"dycl_operators"}}
    known["dycl_cache"] = {"dycl_sizes"}
    for package, below in known.items():
        paths = files(".py", folders=(f"python/{package}",))
        assert paths
        for path in paths:
            ours = {name for name in imports_at_the_top(path.read_text()) if name.startswith("dycl")}
            assert ours <= below | {package}, shown(path)
    operators = files(".py", folders=("python/dycl_operators",))
    assert [shown(path) for path in operators if "dycl" in imports_of(path.read_text())] == []


def test_code_is_told_from_comments_and_docstrings():
    text = '"""A module."""\n\nimport ast.x  # why\n# no\ndef f():\n    """Not\n    code."""\n'
    text += '    return """a\nb"""\n'
    assert lines_of_code(text) == 4
    assert imports_of(text) == {"ast"}
    assert imports_at_the_top("import a\nif x:\n    import b\ndef f():\n    import c\n") == {"a"}
