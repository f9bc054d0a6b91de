# SPDX-License-Identifier: Apache-2.0
"""One Python package, `dycl`, whose parts import each other as layers.toml says. None reads programs."""

import ast
import tomllib

from lint.sources import ROOT, files, shown

PACKAGE = "python/dycl/"
LAYERS = tomllib.loads((ROOT / "layers.toml").read_text())["python"]
# Reading programs is the business of src/import_python.
FORBIDDEN = {"ast", "codeop", "dis", "opcode", "parser", "symtable", "tokenize"}
# The judge asks whether eager's own frame makes a call.
ALLOWED = {("python/dycl/verification/eager.py", "dis")}
# torch's sizes are made of sympy; ours are not.
SPEAKS_SYMPY = "python/dycl/frontend/sizes/torch_sizes.py"
# Members of a SymNode, the inside of a SymInt.
SIZE_INTERNALS = {"expr", "_expr", "hint", "shape_env", "pytype"}


def imports_of(tree: ast.AST) -> set[str]:
    """Modules by their whole names; a module that is imported from a package counts as itself."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def part_of(module: str) -> str:
    """dycl.frontend.sizes.values → frontend.sizes: what layers.toml has a line for."""
    parts = module.split(".")[1:]
    for count in (2, 1):
        if ".".join(parts[:count]) in LAYERS:
            return ".".join(parts[:count])
    return parts[0] if parts else ""


def violations(name: str, text: str) -> list[str]:
    """Of one file, whose path from the root is `name`: imports when it is loaded, and later ones."""
    layer = part_of("dycl." + name.removeprefix(PACKAGE).removesuffix(".py").replace("/", "."))
    if layer not in LAYERS:
        return [f"{name}: {layer} is not listed in layers.toml"]
    tree = ast.parse(text)
    at_once = imports_of(
        ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    )
    allowed = {layer, *LAYERS[layer]}
    later = allowed | set(LAYERS.get("later", {}).get(layer, []))
    found = []
    for module in imports_of(tree):
        if module.split(".")[0] != "dycl" or module == "dycl.__version__":
            continue
        wanted = part_of(module)
        if wanted not in (allowed if module in at_once else later):
            found.append(f"{name} imports {module}, but {layer} may only import {sorted(allowed)}")
    return found


def test_no_module_imports_what_its_layer_may_not_see():
    paths = files(".py", folders=(PACKAGE,))
    found = [line for path in paths for line in violations(shown(path), path.read_text())]
    assert not found, "\n".join(found)


def test_layers_are_in_order():
    """A part may import only parts that are listed before it; the machine's own come from elsewhere."""
    known = {"_core", "prelude"}
    for part, allowed in LAYERS.items():
        if part != "later":
            assert set(allowed) <= known, part
            known.add(part)


def test_a_planted_violation_is_found():
    assert violations("python/dycl/errors.py", "from dycl.api import Program\n")
    assert violations("python/dycl/frontend/operators/rules.py", "import dycl.errors\n")
    assert violations("python/dycl/frontend/sizes/values.py", "from dycl.frontend.capture import engine\n")
    assert violations("python/dycl/verification/report.py", "def f():\n    from dycl.cli import command\n")
    assert violations("python/dycl/elsewhere.py", "")


def test_an_allowed_import_is_not_found():
    assert not violations("python/dycl/cli/command.py", "from dycl.api import load\nimport torch\n")
    assert not violations("python/dycl/api.py", "def f():\n    from dycl.progress import ProgressLine\n")
    assert not violations("python/dycl/frontend/sizes/a.py", "from dycl.frontend.operators import weak\n")


def test_workers_do_not_import_the_compiler():
    """They are programs of their own, in interpreters that may not have it."""
    paths = [path for path in files(".py", folders=("backends",)) if "/dycl_" in shown(path)]
    assert paths
    for path in paths:
        roots = {module.split(".")[0] for module in imports_of(ast.parse(path.read_text()))}
        assert "dycl" not in roots, shown(path)


def test_sympy_is_spoken_in_one_file():
    paths = files(".py", folders=("python", "src", "backends"))
    modules = {shown(path): imports_of(ast.parse(path.read_text())) for path in paths}
    speakers = [
        name
        for name, imported in modules.items()
        if any("sympy" in part for module in imported for part in module.split("."))
    ]
    assert speakers == [SPEAKS_SYMPY]


def looks_into_sizes(text: str) -> bool:
    """Whether a file reads the expression inside of one of torch's sizes."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "node"
        and node.attr in SIZE_INTERNALS
        for node in ast.walk(ast.parse(text))
    )


def test_torchs_sizes_are_looked_into_in_one_file():
    paths = files(".py", folders=("python", "src", "backends"))
    assert [shown(path) for path in paths if looks_into_sizes(path.read_text())] == [SPEAKS_SYMPY]
    assert looks_into_sizes("key = size.node.expr\n")
    assert looks_into_sizes("size.node.shape_env.simplify(1)\n")
    assert not looks_into_sizes("node.target.expr\n")


def test_no_python_of_ours_reads_programs():
    """The operators' formulas, the tools and the models of builtins included."""
    paths = files(".py", folders=("python", "src", "backends"))
    found = [
        f"{shown(path)} imports {name}"
        for path in paths
        for name in {module.split(".")[0] for module in imports_of(ast.parse(path.read_text()))} & FORBIDDEN
        if (shown(path), name) not in ALLOWED
    ]
    found += [shown(path) for path in paths if "inspect.getsource" in path.read_text()]
    assert found == []
