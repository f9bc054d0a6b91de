# SPDX-License-Identifier: Apache-2.0
"""Numbers as operands: which ones enter a fragment as inputs, with Python's and torch's meaning kept.

A number is a weak operand: it takes part in type promotion by its kind only. The result dtype is asked of
torch with a real number of that kind; the operand is then cast to it, as eager's kernels do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from dycl._core import SizeExpr, max_of_sizes, min_of_sizes
from dycl.frontend.cache import name_function
from dycl.frontend.capture import activations, arithmetic, made_of_numbers
from dycl.frontend.capture.arithmetic import DIVIDES, HALF, WIDE_FLOATS
from dycl.frontend.capture.in_place import add_twins, writing_forms
from dycl.frontend.capture.views import GETS as _GET
from dycl.frontend.capture.views import SETS as _SET
from dycl.frontend.operators.guards import checked_index, guard
from dycl.frontend.operators.weak import (
    Weak,
    as_bound,
    common_dtype,
    fitted,
    fitted_wide,
    resolved,
    stored,
)
from dycl.frontend.sizes.sizes import Size, range_of
from dycl.frontend.sizes.structure import Lifted, Sized, mapped
from dycl.frontend.sizes.values import LeafRefused, ScalarSlot, TensorSlot, spec_of


@dataclass(slots=True)
class Plan:
    """`trace(*args, **kwargs)` does in the fragment what the call does in eager."""

    trace: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    typed: tuple[Any, ...] | None = None  # arguments of the run on fake tensors, where they differ
    typed_kwargs: dict[str, Any] | None = None


def _promoted(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, alpha: Any = None, **kwargs: Any) -> Any:
        operands = [a for a in (*args, *kwargs.values()) if isinstance(a, (torch.Tensor, Weak, int, float))]
        dtype = common_dtype(operands)
        if isinstance(alpha, Weak):
            args = arithmetic.scaled(function, args, alpha, dtype)
        elif alpha is not None:
            kwargs["alpha"] = alpha
        if any(isinstance(a, Weak) and a.kind == "bool" for a in args) and function in _SUBTRACTS:
            raise LeafRefused("a subtraction with a bool computed from tensors", "convert it with int()")
        if function.__name__ in DIVIDES and kwargs.get("rounding_mode") is None and dtype not in WIDE_FLOATS:
            return arithmetic.divided(function, args, dtype)
        if dtype in HALF and arithmetic.is_computed_wide(function, args):
            return arithmetic.computed_wide(function, args, kwargs, dtype)
        left = args[0] if args else None
        if isinstance(left, Weak) and function in _REFLECTED:
            return _REFLECTED[function](args[1], left.tensor.to(dtype))
        values = [resolved(a, dtype) for a in args]
        return function(*values, **{k: resolved(v, dtype) for k, v in kwargs.items()})

    return call


def _of_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    """xlogy: of integers, eager makes floats."""

    def call(*args: Any) -> Any:
        dtype = common_dtype(list(args))
        dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
        return function(*(resolved(a, dtype) if isinstance(a, Weak) else a.to(dtype) for a in args))

    return call


def _powered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Eager takes roots where a number says so, which differ from powers at -inf and -0.0."""
    in_place = function.__name__ in ("pow_", "__ipow__", "ipow")
    plain = _promoted(function)

    def call(x: Any, exponent: Any, **kwargs: Any) -> Any:
        dtype = common_dtype([x, exponent])
        weak = isinstance(x, torch.Tensor) and isinstance(exponent, Weak)
        if not weak or not dtype.is_floating_point or function.__name__ == "__rpow__":
            return plain(x, exponent, **kwargs)
        takes_any = dtype in WIDE_FLOATS
        base, power = x.to(dtype), resolved(exponent, dtype) if takes_any else fitted(exponent, dtype)
        root = torch.sqrt(base)
        result = torch.where(power == -0.5, 1 / root, torch.pow(base, power))
        result = torch.where(power == 0.5, root, result)
        return x.copy_(result) if in_place else result

    return call


def _clamped(function: Callable[..., Any]) -> Callable[..., Any]:
    names = ("max",) if function.__name__ == "clamp_max" else ("min", "max")

    def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        bounds = {name: bound for name, bound in given.items() if bound is not None}
        dtype = common_dtype([x, *bounds.values()])
        return function(x, **{name: as_bound(bound, dtype, name == "min") for name, bound in bounds.items()})

    return call


def _chosen(function: Callable[..., Any]) -> Callable[..., Any]:
    """where(condition, a, b): the condition takes no part in promotion."""

    def call(condition: Any, *args: Any, **kwargs: Any) -> Any:
        dtype = common_dtype([*args, *kwargs.values()])
        values = {k: fitted_wide(v, dtype) for k, v in kwargs.items()}
        return function(condition, *(fitted_wide(a, dtype) for a in args), **values)

    return call


def _like_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """masked_fill: the number becomes the first tensor's dtype."""

    def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        values = {k: fitted(v, x.dtype) for k, v in kwargs.items()}
        return function(x, *(fitted(a, x.dtype) for a in args), **values)

    return call


def _scaled_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """addcmul, addcdiv: x + value * a · b, which eager computes in f32 where the tensors have 16 bits."""

    def call(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, value: Any) -> Any:
        if x.dtype in HALF:
            wide = function(x.float(), a.float() * fitted(value, torch.float32), b.float())
            return wide.to(x.dtype)
        return function(x, a * fitted_wide(value, a.dtype), b)

    return call


def _lerped(function: Callable[..., Any]) -> Callable[..., Any]:
    """lerp: the weight is a number of f32 where the tensors have 16 bits."""

    def call(x: torch.Tensor, end: torch.Tensor, weight: Any) -> Any:
        dtype = torch.float32 if x.dtype in HALF else x.dtype
        return function(x.to(dtype), end.to(dtype), fitted(weight, dtype)).to(x.dtype)

    return call


def _filled(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: torch.Tensor, value: Any) -> Any:
        return function(x, stored(value, x.dtype, x.numel()))

    return call


def _scatter(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: torch.Tensor, dim: int, index: torch.Tensor, value: Any) -> Any:
        return function(x, dim, index, fitted(value, x.dtype).expand(index.shape))

    return call


def _pad(x: torch.Tensor, pad: Any, mode: str = "constant", value: Any = None) -> torch.Tensor:
    if x.dtype == torch.uint8 and isinstance(value, Weak):
        raise LeafRefused("a number computed from tensors is padded with, in uint8", "pad in another dtype")
    added = torch.nn.functional.pad(torch.zeros_like(x, dtype=torch.bool), pad, mode, True)
    return torch.where(added, fitted(value, x.dtype), torch.nn.functional.pad(x, pad, mode))


def _select(x: torch.Tensor, dim: int, index: Any) -> torch.Tensor:
    return x.index_select(dim, _position(index, x.shape[dim], dim).reshape(1)).squeeze(dim)


def _narrow(x: torch.Tensor, dim: int, start: Any, length: int) -> torch.Tensor:
    size, at = x.shape[dim], start.tensor
    first = torch.where(at < 0, at + size, at)
    guard((at < -size) | (at > size), "IndexError", f"start out of range for dimension {dim}")
    kept = checked_index(
        first, size - length + 1, "start and length exceed the dimension's size", kind="RuntimeError"
    )
    result: torch.Tensor = torch.ops.dycl.narrow(x, dim % x.dim(), kept, length)
    return result


_ARITHMETIC = (
    "add sub mul div true_divide eq ne lt le gt ge less greater less_equal greater_equal not_equal subtract "
    "multiply divide"
)
_BINARY = "floor_divide remainder fmod bitwise_and bitwise_or bitwise_xor rsub"
_OPERATORS = {
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __div__ __rdiv__": True,
    "__iadd__ __isub__ __imul__ __itruediv__ __idiv__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__": True,
    "__floordiv__ __rfloordiv__ __ifloordiv__ __mod__ __rmod__ __imod__": False,
    "__and__ __rand__ __iand__ __or__ __ror__ __ior__ __xor__ __rxor__ __ixor__": False,
}
_MODULE_OPERATORS = {
    "add sub mul truediv iadd isub imul itruediv eq ne lt le gt ge": True,
    "floordiv mod ifloordiv imod and_ or_ xor iand ior ixor": False,
}
_REFLECTED: dict[Any, Callable[..., Any]] = {
    operator.sub: torch.Tensor.__rsub__,
    operator.truediv: torch.Tensor.__rtruediv__,
    operator.floordiv: torch.Tensor.__rfloordiv__,
    operator.mod: torch.Tensor.__rmod__,
    operator.pow: torch.Tensor.__rpow__,
}


_SUBTRACTS = {operator.sub, operator.isub, torch.sub, torch.rsub, torch.Tensor.__sub__, torch.Tensor.__rsub__}


def _table() -> dict[Any, tuple[Callable[..., Any], bool]]:
    """function -> (its traced form, whether constants are lifted as well as numbers known at run time)."""
    table: dict[Any, tuple[Callable[..., Any], bool]] = {}
    names_put: list[tuple[Any, str]] = []

    def put(owner: Any, names: str, form: Callable[..., Callable[..., Any]], lifts: bool) -> None:
        for name in names.split():
            function = getattr(owner, name, None)
            if function is not None:
                table[function] = (form(function), lifts)
                names_put.append((owner, name))
                name_function(table[function][0], f"{owner.__name__}.{name} with numbers")

    for owner in (torch, torch.Tensor):
        put(owner, _BINARY, _promoted, False)
        put(owner, _ARITHMETIC, _promoted, True)
        put(owner, "clamp clip clamp_min clamp_max", _clamped, True)
        put(owner, "masked_fill", _like_first, True)
    put(torch.Tensor, " ".join(f"{name}_" for name in _ARITHMETIC.split()), _promoted, True)
    put(torch.Tensor, "floor_divide_ remainder_ fmod_", _promoted, False)
    for owner in (torch, torch.Tensor, torch.special):
        put(owner, "xlogy", _of_floats, False)
    put(torch, "pow", _powered, False)
    put(torch.Tensor, "pow pow_ __pow__ __rpow__ __ipow__", _powered, False)
    put(operator, "pow ipow", _powered, False)
    put(torch.Tensor, "fill_", _filled, True)
    put(torch, "fill", _filled, True)
    put(torch, "where", _chosen, True)
    for names, lifts in _OPERATORS.items():
        put(torch.Tensor, names, _promoted, lifts)
    for names, lifts in _MODULE_OPERATORS.items():
        put(operator, names, _promoted, lifts)
    put(torch, "tensor as_tensor", lambda _: made_of_numbers.tensor_of, False)
    put(torch, "scalar_tensor", lambda _: made_of_numbers.scalar_tensor, False)
    put(torch, "full", lambda _: made_of_numbers.full, False)
    functional = torch.nn.functional
    for owner in (torch, torch.Tensor):
        put(owner, "lerp", _lerped, False)
        put(owner, "index_fill", _like_first, False)
        put(owner, "addcmul addcdiv", _scaled_first, False)
        put(owner, "scatter scatter_", _scatter, False)
        put(owner, "select", lambda _: _select, False)
        put(owner, "narrow", lambda _: _narrow, False)
    put(torch, "full_like", lambda _: made_of_numbers.full_like, False)
    put(torch.Tensor, "new_full", lambda _: made_of_numbers.new_full, False)
    put(functional, "pad", lambda _: _pad, False)
    for name, form in activations.FORMS.items():
        put(functional, name, form, False)
    put(functional, "hardtanh", lambda _: activations.hardtanh, False)
    put(functional, "hardtanh_", lambda _: activations.hardtanh_, False)
    add_twins(table, names_put)
    return table


_TABLE = _table()
_WRITING = writing_forms(_TABLE)


def plan(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
    """How the call is traced, with the numbers that may be lifted taken out of its arguments."""
    if function in _GET or function in _SET:
        planned = _plan_index(function, args)
        if function in _SET and isinstance(args[2], ScalarSlot):
            planned = planned or Plan(function, args, {}, args, {})
            return planned if planned.trace is _set_at else replace(planned, trace=_set_number)
        if planned is not None:
            return planned
    if function is torch.arange and "dtype" not in kwargs and any(type(a) is float for a in args):
        kwargs = {**kwargs, "dtype": torch.get_default_dtype()}  # else the exporter takes ints, beside a size
    if function is torch.arange and made_of_numbers.is_counted_apart(args, kwargs):
        return replace(_with_sizes(function, args, kwargs), trace=made_of_numbers.arange)
    if function is torch.as_tensor and args and isinstance(args[0], TensorSlot):
        return _with_sizes(_as_tensor_of_tensor, args, kwargs)
    args, kwargs, typed = _sized_makers(function, args, kwargs)
    entry = _TABLE.get(function)
    if entry is not None:
        args, kwargs = _positional(function, args, kwargs)
    if function in _NARROWS and isinstance(_argument(args, kwargs, 3, "length"), ScalarSlot):
        entry = None  # a length that the run knows is a size, and so is then the start
    if entry is None or any(type(v) is TensorSlot for k, v in kwargs.items() if k != "out"):
        return _with_sizes(function, args, kwargs)
    form, lifts = entry
    if isinstance(kwargs.get("out"), TensorSlot):
        form = _WRITING[form]
    if lifts:
        lifted = tuple(_lift(a, args) for a in args)
        named = {k: _lift(v, args) if k != "alpha" else v for k, v in kwargs.items()}
    else:
        lifted, named = args, kwargs
    if function in _MAKERS or any(_has_number(a) for a in (*lifted, *named.values())):
        return Plan(form, lifted, named, args if typed else None, kwargs if typed else None)
    return _with_sizes(function, args, kwargs)


_CHUNKS = {torch.chunk, torch.Tensor.chunk}


_OPERANDS = {
    "masked_fill": ("input", "mask", "value"),
    "index_fill": ("input", "dim", "index", "value"),
    "scatter": ("input", "dim", "index", "value"),
    "lerp": ("input", "end", "weight"),
    "addcmul": ("input", "tensor1", "tensor2"),
    "addcdiv": ("input", "tensor1", "tensor2"),
    "where": ("condition", "input", "other"),
    "pow": ("input", "exponent"),
}


def _positional(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The call with its operands by position, where it gives them by their names."""
    names = _OPERANDS.get(function.__name__.strip("_"), ("input", "other"))
    for name in names[len(args) :]:
        if name not in kwargs:
            break
        args, kwargs = (*args, kwargs[name]), {k: v for k, v in kwargs.items() if k != name}
    return args, kwargs


def written_out(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function, or one that does the same and asks torch nothing about sizes that only the run knows."""
    return _even_chunks if function in _CHUNKS and _is_even(args, kwargs) else function


def _is_even(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """The chunks of a size known at run time only are as many as asked for, and of one size."""
    chunks, dim = _argument(args, kwargs, 1, "chunks"), _argument(args, kwargs, 2, "dim") or 0
    if not args or not isinstance(args[0], TensorSlot) or type(chunks) is not int or type(dim) is not int:
        return False
    shape = args[0].spec.shape
    if not -len(shape) <= dim < len(shape) or chunks < 1 or isinstance(shape[dim], int):
        return False
    return bool(shape[dim] % chunks == 0)


def _even_chunks(x: torch.Tensor, chunks: int, dim: int = 0) -> tuple[torch.Tensor, ...]:
    parts: torch.Tensor = torch.unflatten(x, dim, (chunks, x.shape[dim] // chunks))
    return torch.unbind(parts, dim if dim >= 0 else dim - 1)


def _as_tensor_of_tensor(data: torch.Tensor, dtype: Any = None, device: Any = None) -> torch.Tensor:
    """Itself where nothing is to be changed."""
    dtype = data.dtype if dtype is None else dtype
    return data.to(dtype=dtype, device=data.device if device is None else device)


_MAKERS = {torch.tensor, torch.as_tensor}
_NARROWS = {torch.narrow, torch.Tensor.narrow}


def _argument(args: tuple[Any, ...], kwargs: dict[str, Any], place: int, name: str) -> Any:
    return args[place] if place < len(args) else kwargs.get(name)


_SIZED = {torch.full: 0, torch.Tensor.new_full: 1}  # which argument is the sizes, beside a number


def _sized_makers(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
    if function not in _SIZED:
        return args, kwargs, False
    place = _SIZED[function]
    args = tuple(_all_sized(a, {}) if i == place else a for i, a in enumerate(args))
    kwargs = {k: _all_sized(v, {}) if k == "size" else v for k, v in kwargs.items()}
    return args, kwargs, True


def _all_sized(value: Any, made: dict[int, Sized]) -> Any:
    def sized(item: Any) -> Any:
        if isinstance(item, ScalarSlot) and item.size is not None:
            return made.setdefault(id(item), Sized(item))
        return item

    return mapped(value, sized)


def _with_sizes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
    """Ints known at run time stand for sizes wherever they do not enter the arithmetic of elements."""
    made: dict[int, Sized] = {}
    args, kwargs = _all_sized(args, made), _all_sized(kwargs, made)
    return Plan(function, args, kwargs, args, kwargs)


def _has_number(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_number(item) for item in value)
    return type(value) in (Lifted, ScalarSlot)


_F32_MAX = torch.finfo(torch.float32).max


def _lift(value: Any, args: tuple[Any, ...]) -> Any:
    if type(value) is float:
        tensors = _dtypes(args)
        holds = tensors and all(d in WIDE_FLOATS for d in tensors) and not _F32_MAX < abs(value) < math.inf
        return Lifted(value) if holds else value
    if type(value) is int:
        dtypes = _dtypes(args)
        fits = dtypes and all(d in WIDE_FLOATS or d == torch.int64 for d in dtypes)
        return Lifted(value) if fits and -(2**63) <= value < 2**63 else value
    return value


def _dtypes(args: tuple[Any, ...]) -> list[torch.dtype]:
    slots = [a.spec.dtype for a in args if isinstance(a, TensorSlot)] + [
        a.dtype for a in args if isinstance(a, torch.Tensor)
    ]
    return [dtype for dtype in slots if dtype != torch.bool]


def _plan_index(function: Any, args: tuple[Any, ...]) -> Plan | None:
    """Basic indexing with its numbers as operands; None where torch's own indexing is traced as it stands."""
    x, index = args[0], args[1]
    items = [_unlisted(i) for i in index] if isinstance(index, tuple) else [_unlisted(index)]
    shape = x.spec.shape if isinstance(x, TensorSlot) else spec_of(x).shape
    dynamic = any(isinstance(i, (ScalarSlot, TensorSlot)) and _is_basic(i) for i in items)
    if not all(_is_basic(i) for i in items):
        if dynamic:
            raise LeafRefused(
                "an index that mixes a number computed from tensors with tensors or lists",
                "index in two steps: x[:, i][mask]",
            )
        return Plan(function, (x, tuple(items), *args[2:]), {}, (x, tuple(items), *args[2:]))
    used = sum(i is not None and i is not Ellipsis for i in items)
    if items.count(Ellipsis) > 1 or used > len(shape):
        return None
    rest: list[Any] = [slice(None)] * (len(shape) - used)
    at = items.index(Ellipsis) if Ellipsis in items else len(items)
    items[at : at + 1] = rest
    sizes = iter(shape)
    items = [item if item is None else _sized_slice(item, next(sizes)) for item in items]
    own = Plan(function, (x, tuple(items), *args[2:]), {}, (x, tuple(items), *args[2:]), {})
    as_it_stands = own if any(map(_is_open, (*items, *shape))) else None
    steps = _steps(items, shape)
    if steps is None or not any(isinstance(s, (ScalarSlot, Lifted, TensorSlot, tuple)) for s in steps):
        return as_it_stands
    typed = (x, tuple(0 if isinstance(i, TensorSlot) else i for i in items), *args[2:])
    if function in _GET:
        return Plan(_get_at, (x, tuple(steps)), {}, typed)
    points = [s for s in steps if isinstance(s, (ScalarSlot, Lifted, TensorSlot))]
    if len(points) == 1 and all(s in points or s == slice(None) for s in steps):
        return Plan(_set_at, (x, tuple(steps), args[2]), {}, typed)
    if dynamic and any(isinstance(i, (ScalarSlot, TensorSlot)) for i in items):
        raise LeafRefused(
            "a store at a computed index together with other indices", "store through one index: x[:, i] = …"
        )
    return as_it_stands


def _sized_slice(item: Any, size: Size) -> Any:
    """Bounds known at run time as sizes, unless they are a number for every size: x[:, -x.shape[1]:]."""
    if not isinstance(item, slice):
        return item
    return slice(_bound(item.start, size), _bound(item.stop, size, whole=True), item.step)


def _bound(bound: Any, size: Size, whole: bool = False) -> Any:
    """`whole`: nothing is cut off by a bound that is equal to the size."""
    if not isinstance(bound, ScalarSlot):
        return bound
    assert bound.size is not None
    smallest, largest = range_of(bound.size)
    if smallest < 0 <= largest:
        return Sized(bound)
    if whole and bound.size == size:
        return None
    place = max_of_sizes([0, size + bound.size]) if largest < 0 else min_of_sizes([size, bound.size])
    return place if isinstance(place, int) else Sized(bound)


def _is_open(item: Any) -> bool:
    """A size, or a slice with a bound, that is known at run time only."""
    if isinstance(item, slice):
        return isinstance(item.start, Sized) or isinstance(item.stop, Sized)
    return isinstance(item, SizeExpr)


def _unlisted(item: Any) -> Any:
    """A list of numbers as the index tensor that torch makes of it; one of bools is known, so its size is."""
    if not isinstance(item, (list, range)) or not all(type(i) in (int, bool) for i in item):
        return item
    if item and all(type(i) is bool for i in item):
        return torch.tensor([i for i, chosen in enumerate(item) if chosen])
    return torch.tensor(list(item), dtype=torch.int64)


def _is_basic(item: Any) -> bool:
    if isinstance(item, slice):
        parts = (item.start, item.stop, item.step)
        if isinstance(item.step, ScalarSlot):
            raise LeafRefused("a slice whose step is computed from tensors", "use a step that is known")
        return all(p is None or type(p) is int or isinstance(p, ScalarSlot) for p in parts)
    if isinstance(item, ScalarSlot):
        return item.kind == "int"
    if isinstance(item, TensorSlot):  # eager reads a 0-d index and selects
        return item.spec.shape == () and item.spec.dtype in (torch.int64, torch.int32)
    return item is None or item is Ellipsis or type(item) is int


def _steps(items: list[Any], shape: tuple[int, ...]) -> list[Any] | None:
    steps: list[Any] = []
    sizes = iter(shape)
    for item in items:
        if item is None:
            steps.append(None)
            continue
        size = next(sizes)
        if isinstance(item, slice):
            if (item.step or 1) <= 0:
                return None
            if _is_open(item) or _is_open(size):
                steps.append(item)
                continue
            start, stop, step = item.indices(size)
            whole = start == 0 or step != 1 or stop <= start
            steps.append(item if whole else ("narrow", Lifted(start), stop - start))
        elif isinstance(item, (ScalarSlot, TensorSlot)) or _is_open(size):
            steps.append(item)
        else:
            if not -size <= item < size:
                return None
            position = item + size if item < 0 else item
            steps.append(Lifted(position))
    return steps


def _position(step: Weak | torch.Tensor, size: int, dim: int) -> torch.Tensor:
    if isinstance(step, Weak) and step.known:
        return step.tensor
    tensor = step.tensor if isinstance(step, Weak) else step
    shown = f" with size {size}" if isinstance(size, int) else ""
    message = f"index is out of bounds for dimension {dim}{shown}"
    return checked_index(tensor, size, message, wraps=True)


def _get_at(x: torch.Tensor, steps: tuple[Any, ...]) -> torch.Tensor:
    dim = 0
    for step in steps:
        if isinstance(step, (Weak, torch.Tensor)):
            x = x.index_select(dim, _position(step, x.shape[dim], dim).reshape(1)).squeeze(dim)
            continue
        if type(step) is int:
            x = x.select(dim, step)
            continue
        if step is None:
            x = x.unsqueeze(dim)
        elif isinstance(step, tuple):
            x = torch.ops.dycl.narrow(x, dim, step[1].tensor, step[2])
        elif step != slice(None):
            x = torch.ops.aten.slice.Tensor(x, dim, step.start, step.stop, step.step or 1)
        dim += 1
    return x


def _set_number(x: torch.Tensor, index: Any, value: Any) -> None:
    """A number of the run at known places: eager raises where the dtype does not hold it."""
    items = index if isinstance(index, tuple) else (index,)
    is_basic = not any(isinstance(item, (torch.Tensor, list)) for item in items)
    x[index] = stored(value, x.dtype, x[index].numel() if is_basic else 0)


def _set_at(x: torch.Tensor, steps: tuple[Any, ...], value: Any) -> None:
    dim = next(d for d, step in enumerate(steps) if isinstance(step, (Weak, torch.Tensor)))
    size = x.shape[dim]
    position = _position(steps[dim], size, dim)
    shape = [size if d == dim else 1 for d in range(x.dim())]
    here = torch.arange(size).reshape(shape) == position
    row = x.select(dim, 0)
    new = stored(value, x.dtype, row.numel())
    new = new if isinstance(new, torch.Tensor) else torch.full((), new, dtype=x.dtype)
    while new.dim() > row.dim() and new.shape[0] == 1:
        new = new.squeeze(0)
    x.copy_(torch.where(here, new.to(x.dtype).expand_as(row).unsqueeze(dim), x))
