# SPDX-License-Identifier: Apache-2.0
"""Rewrites a program into another that means the same: both, compiled, must agree."""

import ast
import copy
import random
from collections.abc import Callable

Rewrite = Callable[[ast.Module, random.Random], bool]  # in place; whether it found a place


def _main(tree: ast.Module) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "program")


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """Every list of statements below the node."""
    found = []
    for child in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(child, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def _places(tree: ast.Module, kind: type[ast.stmt]) -> list[tuple[list[ast.stmt], int]]:
    blocks = _blocks(_main(tree))
    return [(block, i) for block in blocks for i, node in enumerate(block) if isinstance(node, kind)]


def _own_jumps(loop: ast.stmt) -> bool:
    """Whether a break or continue of the body is this loop's."""

    def search(node: ast.AST) -> bool:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, (ast.For, ast.While)):
            return any(search(child) for child in node.orelse)
        return any(search(child) for child in ast.iter_child_nodes(node))

    return any(search(child) for child in loop.body)  # type: ignore[attr-defined]


def negate_a_branch(tree: ast.Module, choose: random.Random) -> bool:
    places = _places(tree, ast.If)
    if not places:
        return False
    block, i = choose.choice(places)
    node = block[i]
    assert isinstance(node, ast.If)
    arms = node.orelse or [ast.Pass()], node.body
    block[i] = ast.If(ast.UnaryOp(ast.Not(), node.test), *arms)
    return True


def peel_a_trip(tree: ast.Module, choose: random.Random) -> bool:
    places = [
        (block, i)
        for block, i in _places(tree, ast.While)
        if not _own_jumps(block[i]) and not block[i].orelse  # type: ignore[attr-defined]
    ]
    if not places:
        return False
    block, i = choose.choice(places)
    loop = block[i]
    assert isinstance(loop, ast.While)
    block.insert(i, ast.If(copy.deepcopy(loop.test), copy.deepcopy(loop.body), []))
    return True


def while_to_break(tree: ast.Module, choose: random.Random) -> bool:
    places = [(b, i) for b, i in _places(tree, ast.While) if not b[i].orelse]  # type: ignore[attr-defined]
    if not places:
        return False
    block, i = choose.choice(places)
    loop = block[i]
    assert isinstance(loop, ast.While)
    leave = ast.If(ast.UnaryOp(ast.Not(), loop.test), [ast.Break()], [])
    block[i] = ast.While(ast.Constant(True), [leave, *loop.body], [])
    return True


def range_to_while(tree: ast.Module, choose: random.Random) -> bool:
    places = []
    for block, i in _places(tree, ast.For):
        over = block[i].iter  # type: ignore[attr-defined]
        if isinstance(over, ast.Call) and ast.unparse(over.func) == "range" and len(over.args) == 1:
            places.append((block, i))
    if not places:
        return False
    block, i = choose.choice(places)
    loop = block[i]
    assert isinstance(loop, ast.For)
    assert isinstance(loop.iter, ast.Call)
    k, end = f"k_{i}_{loop.lineno}", f"end_{i}_{loop.lineno}"
    before = ast.parse(f"{k} = 0\n{end} = {ast.unparse(loop.iter.args[0])}").body
    first = ast.parse(f"{ast.unparse(loop.target)} = {k}\n{k} += 1").body
    test = ast.parse(f"{k} < {end}", mode="eval").body
    block[i : i + 1] = [*before, ast.While(test, [*first, *loop.body], loop.orelse)]
    return True


def outline_an_expression(tree: ast.Module, choose: random.Random) -> bool:
    """`t = a + b` becomes `t = outlined(a, b)`."""
    main = _main(tree)
    bound = {argument.arg for argument in main.args.args}
    bound |= {n.id for n in ast.walk(main) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in ast.walk(main) if isinstance(n, ast.FunctionDef)}
    bound |= {a.arg for n in ast.walk(main) if isinstance(n, ast.FunctionDef) for a in n.args.args}
    places = []
    for block, i in _places(tree, ast.Assign):
        parts = list(ast.walk(block[i].value))  # type: ignore[attr-defined]
        if len(parts) > 2 and not any(isinstance(p, (ast.Lambda, ast.ListComp, ast.Yield)) for p in parts):
            places.append((block, i))
    if not places:
        return False
    block, i = choose.choice(places)
    node = block[i]
    assert isinstance(node, ast.Assign)
    names = sorted({n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)} & bound)
    given = ", ".join(names)
    outlined = ast.parse(f"def outlined({given}):\n    return {ast.unparse(node.value)}").body
    tree.body.insert(tree.body.index(main), outlined[0])
    node.value = ast.parse(f"outlined({given})", mode="eval").body
    return True


REWRITES: list[Rewrite] = [
    negate_a_branch,
    peel_a_trip,
    while_to_break,
    range_to_while,
    outline_an_expression,
]


def same_meaning(source: str, seed: int) -> str | None:
    """Another program by one or two rewrites; None where no place was found."""
    tree, choose = ast.parse(source), random.Random(seed)
    found = False
    for rewrite in choose.sample(REWRITES, len(REWRITES))[:3]:
        found = rewrite(tree, choose) or found
    return ast.unparse(ast.fix_missing_locations(tree)) if found else None
