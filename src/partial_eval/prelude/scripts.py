# SPDX-License-Identifier: Apache-2.0
"""Which functions of torch.jit.script() mean what their Python code means.

TorchScript computes with numbers by rules of its own (`2**3` is a float, `1/0` is inf, ints wrap), raises
exceptions of its own, and gives lists where Python gives tuples. So only functions are followed that compute
tensors from tensors; sizes may be read, added and handed on.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

_SIZES = {f"aten::{name}" for name in ["size", "dim", "len", "add", "sub", "mul", "neg"]}
_TESTS = {f"aten::{name}" for name in ["Bool", "eq", "ne", "lt", "le", "gt", "ge"]}
_TESTS |= {f"aten::__{name}__" for name in ["not", "is", "isnot"]}
_PLAIN = {"TensorType", "NoneType"}
# Raise IndexError outside of TorchScript, and RuntimeError inside.
_INDEXES = {"aten::index", "aten::embedding", "aten::index_select", "aten::take", "aten::index_put_"}


def is_of_tensors(scripted: Any, written: Any) -> bool:
    graph = scripted.inlined_graph
    floats = set(_floats(written.__code__))
    results = all(_is_result(output.type()) for output in graph.outputs())
    return results and all(_is_harmless(node, floats) for node in _nodes(graph))


def _nodes(block: Any) -> Iterator[Any]:
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _is_result(kind: Any) -> bool:
    if kind.kind() == "TupleType":
        return all(_is_result(element) for element in kind.elements())
    return kind.kind() in _PLAIN


def _floats(code: types.CodeType) -> Iterator[float]:
    for constant in code.co_consts:
        if type(constant) is float:
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _floats(constant)


def _is_harmless(node: Any, floats: set[float]) -> bool:
    name, kinds = node.kind(), [output.type().kind() for output in node.outputs()]
    if name in _INDEXES or name == "prim::Loop":
        return False
    if name == "prim::Constant":  # a float that is written nowhere was computed from others
        return kinds != ["FloatType"] or node.f("value") in floats
    if name == "prim::ListConstruct":
        return True
    if name in ("prim::TupleConstruct", "prim::If"):
        return all(_is_result(output.type()) for output in node.outputs())
    if name.startswith("prim::"):
        return False
    allowed = set(_PLAIN)
    if name in _SIZES:
        allowed |= {"IntType", "ListType"} if name == "aten::size" else {"IntType"}
    if name in _TESTS:
        allowed.add("BoolType")
    return bool(kinds) and all(kind in allowed for kind in kinds)
