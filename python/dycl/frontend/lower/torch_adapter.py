# SPDX-License-Identifier: Apache-2.0
"""Every private name of torch that DyCL uses, behind a few functions. For torch 2.15 and onnxscript 0.7."""

from __future__ import annotations

import contextlib
import enum
import functools
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import onnx_ir
import onnxscript.optimizer
import torch
from onnx_ir.passes import common as ir_passes
from onnxscript import opset18 as op
from onnxscript import rewriter
from onnxscript.rewriter.rules.common import _min_max_to_clip, _no_op
from torch._dispatch.python import enable_python_dispatcher
from torch._functorch._aot_autograd.functional_utils import from_fun, to_fun
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.export.exported_program import _split_decomp_table_to_cia_and_python_decomp
from torch.fx.experimental.proxy_tensor import make_fx
from torch.onnx._internal.exporter import _building, _core, _decomp, _registration
from torch.onnx._internal.fx.passes.type_promotion import InsertTypePromotion, TypePromotionTable

from dycl.frontend.operators import RULES

OPSET = 18  # what torchlib is written in
READS_DATA = (DataDependentOutputException,)
UNKNOWN_SIZE = (DynamicOutputShapeException,)
NO_FAKE_KERNEL = (UnsupportedOperatorException, UnsupportedFakeTensorException, NotImplementedError)


class Said(enum.Enum):
    """What torch tells in words only where it types a call: its exception has the class of many others."""

    FLOAT_ALPHA = enum.auto()  # a float as `alpha` of integers, for which eager has other words
    EMPTY_DIMENSION = enum.auto()  # reduced over, for which eager raises another exception
    NAMES_A_FAKE = enum.auto()  # the stand-in for a tensor, which eager has never heard of


# The words are those of torch 2.15; a test for each of them makes torch say it.
WORDS = {
    "alpha argument of type": Said.FLOAT_ALPHA,
    "zero-size dimension": Said.EMPTY_DIMENSION,
    "FakeTensor": Said.NAMES_A_FAKE,
}


def said(error: Exception) -> Said | None:
    text = str(error)
    return next((meaning for words, meaning in WORDS.items() if words in text), None)


for _name in ("torch.onnx._internal.exporter", "onnx_ir", "onnxscript"):
    logging.getLogger(_name).setLevel(logging.ERROR)  # they warn about module stacks and unused options
logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)


@torch.library.custom_op("dycl::narrow", mutates_args=())
def narrow(x: torch.Tensor, dim: int, start: torch.Tensor, length: int) -> torch.Tensor:
    """aten::narrow.Tensor, which torch itself can only trace by reading `start`."""
    return x.narrow(dim, int(start), length).clone()


@narrow.register_fake
def _(x: torch.Tensor, dim: int, start: torch.Tensor, length: int) -> torch.Tensor:
    return x.new_empty([length if i == dim else size for i, size in enumerate(x.shape)])


def _onnx_narrow(x: Any, dim: int, start: Any, length: int) -> Any:
    one: Any = op.Constant(value_ints=[1])
    first = op.Reshape(start, one)
    last = op.Add(first, op.Constant(value_ints=[length]))
    return op.Slice(x, first, last, op.Constant(value_ints=[dim]))


def _onnx_nms(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    batch: Any = op.Constant(value_ints=[0])
    both: Any = op.Constant(value_ints=[0, 1])
    most: Any = op.Constant(value_ints=[2**62])
    overlap: Any = op.Constant(value_floats=[iou_threshold])
    rows: Any = op.NonMaxSuppression(op.Unsqueeze(boxes, batch), op.Unsqueeze(scores, both), most, overlap)
    bounds: Any = ([2], [3], [1])  # of a row: batch, class, box
    column: Any = op.Slice(rows, *bounds)
    one: Any = op.Constant(value_ints=[1])
    return op.Squeeze(column, one)


def _onnx_roi_align(
    x: Any, rois: Any, scale: float, height: int, width: int, ratio: int, aligned: bool
) -> Any:
    first: Any = ([0], [1], [1])  # of a row: the image, then the corners
    corners: Any = ([1], [5], [1])
    one: Any = op.Constant(value_ints=[1])
    image: Any = op.Cast(op.Squeeze(op.Slice(rois, *first), one), to=7)
    return op.RoiAlign(
        x,
        op.Slice(rois, *corners),
        image,
        coordinate_transformation_mode="half_pixel" if aligned else "output_half_pixel",
        mode="avg",
        output_height=height,
        output_width=width,
        sampling_ratio=max(ratio, 0),
        spatial_scale=scale,
    )


# Taken apart by torch these need no sequence, no DepthToSpace, no Where of their own; aliases get promoted.
_DECOMPOSED = [
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "row_stack",
    "atleast_1d.Sequence",
    "atleast_2d.Sequence",
    "atleast_3d.Sequence",
    "pixel_shuffle",
    "pixel_unshuffle",
    "masked_fill.Scalar",
    "where.Scalar",
    "where.ScalarOther",
    "where.ScalarSelf",
    "masked_fill.Tensor",
    "divide.Tensor",
    "true_divide.Tensor",
    "multiply.Tensor",
    "subtract.Tensor",
]
# torch's decomposition is less accurate than its kernel: refused rather than taken apart.
_WHOLE = ("special_erfcx", "special_log_ndtr")


class Tables:
    """Registry and decompositions: built once per process, about a second."""

    def __init__(self) -> None:
        self.registry = _registration.ONNXRegistry.from_torchlib(opset_version=OPSET)
        self.registry.register_op(torch.ops.dycl.narrow.default, _onnx_narrow)
        self.registry.register_op(torch.ops.dycl.nms.default, _onnx_nms)
        self.registry.register_op(torch.ops.dycl.roi_align.default, _onnx_roi_align)
        self.registry.register_op(torch.ops.aten.sym_numel.default, lambda x: op.Size(x))
        for name in _DECOMPOSED:
            self.registry.functions.pop(f"aten::{name}", None)
        known = set(_decomp.get_onnx_implemented_overloads(self.registry))
        table: Any = _decomp.create_onnx_friendly_decomposition_table(known)
        for name in _WHOLE:
            table.pop(getattr(torch.ops.aten, name).default, None)
        self.decompositions: Any = _split_decomp_table_to_cia_and_python_decomp(dict(table))[1]
        # Operations with a rule stay whole in the first trace, for the rule to find.
        first = {target: f for target, f in table.items() if overload_name(target) not in RULES}
        self.composite, self.first_decompositions = _split_decomp_table_to_cia_and_python_decomp(first)


@functools.cache
def tables() -> Tables:
    return Tables()


def new_mode() -> FakeTensorMode:
    return FakeTensorMode(allow_non_fake_inputs=True)


def _recurrent_type(x: Any, hx: Any, *rest: Any) -> Any:
    """torch's own goes through the sequence step by step, so it needs to know its length."""
    bidirectional = rest[-2]
    states = hx if isinstance(hx, list) else [hx]
    result = x.new_empty([*x.shape[:-1], states[0].shape[-1] * (2 if bidirectional else 1)])
    return result, *(h.new_empty(h.shape) for h in states)


@contextlib.contextmanager
def _recurrent_types() -> Iterator[None]:
    types: Any = dict.fromkeys((torch.ops.aten.lstm.input, torch.ops.aten.gru.input), _recurrent_type)
    torch._decomp.decomposition_table.update(types)
    try:
        yield
    finally:
        for overload in types:
            del torch._decomp.decomposition_table[overload]


@contextlib.contextmanager
def typing(mode: FakeTensorMode) -> Iterator[None]:
    """Inside, torch computes types only."""
    fastpath = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with mode, enable_python_dispatcher(), _recurrent_types(), torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fastpath)


def overload_name(target: Any) -> str:
    """aten::add.Tensor and the like; the plain name of anything that is no ATen overload."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target.name())  # type: ignore[no-untyped-call]
    return str(getattr(target, "__name__", target))


def make_real(graph: torch.fx.GraphModule, node: torch.fx.Node) -> bool:
    """Exchanges a constant made inside a trace for its elements, which torch keeps for small ones."""
    value: Any = getattr(graph, str(node.target))
    value = from_fun(value) if isinstance(value, FunctionalTensor) else value
    if isinstance(value, FakeTensor):
        value = value.constant
    if value is not None:
        setattr(graph, str(node.target), value)
        node.meta["val"] = value  # where the exporter looks
    return value is not None


def version(tensor: torch.Tensor) -> int:
    return tensor._version


def trace(
    mode: FakeTensorMode,
    function: Callable[[list[torch.Tensor]], list[torch.Tensor]],
    inputs: Sequence[torch.Tensor],
    functional: bool = True,
) -> torch.fx.GraphModule:
    """The ATen graph of `function` with every in-place operation turned into a functional one."""
    functionalize = torch._C.DispatchKeySet(torch._C.DispatchKey.Functionalize)

    def functionalised(*values: torch.Tensor) -> list[Any]:
        if not functional:
            return function(list(values))
        with torch._C._ExcludeDispatchKeyGuard(functionalize), FunctionalTensorMode(export=True):
            return [from_fun(result) for result in function([to_fun(value) for value in values])]

    with typing(mode):
        known = tables()
        table: Any = known.first_decompositions if functional else known.decompositions
        # Under torch's mode for notes about nodes `l1_loss` forgets its weight.
        traced = make_fx(
            functionalised,
            decomposition_table=table,
            tracing_mode="real",
            _disable_torch_fn_metadata_mode=True,
        )
        return traced(*inputs)


def _is_double(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


@contextlib.contextmanager
def _double_constants() -> Iterator[None]:
    """torchlib writes numbers as f32 before it casts them to the operand's dtype; here they start as f64."""
    building: Any = _building
    original = building._determine_input_dtype

    def determine(param: Any, arg: Any, binding: Any) -> Any:
        dtype = original(param, arg, binding)
        unbound = isinstance(arg, float) and param.type_constraint not in binding
        wide = unbound and len(param.type_constraint.allowed_types) > 1
        return onnx_ir.DataType.DOUBLE if wide else dtype

    building._determine_input_dtype = determine
    try:
        yield
    finally:
        building._determine_input_dtype = original


@contextlib.contextmanager
def _exact_rewrites() -> Iterator[None]:
    """onnxscript drops `x + 1e-8` and `x * 1.00001`, as it takes their constants for 0 and 1; and it gives
    the bounds of one value's two clips the same name."""
    rewriting: Any = rewriter
    rules = rewriting._DEFAULT_REWRITE_RULES
    left_out = [*_no_op.rules.rules, *_min_max_to_clip.rules.rules]
    rewriting._DEFAULT_REWRITE_RULES = tuple(rule for rule in rules if rule not in left_out)
    try:
        yield
    finally:
        rewriting._DEFAULT_REWRITE_RULES = rules


def _check_precision(model: onnx_ir.Model) -> None:
    """Refuses what is left of f32 constants in f64 arithmetic, unless they are short binary fractions."""
    for node in model.graph:
        if node.op_type in ("Selu", "HardSwish"):
            raise ValueError(f"ONNX defines {node.op_type} with constants in single precision; use f32")
        for attribute in node.attributes.values():
            value = attribute.value
            if attribute.type == onnx_ir.AttributeType.TENSOR:
                numbers = value.numpy().ravel().tolist() if value.dtype == onnx_ir.DataType.FLOAT else []
            else:
                numbers = [value] if attribute.type == onnx_ir.AttributeType.FLOAT else []
            is_used = attribute.name != "momentum"  # which is for training
            if is_used and not all(_is_short(number) for number in numbers):
                raise ValueError("its ONNX form holds constants in single precision only; use f32")


def _is_short(number: float) -> bool:
    return not math.isfinite(number) or (math.frexp(number)[0] * 4096).is_integer()


def to_onnx(graph: torch.fx.Graph) -> onnx_ir.Model:
    """The graph as an ONNX model without functions, simplified."""
    body = onnx_ir.Graph([], [], nodes=[], opset_imports={"": OPSET}, name="fragment")
    model = onnx_ir.Model(body, ir_version=10)
    double = any(_is_double(node) for node in graph.nodes if node.op == "call_function")
    with _double_constants() if double else contextlib.nullcontext():
        _core._translate_fx_graph(
            graph,
            model,
            graph_like=body,
            owned_graphs={},
            lower="at_conversion",
            registry=tables().registry,
        )
    for function in model.functions.values():
        function.opset_imports.setdefault("", OPSET)
    ir_passes.InlinePass()(model)
    if double:
        _check_precision(model)
    with _exact_rewrites():
        onnxscript.optimizer.optimize_ir(model)
    return model


def reason(error: BaseException) -> str:
    """The innermost cause of an exporter's error, on one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@functools.cache
def _promotion_table() -> TypePromotionTable:
    return TypePromotionTable()


def promote(graph: torch.fx.GraphModule) -> None:
    """Makes implicit type promotion explicit; does nothing where every operation has one dtype throughout."""
    for node in graph.graph.nodes:
        if node.op != "call_function":
            continue
        values = [node.meta.get("val"), *(argument.meta.get("val") for argument in node.all_input_nodes)]
        dtypes = {value.dtype for value in values if isinstance(value, torch.Tensor)}
        numbers = [argument for argument in node.args if type(argument) is float]
        if len(dtypes) > 1 or (numbers and not all(d.is_floating_point for d in dtypes)):
            InsertTypePromotion(graph, _promotion_table()).run()
            return
