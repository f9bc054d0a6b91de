# SPDX-License-Identifier: Apache-2.0
"""A conditional-free ONNX graph as a Relax module."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from dycl_worker import one_line
from tvm import relax, tirx
from tvm.ir import GenericConst, is_prim_expr
from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter

from dycl_tvm.formulas import formula_of
from dycl_tvm.refusals import CannotDo, Operand, find_refusal
from dycl_tvm.shapes import BROADCASTING, as_dtype, as_tensor, broadcast, with_sizes, without_sizes

# DyCL's numbers are ONNX's; what TVM lacks or only stores is not here.
DTYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
}  # fmt: skip
# What sums numbers, or is made of several steps.
IN_SINGLE = {
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Celu", "Cosh", "Elu", "Gelu", "HardSigmoid", "HardSwish",
    "Mish", "Selu", "Sigmoid", "Sinh", "Softplus", "Softsign", "Tan",
    "Attention", "AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "CumSum", "Einsum", "GRU",
    "Gemm", "GlobalAveragePool", "GroupNormalization", "InstanceNormalization", "LRN", "LSTM",
    "LayerNormalization", "LogSoftmax", "LpNormalization", "LpPool", "MatMul", "MeanVarianceNormalization",
    "RMSNormalization", "RNN", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean",
    "ReduceProd", "ReduceSum", "ReduceSumSquare", "Resize", "Softmax",
}  # fmt: skip
NUMBERS = {name: number for number, name in DTYPES.items()}


class Refused(Exception):  # noqa: N818  an answer, not an error
    """Why TVM cannot be given this graph, naming operator and dtype; `node` is its place in the graph."""

    def __init__(self, reason: str, node: int | None = None) -> None:
        super().__init__(reason)
        self.node = node


class Importer(ONNXGraphImporter):  # type: ignore[misc]
    """TVM's own importer, which names the operator that it stumbles over, and whose results are tensors."""

    _converted_nodes = 0  # TVM converts them in the order of the graph, each once

    def _convert_operator(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
        node = self._converted_nodes
        self._converted_nodes += 1
        dtypes = [dtype_of(value) for value in inputs]
        if reason := find_refusal(op_name, [_operand(value) for value in inputs], attrs, opset):
            raise Refused(f"{_operator_text(op_name, dtypes)}: {reason}", node)
        try:
            result = self._converted(op_name, inputs, attrs, opset)
        except CannotDo as told:
            raise Refused(f"{_operator_text(op_name, dtypes)}: {told}", node) from told
        except Exception as error:
            raise Refused(
                f"{_operator_text(op_name, dtypes)}: TVM says {_message_of(error)}", node
            ) from error
        for dtype in map(dtype_of, result if isinstance(result, relax.Tuple) else [result]):
            if dtype and dtype not in NUMBERS:
                reason = f"its result is {dtype}, which TVM only stores"
                raise Refused(f"{_operator_text(op_name, dtypes)}: {reason}", node)
        return result

    def _check_for_unsupported_ops(self, graph: Any) -> None:
        ours = [node for node in graph.node if formula_of(node.op_type) is None]
        super()._check_for_unsupported_ops(onnx.GraphProto(node=ours))

    def _converted(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
        """What rounds f16 in between does so in f32, as everybody else does; TVM itself would in f16."""
        is_half = [dtype_of(value) == "float16" for value in inputs]
        if op_name not in IN_SINGLE or not any(is_half):
            return self._converted_as_given(op_name, inputs, attrs, opset)
        inputs[:] = [as_dtype(self.bb, x, "float32") if half else x for x, half in zip(inputs, is_half)]
        result = self._converted_as_given(op_name, inputs, attrs, opset)
        if not isinstance(result, relax.Tuple) and isinstance(result.ty, relax.TupleType):
            count = len(result.ty.fields)
            result = relax.Tuple([self.bb.emit(relax.TupleGetItem(result, index)) for index in range(count)])
        if isinstance(result, relax.Tuple):
            return relax.Tuple([self._halved(field) for field in result.fields])
        return self._halved(result)

    def _halved(self, value: Any) -> Any:
        return as_dtype(self.bb, value, "float16") if dtype_of(value) == "float32" else value

    def _converted_as_given(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
        inputs[:] = without_sizes(self.bb, op_name, inputs)
        if op_name in BROADCASTING:
            inputs[:] = broadcast(self.bb, inputs)
        formula = formula_of(op_name)
        result = NotImplemented if formula is None else formula(self.bb, inputs, attrs, opset)
        if result is NotImplemented:
            result = super()._convert_operator(op_name, inputs, attrs, opset)
        if not isinstance(result, relax.Expr):
            return result
        result = self.bb.normalize(result)
        if isinstance(result, tirx.IntImm | tirx.FloatImm):
            return as_tensor(self.bb, result)
        return result if isinstance(result, relax.Tuple) else with_sizes(self.bb, result)

    def _construct_nodes(self, graph: Any) -> None:
        super()._construct_nodes(graph)
        for port in graph.output:
            value = self._nodes[port.name]
            if isinstance(value.ty, relax.ShapeType):
                self._nodes[port.name] = self.bb.emit(relax.op.shape_to_tensor(value))
            elif is_prim_expr(value):
                self._nodes[port.name] = self.bb.emit(as_tensor(self.bb, value))


def to_relax(model: onnx.ModelProto) -> Any:
    """The module; raises Refused."""
    imported = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if not imported:
        raise Refused("the graph imports no operators of ONNX")
    for place, node in enumerate(model.graph.node):
        if node.domain not in ("", "ai.onnx"):
            raise Refused(f"{node.op_type} of {node.domain}: TVM has only ONNX's own operators", place)
    symbols: dict[str, Any] = {}
    shapes = {port.name: _shape(port, symbols) for port in model.graph.input}
    dtypes = {port.name: _dtype(port) for port in model.graph.input}
    for tensor in model.graph.initializer:
        if tensor.data_type not in DTYPES:
            raise Refused(f"the constant '{tensor.name}' has a dtype that TVM lacks")
    importer = Importer(shapes, dtypes, keep_params_in_input=False, sanitize=True)
    quiet = io.StringIO()  # the importer prints
    with warnings.catch_warnings(), contextlib.redirect_stdout(quiet):
        warnings.simplefilter("ignore")
        try:
            return importer.from_onnx(model.graph, imported[0])
        except Refused:
            raise
        except Exception as error:
            raise Refused(f"TVM says {_message_of(error)}") from error


def output_types(module: Any) -> list[dict[str, Any]]:
    """[{"dtype": number, "dims": [1, "symbol", null] or null}, …]"""
    main = module["main"]
    known = {
        str(dim.name)
        for parameter in main.params
        for dim in (parameter.ty.shape or ())
        if isinstance(dim, tirx.Var)
    }
    result = main.body.body.ty  # the function's own result type forgets sizes that depend on data
    fields = list(result.fields) if isinstance(result, relax.TupleType) else [result]
    return [_type_json(field, known) for field in fields]


def dtype_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(value.dtype)
    ty = getattr(value, "ty", None)
    if isinstance(ty, relax.ShapeType):
        return "int64"
    return str(getattr(ty, "dtype", "") or "")


def _operand(value: Any) -> Operand:
    ty = getattr(value, "ty", None)
    is_constant = isinstance(value, GenericConst | relax.ShapeExpr) or isinstance(ty, relax.ShapeType)
    return Operand(dtype_of(value), int(getattr(ty, "ndim", -1)), is_constant)


def _type_json(ty: Any, known: set[str]) -> dict[str, Any]:
    if not isinstance(ty, relax.TensorType) or str(ty.dtype) not in NUMBERS:
        raise Refused(f"a result of the graph is no tensor that DyCL knows: {ty}")
    if ty.ndim < 0:
        return {"dtype": NUMBERS[str(ty.dtype)], "dims": None}
    shape = ty.shape.values if isinstance(ty.shape, relax.ShapeExpr) else [None] * ty.ndim
    dims: list[int | str | None] = []
    for dim in shape:
        if isinstance(dim, tirx.IntImm):
            dims.append(int(dim.value))
        else:
            dims.append(str(dim.name) if isinstance(dim, tirx.Var) and str(dim.name) in known else None)
    return {"dtype": NUMBERS[str(ty.dtype)], "dims": dims}


def _shape(port: Any, symbols: dict[str, Any]) -> list[Any]:
    """Our own symbols: TVM's importer takes a size 0 for an unknown one."""
    tensor = port.type.tensor_type
    if not tensor.HasField("shape"):
        raise Refused(f"the rank of '{port.name}' is not known, and TVM compiles for ranks")
    shape: list[Any] = []
    for dim in tensor.shape.dim:
        if dim.HasField("dim_value"):
            shape.append(dim.dim_value)
        else:
            name = dim.dim_param or f"unknown_{len(symbols)}"
            shape.append(symbols.setdefault(name, tirx.Var(name, "int64")))
    return shape


def _dtype(port: Any) -> str:
    number = port.type.tensor_type.elem_type
    if number not in DTYPES:
        raise Refused(f"'{port.name}' has a dtype that TVM lacks")
    return DTYPES[number]


def _operator_text(op_name: str, dtypes: Sequence[str]) -> str:
    known = [dtype for dtype in dtypes if dtype]
    return f"{op_name} on {known[0]}" if known else op_name


def _message_of(error: BaseException) -> str:
    return f"'{one_line(error)}' ({type(error).__name__})" if str(error).strip() else type(error).__name__
