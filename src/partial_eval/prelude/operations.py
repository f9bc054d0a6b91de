# SPDX-License-Identifier: Apache-2.0
"""Operators, calls of modules and torch's control-flow functions as the machine runs them."""

from __future__ import annotations

from typing import Any

import numpy
import torch

from . import methods
from .methods import method_of
from .refused import Refused


def iterate(iterator: Any) -> Any:
    """An iterator of the user's, as a generator."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def not_equal(left: Any, right: Any) -> Any:
    """`!=` of a class that defines only `==`."""
    return not (left == right)  # noqa: SIM201 - this is what != means here


_NUMBERS = (int, float, complex)


# Attributes of classes of the prelude; no program can write these names.
OF_NUMPY = "<numpy>"  # of arrays.py
OF_CLOCK = "<clock>"


def special_binary(left: Any, right: Any, special: Any, reflected: Any, symbol: Any) -> Any:
    """`left symbol right` where a class of the user's defines it."""
    first = method_of(left, special)
    second = method_of(right, reflected)
    plain = isinstance(left, (numpy.ndarray, numpy.generic)) or type(left) in (bool, int, float)
    if plain and (method_of(right, OF_NUMPY) is not None or method_of(right, OF_CLOCK) is not None):
        return second(right, left)  # what is in `first` is C, which does not know the class of `right`
    derived = type(right) is not type(left) and issubclass(type(right), type(left))
    if derived and symbol not in ("==", "!=", "<", "<=", ">", ">="):  # only where it has a method of its own
        derived = second is not method_of(left, reflected)
    if derived and second is not None:
        result = second(right, left)
        if result is not NotImplemented:
            return result
    of_number = isinstance(left, _NUMBERS) and not isinstance(right, _NUMBERS)  # knows no other class
    if first is not None and not (of_number and type(left).__module__ == "builtins"):
        result = first(left, right)
        if result is not NotImplemented:
            return result
    if second is not None and not derived:
        result = second(right, left)
        if result is not NotImplemented:
            return result
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    names = f"'{type(left).__name__}' and '{type(right).__name__}'"
    if symbol in ("<", "<=", ">", ">="):
        raise TypeError(f"'{symbol}' not supported between instances of {names}")
    raise TypeError(f"unsupported operand type(s) for {symbol}: {names}")


def special_inplace(left: Any, right: Any, inplace: Any, special: Any, reflected: Any, symbol: Any) -> Any:
    """`left symbol= right` where the class of left defines it."""
    result = getattr(type(left), inplace)(left, right)
    if result is not NotImplemented:
        return result
    return special_binary(left, right, special, reflected, symbol + "=")


def merge_dicts(left: Any, right: Any) -> Any:
    return methods.dict_or(left, right)


def compare_containers(left: Any, right: Any, symbol: Any) -> Any:
    for kind in (list, tuple):
        if isinstance(left, kind) and isinstance(right, kind):
            return methods.SEQUENCE_COMPARE[symbol](left, right)
    if symbol in ("==", "!=") and isinstance(left, dict) and isinstance(right, dict):
        return methods.dict_eq(left, right) == (symbol == "==")
    if symbol in ("==", "!="):
        return symbol == "!="
    names = f"'{type(left).__name__}' and '{type(right).__name__}'"
    raise TypeError(f"'{symbol}' not supported between instances of {names}")


def contains(container: Any, element: Any) -> Any:
    if isinstance(container, range) and isinstance(element, int):
        inside = container.start <= element < container.stop
        if container.step < 0:
            inside = container.stop < element <= container.start
        return inside and (element - container.start) % container.step == 0
    return methods.contains(container, element)


def tensor_contains(container: Any, element: Any) -> Any:
    return (container == element).any().item()


def call_with_hooks(module: Any, hooks: Any, args: Any, kwargs: Any) -> Any:
    """torch.nn.Module.__call__ for a module with forward hooks: `hooks` is (before, after), each a tuple of
    (hook, with_kwargs)."""
    before, after = hooks
    for hook, with_kwargs in before:
        if with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is not None:
                args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in after:
        changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        if changed is not None:
            result = changed
    return result


class GeneratorContext:
    """What contextlib.contextmanager makes of a generator function."""

    def __init__(self, func: Any, args: Any, kwds: Any) -> None:
        self.gen = func(*args, **kwds)

    def __enter__(self) -> Any:
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> Any:
        if value is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as stopped:
            return stopped is not value
        except BaseException as raised:
            if raised is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    if pred:
        return true_fn(*operands)
    return false_fn(*operands)


def while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Any:
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        carried = tuple(body_fn(*carried))
    return carried


def map_rows(f: Any, xs: Any, *args: Any) -> Any:
    """torch's `map` over the first axis of all tensors in `xs`."""
    rows = _rows(xs)
    if not rows:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    return _stacked([f(row, *args) for row in rows])


def _rows(xs: Any) -> Any:
    if isinstance(xs, torch.Tensor):
        return list(xs)
    if isinstance(xs, dict):
        return [dict(zip(xs, row)) for row in zip(*[_rows(x) for x in xs.values()])]
    return [type(xs)(row) for row in zip(*[_rows(x) for x in xs])]


def _stacked(rows: Any) -> Any:
    first = rows[0]
    if isinstance(first, dict):
        return {key: _stacked([row[key] for row in rows]) for key in first}
    if isinstance(first, (list, tuple)):
        return type(first)([_stacked([row[index] for row in rows]) for index in range(len(first))])
    return torch.stack(rows)


def all_close(input: Any, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    return bool(torch.isclose(input, other, rtol, atol, equal_nan).all())


def equal(input: Any, other: Any) -> Any:
    return input.shape == other.shape and bool((input == other).all())


def is_all_true(input: Any) -> Any:
    return input.all()


def is_any_true(input: Any) -> Any:
    return input.any()


def annotate(the_type: Any, the_value: Any) -> Any:
    """torch.jit.annotate: a hint for TorchScript."""
    return the_value


NAMES = """not_equal iterate special_binary special_inplace merge_dicts compare_containers contains
tensor_contains call_with_hooks GeneratorContext"""


def assert_(condition: Any, message: Any) -> None:
    assert condition, message


_NO_MESSAGE = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def check_with(error_type: Any, cond: Any, message: Any) -> None:
    if isinstance(cond, torch.Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
            "assert that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if message is None:
        raise error_type(_NO_MESSAGE)
    raise error_type(str(message() if callable(message) else message))


def _check_for(error_type: Any) -> Any:
    def check(cond: Any, message: Any = None) -> None:
        check_with(error_type, cond, message)

    return check


def size_of_items(items: Any = ()) -> Any:
    return torch.Size(()) + tuple(items)


def broadcast_shapes(*shapes: Any) -> Any:
    """Sizes of the input decide like others; torch's own code asks them only what it can know."""
    given = [(shape,) if isinstance(shape, int) else shape for shape in shapes if shape is not None]
    for shape in given:
        if not isinstance(shape, (tuple, list)):
            raise Refused("broadcast_shapes() of something else than sizes", "give it tuples of sizes")
    common = [1] * max([len(shape) for shape in given], default=0)
    for number, shape in enumerate(given):
        for place in range(-1, -1 - len(shape), -1):
            _widen(common, place, shape, number)
    return torch.Size(common)


def _widen(common: Any, place: Any, shape: Any, number: Any) -> None:
    size = shape[place]
    if size == common[place]:
        return
    if common[place] == 1:
        if size < 0:
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        common[place] = size
    elif size != 1:
        raise RuntimeError(
            f"Attempting to broadcast a dimension of length {size} at {place}! "
            f"Mismatching argument at index {number} had {shape}; but expected shape "
            f"should be broadcastable to [{', '.join([str(size) for size in common])}]"
        )


def numel(self: Any) -> Any:
    product = 1
    for size in self:
        product = product * size
    return product


def resize_as(self: Any, the_template: Any, memory_format: Any = None) -> Any:
    if self.shape != the_template.shape or memory_format is not None:
        raise Refused("resize_as_() gives a tensor another size", "make a new tensor")
    return self


def fill_diagonal(self: Any, fill_value: Any, wrap: Any = False) -> Any:
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.dim() > 2 or wrap:
        raise Refused(
            "fill_diagonal_() of a tensor with more than two dimensions, or with wrap", "write to its parts"
        )
    self.diagonal().fill_(fill_value)
    return self


TORCH_MODELS: dict[object, Any] = {
    torch.broadcast_shapes: broadcast_shapes,
    torch._assert: assert_,
    torch._check: _check_for(RuntimeError),
    torch._check_index: _check_for(IndexError),
    torch._check_not_implemented: _check_for(NotImplementedError),
    torch._check_type: _check_for(TypeError),
    torch._check_value: _check_for(ValueError),
    torch._check_with: check_with,
    torch.jit.annotate: annotate,
    torch.cond: cond,
    torch.ops.higher_order.cond: cond,
    torch.while_loop: while_loop,
    torch._higher_order_ops.map: map_rows,
    torch.allclose: all_close,
    torch.Tensor.allclose: all_close,
    torch.equal: equal,
    torch.Tensor.equal: equal,
    torch._is_all_true: is_all_true,
    torch._is_any_true: is_any_true,
    torch.Size: size_of_items,
    torch.Tensor.fill_diagonal_: fill_diagonal,
    torch.Tensor.resize_as_: resize_as,
}
TORCH_METHODS: dict[Any, Any] = {(torch.Size, "numel"): numel}
