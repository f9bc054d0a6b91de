# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, kept as it was written. TVM's simplifier calculates with floats as with integers, and with
integers as if they were without end: x == x is true, x - x and x * 0 are 0 and (x + y) - y is x, whatever
NaN, infinity and rounding say; what is not less is greater or equal; x * y + z is rounded once; and x + 1 is
greater than x. Here such operations are calls that it cannot see through, until nothing simplifies any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm import te, tirx
from tvm.ir import Op, register_op_attr
from tvm.ir.expr import GenericConst
from tvm.relax.transform import LegalizeOps
from tvm.runtime import DataType, DataTypeCode
from tvm.tirx.op import register_intrin_lowering

from dycl_tvm.refusals import CannotDo
from dycl_tvm.shapes import common_size, element, size_columns

_PURE = tirx.CallEffectKind.Pure.value
Node = Callable[[Any, Any], Any]


def _not_equal(left: Any, right: Any) -> Any:
    return tirx.Not(tirx.EQ(left, right))  # TVM's own NE is false of NaN


def _wrapping(node: Node) -> Node:
    """Of integers with a bit to spare: TVM tells LLVM that they never overflow."""

    def of(left: Any, right: Any) -> Any:
        dtype = DataType(str(left.ty.dtype))
        if dtype.type_code not in (DataTypeCode.INT, DataTypeCode.UINT) or dtype.bits < 32:
            return node(left, right)
        wide = f"int{2 * dtype.bits}" + (f"x{dtype.lanes}" if dtype.lanes > 1 else "")
        return tirx.Cast(str(dtype), node(tirx.Cast(wide, left), tirx.Cast(wide, right)))

    return of


# Relax's operators, and the nodes that they end as.
_NODES: dict[str, Node] = {
    "add": _wrapping(tirx.Add),
    "subtract": _wrapping(tirx.Sub),
    "multiply": _wrapping(tirx.Mul),
    "divide": tirx.Div,
    "equal": tirx.EQ,
    "not_equal": _not_equal,
    "less": tirx.LT,
    "less_equal": tirx.LE,
    "greater": tirx.GT,
    "greater_equal": tirx.GE,
}
_OF_LIBRARY = {"tanh", "atanh"}
_WRAPPING = {"add", "subtract", "multiply"}
_ARITHMETIC = {*_WRAPPING, "divide"}
# Of operators that TVM composes itself. Its sums of products stay as they are: those may be rounded once.
_REPLACED = {
    tirx.Sub: "subtract",
    tirx.EQ: "equal",
    tirx.NE: "not_equal",
    tirx.LT: "less",
    tirx.LE: "less_equal",
    tirx.GT: "greater",
    tirx.GE: "greater_equal",
}


def _call_name(name: str) -> str:
    return f"tirx.dycl_{name}"


def _register(name: str, node: Node) -> None:
    register_op_attr(_call_name(name), "TCallEffectKind", _PURE)
    register_op_attr(_call_name(name), "TVectorizable", True)
    register_op_attr(_call_name(name), "TScriptPrinterName", f"dycl_{name}", level=20)
    register_intrin_lowering(_call_name(name), "default", f=lambda call: node(*call.args))


for _name, _node in _NODES.items():
    _register(_name, _node)


def kept(name: str, left: Any, right: Any) -> Any:
    """An operation on numbers, as an expression of TVM's that it leaves alone."""
    dtype = str(left.ty.dtype) if name in _ARITHMETIC else "bool"
    return tirx.call_intrin(dtype, _call_name(name), left, right)


def legalize_ops() -> Any:
    """TVM's pass of this name, with arithmetic as it was written."""
    ours = {f"relax.{name}": _legalization(name) for name in _NODES}
    return LegalizeOps({**ours, **{f"relax.{name}": _library_legalization(name) for name in _OF_LIBRARY}})


def of_library(builder: Any, name: str, x: Any) -> Any:
    """A function of the C library, of each number."""
    return builder.emit_te(lambda tensor: _library_call(name, tensor), x, primfunc_name_hint=name)


def _library_call(name: str, x: Any) -> Any:
    """TVM's own tanh is made of exponentials, which leaves few digits near 0."""
    dtype = str(x.dtype)
    wide = "float64" if dtype == "float64" else "float32"
    function = name if wide == "float64" else f"{name}f"

    def one(*index: Any) -> Any:
        return tirx.Cast(dtype, tirx.call_pure_extern(wide, function, x(*index).astype(wide)))

    return te.compute(x.shape, one, name=f"T_{name}")


def _library_legalization(name: str) -> Callable[[Any, Any], Any]:
    return lambda builder, call: builder.call_te(
        lambda tensor: _library_call(name, tensor), call.args[0], primfunc_name_hint=f"tir_{name}"
    )


def keep_arithmetic(module: Any) -> Any:
    """The loops of a module, with arithmetic as it was written."""
    entries = [(node, _replacement(name)) for node, name in _REPLACED.items()]
    for variable, function in list(module.functions.items()):
        if isinstance(function, tirx.PrimFunc):
            module.update_func(variable, function.with_body(tvm_ffi.structural_map(function.body, entries)))
    return module


def _replacement(name: str) -> Callable[[Any], Any]:
    return lambda node: kept(name, node.a, node.b) if _is_float(node.a) else node


def _is_float(value: Any) -> bool:
    return "float" in str(value.ty.dtype)


def _legalization(name: str) -> Callable[[Any, Any], Any]:
    otherwise = Op.get(f"relax.{name}").get_attr("FLegalize")

    def legalize(builder: Any, call: Any) -> Any:
        if not _is_float(call.args[0]) and (name not in _WRAPPING or "int" not in str(call.args[0].ty.dtype)):
            return otherwise(builder, call)
        left, right = (_number(value) for value in call.args)
        return builder.call_te(lambda x, y: _of_tensors(name, x, y), left, right, primfunc_name_hint=name)

    return legalize


def _number(value: Any) -> Any:
    """Of a constant that is one number; else as it is."""
    if isinstance(value, GenericConst) and value.ty.ndim == 0:
        return tirx.const(value.value.numpy().item(), str(value.ty.dtype))
    return value


def _of_tensors(name: str, left: Any, right: Any) -> Any:
    shapes = [list(getattr(value, "shape", ())) for value in (left, right)]
    sizes = [common_size(column) for column in size_columns(shapes)]
    if any(size is None for size in sizes):
        raise CannotDo("sizes of operands are not known to fit")

    def one(*index: Any) -> Any:
        operands = [
            element(value, sizes, index) if isinstance(value, te.Tensor) else value for value in (left, right)
        ]
        return kept(name, *operands)

    return te.compute(sizes, one, name=f"T_{name}")
