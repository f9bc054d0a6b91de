# SPDX-License-Identifier: Apache-2.0
"""Makes a failing program smaller while it fails in the same way, and writes a test of it."""

import ast
import copy
import time
from collections.abc import Callable, Iterator

Fails = Callable[[str], bool]


def smallest(source: str, fails: Fails, seconds: float = 120) -> str:
    """Tries every smaller program once more after each success, until none fails or time is up."""
    end = time.monotonic() + seconds
    source = ast.unparse(ast.parse(source))
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in smaller(source):
            if time.monotonic() > end:
                return source
            if fails(candidate):
                source, shrunk = candidate, True
                break
    return source


def smaller(source: str) -> Iterator[str]:
    """Programs with fewer statements first, then with simpler expressions."""
    tree = ast.parse(source)
    seen = {source}
    for variant in _edits(tree):
        try:
            text = ast.unparse(ast.fix_missing_locations(variant))
            compile(text, "candidate", "exec")
        except (SyntaxError, ValueError, TypeError):
            continue
        if text not in seen and len(text) < len(source):
            seen.add(text)
            yield text


def _edits(tree: ast.Module) -> Iterator[ast.Module]:
    for path in sorted(_paths(tree), key=lambda path: len(path)):
        node = _at(tree, path)
        if isinstance(node, ast.stmt):
            yield from (_with(tree, path, replacement) for replacement in _instead_of(node))
    for path in _paths(tree):
        node = _at(tree, path)
        if isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Name)):
            yield from (_with(tree, path, [replacement]) for replacement in _simpler(node))


Step = tuple[str, int | None]


def _paths(node: ast.AST, before: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for i, child in enumerate(children):
            if isinstance(child, ast.AST):
                path = (*before, (name, i if isinstance(value, list) else None))
                yield path
                yield from _paths(child, path)


def _at(tree: ast.AST, path: tuple[Step, ...]) -> ast.AST:
    for name, i in path:
        value = getattr(tree, name)
        tree = value if i is None else value[i]
    return tree


def _with(tree: ast.Module, path: tuple[Step, ...], replacement: list[ast.AST]) -> ast.Module:
    tree = copy.deepcopy(tree)
    holder = _at(tree, path[:-1])
    name, i = path[-1]
    if i is None:
        setattr(holder, name, replacement[0])
        return tree
    block = getattr(holder, name)
    block[i : i + 1] = replacement
    if not block and name == "body":
        block.append(ast.Pass())
    return tree


def _instead_of(node: ast.stmt) -> Iterator[list[ast.AST]]:
    if isinstance(node, ast.FunctionDef) and node.name == "program":
        return
    if not isinstance(node, (ast.Return, ast.Import)):
        yield []
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if block and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield block
    if isinstance(node, (ast.If, ast.For, ast.While)) and node.orelse:
        without = copy.copy(node)
        without.orelse = []
        yield [without]
    if isinstance(node, ast.Try):
        without_finally = copy.copy(node)
        without_finally.finalbody = []
        yield [without_finally]


def _simpler(node: ast.expr) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
    if isinstance(node, (ast.Tuple, ast.List)):
        for i in range(len(node.elts)):
            fewer = copy.copy(node)
            fewer.elts = node.elts[:i] + node.elts[i + 1 :]
            yield fewer
    if isinstance(node, ast.Dict):
        yield from node.values
    yield ast.Name("x", ast.Load())
    yield ast.Constant(1)
    yield ast.Constant(True)


TEMPLATE = '''# SPDX-License-Identifier: Apache-2.0
"""Found by the random programs: {why}."""

import torch
from python.torch.case import case

{before}
@case(
{inputs}
    every_path=False,
    may_raise=True,
    may_lack=True,
)
{program}
'''


def regression_test(source: str, name: str, inputs: list[str], why: str) -> str:
    """A file for tests/python/torch/programs; the inputs are texts of tuples of tensors."""
    tree = ast.parse(source)
    program = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program")
    program.name = name
    others = [n for n in tree.body if n is not program and isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    return TEMPLATE.format(
        why=" ".join(why.split())[:80],
        before="\n\n".join(ast.unparse(node) for node in others) + "\n" if others else "",
        inputs="\n".join(f"    ({text},)," for text in inputs),
        program=ast.unparse(program),
    )
