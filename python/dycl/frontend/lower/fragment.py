# SPDX-License-Identifier: Apache-2.0
"""One traced leaf call to one fragment: rules applied, types made explicit, both payloads written."""

from __future__ import annotations

import hashlib
import math
import operator
import struct
from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.lower import torch_adapter
from dycl.frontend.lower.aten_payload import aten_text
from dycl.frontend.lower.onnx_payload import NotLowerableError, function_proto
from dycl.frontend.lower.pooling import pad_instead_of_ceil
from dycl.frontend.lower.torch_adapter import overload_name
from dycl.frontend.operators import EMPTY, OVERWRITES, REFUSED, RULES
from dycl.frontend.operators.guards import Guard, checked_number, collected_guards
from dycl.frontend.sizes.torch_sizes import size_key
from dycl.frontend.sizes.values import DTYPE_NAMES, Check, Fragment, LeafRefused, Lowered

_NO_EFFECT = frozenset(
    {
        "aten::_assert_async.msg",
        "aten::_assert_scalar",
        "aten::_assert_tensor_metadata",
        "aten::_assert_async",
    }
)


def _is_empty(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and any(
        isinstance(size, int) and size == 0 for size in value.shape
    )


_HALF = frozenset({torch.bfloat16, torch.float16})


def _is_half(node: torch.fx.Node) -> bool:
    """Backends lack many operators on 16 bits. Eager computes them in f32 and rounds, so we may."""
    operands = (operand.meta.get("val") for operand in node.all_input_nodes)
    return any(isinstance(value, torch.Tensor) and value.dtype in _HALF for value in operands)


def _as_f32(value: Any) -> Any:
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in _HALF else value


_FILLS = frozenset({"aten::masked_fill.Tensor", "aten::index_fill.int_Tensor"})  # with what 16 bits hold


# Eager rounds their numbers to the 16 bits of the tensor, unlike those of products and quotients.
_ROUNDS = frozenset(
    {
        *(f"aten::{name}.Tensor" for name in ("add", "sub")),
        *(f"aten::{name}.Scalar" for name in ("add", "sub", "rsub", "remainder", "fmod")),
        *(f"aten::{name}.Scalar" for name in ("eq", "ne", "lt", "le", "gt", "ge")),
        *("aten::remainder.Scalar_Tensor", "aten::xlogy.Scalar_Other", "aten::xlogy.Scalar_Self"),
    }
)


def _rounded(value: Any, dtype: torch.dtype) -> Any:
    """The number of 16 bits that is nearest; torch makes no numbers while it traces."""
    if type(value) not in (int, float) or not math.isfinite(value):
        return value
    info = torch.finfo(dtype)
    if abs(value) > torch.finfo(torch.float32).max:
        return math.copysign(math.inf, value)
    value = struct.unpack("f", struct.pack("f", value))[0]  # eager's way to 16 bits leads over 32
    exponent = max(math.frexp(value)[1], math.frexp(info.tiny)[1])
    unit = math.ldexp(info.eps / 2, exponent)
    nearest = round(value / unit) * unit
    return nearest if abs(nearest) <= info.max else math.copysign(math.inf, value)


def _as_typed(value: Any, wanted: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_as_typed(item, want) for item, want in zip(value, wanted, strict=True))
    return value.to(wanted.dtype) if isinstance(value, torch.Tensor) else value


class _WithRules(torch.fx.Interpreter):
    def run_node(self, node: torch.fx.Node) -> Any:
        if node.op == "call_function" and _is_empty(node):  # backends get such shapes wrong
            return torch.zeros(node.meta["val"].shape, dtype=node.meta["val"].dtype)
        if node.op == "call_function" and _is_half(node) and "val" in node.meta:
            args, kwargs = self.fetch_args_kwargs_from_env(node)
            if overload_name(node.target) in _FILLS:
                args = (*args[:-1], checked_number(args[-1], node.meta["val"].dtype))
            if overload_name(node.target) in _ROUNDS:
                dtype = next(value.dtype for value in args if isinstance(value, torch.Tensor))
                args = tuple(_rounded(value, dtype) for value in args)
            args, kwargs = torch.fx.node.map_aggregate((args, kwargs), _as_f32)
            return _as_typed(self.call_function(node.target, args, kwargs), node.meta["val"])
        return super().run_node(node)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rule = RULES.get(overload_name(target))
        return rule(*args, **kwargs) if rule is not None else target(*args, **kwargs)


def lower(
    mode: Any, name: str, graph: torch.fx.GraphModule, inputs: list[torch.Tensor], guards: list[Guard]
) -> Lowered:
    """`graph` ends in one bool output per guard; the rules may add more."""
    _clean(graph)
    if any(_has_rule(node) for node in graph.graph.nodes):
        # What autocast does is in the graph already.
        with collected_guards() as more, torch.autocast("cpu", enabled=False):
            graph = _with_rules(mode, graph, inputs, more)
        guards = guards + more
        _clean(graph)
    _verify(graph)
    torch_adapter.promote(graph)
    used = _drop_unused_inputs(graph)
    outputs = _outputs(graph)
    try:
        model = torch_adapter.to_onnx(graph.graph)
        pad_instead_of_ceil(model)
        onnx = function_proto(name, model)
        aten = aten_text(graph)
    except NotLowerableError as error:
        raise LeafRefused(f"{name} cannot be lowered: {error}") from error
    except Exception as error:
        raise LeafRefused(f"{name} cannot be lowered: {torch_adapter.reason(error)}") from error
    first = len(outputs) - len(guards)
    checks = [Check(first + i, g.exception, g.message) for i, g in enumerate(guards)]
    placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    input_types, output_types = _type_texts(placeholders, outputs)
    contents = [input_types, output_types, aten, hashlib.sha256(_nameless(onnx)).hexdigest()]
    key = hashlib.sha256(repr(contents).encode()).hexdigest()
    fragment = Fragment(
        name, input_types, output_types, onnx.SerializeToString(deterministic=True), aten, key
    )
    return Lowered(fragment, used, checks)


def _nameless(onnx: Any) -> bytes:
    copy = type(onnx)()
    copy.CopyFrom(onnx)
    copy.name = ""
    content: bytes = copy.SerializeToString(deterministic=True)
    return content


def _of_nothing(node: torch.fx.Node) -> bool:
    return any(_is_empty(operand) for operand in node.all_input_nodes)


def _of_bools(node: torch.fx.Node) -> bool:
    return any(getattr(operand.meta["val"], "dtype", None) == torch.bool for operand in node.all_input_nodes)


def _gives_integers(node: torch.fx.Node) -> bool:
    return not node.meta["val"].dtype.is_floating_point


def _of_many_dtypes(node: torch.fx.Node) -> bool:
    return len({operand.meta["val"].dtype for operand in node.all_input_nodes}) > 1


# Too common to be traced again where they need no rule.
_ONLY_WHERE: dict[str, Callable[[torch.fx.Node], bool]] = {
    "aten::add.Tensor": lambda node: node.meta["val"].dtype == torch.bool,
    **{f"aten::{name}.Scalar": _of_bools for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "aten::stack": _of_many_dtypes,
    "aten::linear": _gives_integers,
    "aten::clamp": lambda node: _gives_integers(node) or len(node.args) < 3 or None in node.args,
    "aten::hardtanh": _gives_integers,
    "aten::sum.dim_IntList": _of_nothing,
    "aten::sum": _of_nothing,
    "aten::_to_copy": lambda node: node.meta["val"].dtype.is_complex,
    "aten::grid_sampler": lambda node: node.meta["val"].dim() == 5,
}


def _has_rule(node: torch.fx.Node) -> bool:
    name = overload_name(node.target)
    if node.op == "call_function" and (_is_empty(node) or _is_half(node)):
        return True
    if name in _ONLY_WHERE:
        return _ONLY_WHERE[name](node)
    return name in RULES


def _with_rules(
    mode: Any, graph: torch.fx.GraphModule, inputs: list[torch.Tensor], guards: list[Guard]
) -> torch.fx.GraphModule:
    try:
        return torch_adapter.trace(mode, lambda values: _apply_rules(graph, values, guards), inputs, False)
    except LeafRefused as error:  # fx appends a traceback to whatever passes through it
        raise LeafRefused(error.reason, error.hint) from None
    except Exception as error:
        raise LeafRefused(f"torch cannot trace it: {torch_adapter.reason(error)}") from error


def _apply_rules(graph: torch.fx.GraphModule, values: list[torch.Tensor], guards: list[Guard]) -> list[Any]:
    results = _WithRules(graph).run(*values)
    return [*results, *(g.raised for g in guards)]


def _outputs(graph: torch.fx.GraphModule) -> list[torch.fx.Node]:
    (output,) = (node for node in graph.graph.nodes if node.op == "output")
    return list(output.args[0])


def _clean(graph: torch.fx.GraphModule) -> None:
    for node in list(graph.graph.nodes):
        if node.op == "call_function" and overload_name(node.target) in _NO_EFFECT:
            graph.graph.erase_node(node)
    graph.graph.eliminate_dead_code()


def _drop_unused_inputs(graph: torch.fx.GraphModule) -> list[int]:
    used = []
    for position, node in enumerate([n for n in graph.graph.nodes if n.op == "placeholder"]):
        if node.users:
            used.append(position)
        else:
            graph.graph.erase_node(node)
    return used


def _verify(graph: torch.fx.GraphModule) -> None:
    for node in graph.graph.nodes:
        if node.op == "get_attr" and not torch_adapter.make_real(graph, node):
            raise LeafRefused("a constant that torch makes inside the call", "make it outside of forward")
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        name = overload_name(node.target)
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and _draws(node):
            other = 'compile with randomness="inputs"' if "dropout" in name else "pass the random tensor in"
            raise LeafRefused(f"{name} uses randomness", f"call model.eval(), or {other}")
        if name in EMPTY and not all(overload_name(user.target) in OVERWRITES for user in node.users):
            raise LeafRefused(f"{name} gives memory that nothing has written", "use torch.zeros")
        if name in REFUSED:
            raise LeafRefused(f"{name}: {REFUSED[name]}")
        values = node.meta.get("val")
        for value in values if isinstance(values, (tuple, list)) else [values]:
            if isinstance(value, torch.Tensor) and value.dtype not in DTYPE_NAMES:
                raise LeafRefused(
                    f"{name} gives a tensor of dtype {value.dtype}", "ONNX has no such element type"
                )


def _draws(node: torch.fx.Node) -> bool:
    """Whether an operation that may draw random numbers does so with these arguments."""
    target: Any = node.target
    names = [argument.name for argument in target._schema.arguments]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    switches = [given.get(name, False) for name in ("train", "training") if name in names]
    chances = [given.get(name, 0.0) for name in ("dropout_p", "dropout", "p") if name in names]
    return not (False in switches or 0.0 in chances)


def _type_texts(inputs: list[torch.fx.Node], outputs: list[torch.fx.Node]) -> tuple[list[str], list[str]]:
    """Sizes known at run time only have names: one per size of an operand, for the instance to bind, and
    one for whatever else a result has."""
    names: dict[Any, str] = {}  # by the size's key

    def given(size: Any) -> str:
        if isinstance(size, int):
            return str(size)
        counts[0] += 1
        name = f"d{counts[0]}"
        names.setdefault(size_key(size), name)
        return name

    def gives(size: Any) -> str:
        if isinstance(size, int):
            return str(size)
        return names.setdefault(size_key(size), f"r{len(names)}")

    counts = [0]
    return [_type_text(node, given) for node in inputs], [_type_text(node, gives) for node in outputs]


def _type_text(node: torch.fx.Node, size_text: Callable[[Any], str]) -> str:
    value = node.meta["val"]
    if isinstance(value, torch.SymInt):
        return "i64[]"
    return f"{DTYPE_NAMES[value.dtype]}[{','.join(map(size_text, value.shape))}]"
