# SPDX-License-Identifier: Apache-2.0
"""`dynamic_shapes`, as torch.export writes it: which sizes of the inputs differ between calls."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch

from dycl._core import LARGEST_SIZE, DeclaredSize, SizeSymbols
from dycl.errors import UsageError
from dycl.frontend.sizes.sizes import Size, range_of, symbols_of
from dycl.frontend.sizes.torch_sizes import dim_hint, dim_limits, dim_root
from dycl.frontend.sizes.values import TensorSpec, contiguous_stride, spec, spec_of


def _wrong(message: str, hint: str = "") -> UsageError:
    return UsageError(
        message,
        code="argument.dynamic_shapes",
        hint=hint or _hint_of("x"),
    )


def _hint_of(argument: str) -> str:
    return f'give one entry per argument, such as {{"{argument}": {{0: torch.export.Dim("batch")}}}}'


class Declared:
    """The sizes by the path of their tensor, as the rewriting machine names paths ("batch.images.0")."""

    def __init__(
        self,
        model: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        dynamic_shapes: Any,
    ) -> None:
        self.size_symbols = SizeSymbols()  # those of this compilation are made here first
        self._sizes: dict[str, dict[int, Size]] = {}
        self._symbols: dict[str, Size] = {}  # by the name of a Dim
        self._names: dict[Size, str] = {}
        self._examples: dict[str, tuple[int, str]] = {}
        if dynamic_shapes is None:
            return
        callable_ = model.forward if isinstance(model, torch.nn.Module) else model
        try:
            given = inspect.signature(callable_).bind(*args, **kwargs).arguments
        except ValueError:  # a builtin function
            raise _wrong(
                f"the arguments of {callable_.__name__} have no names", "call it from a function of your own"
            ) from None
        for name, (value, entry) in _paired(given, dynamic_shapes).items():
            self._visit(value, entry, name)

    def spec(self, tensor: torch.Tensor, path: str) -> TensorSpec:
        found = spec_of(tensor)
        declared = self._sizes.get(path)
        if not declared:
            return found
        shape = tuple(declared.get(axis, size) for axis, size in enumerate(found.shape))
        if not tensor.is_contiguous():
            raise _wrong(
                f"the example for '{path}' is not contiguous, and its sizes are declared as dynamic",
                "pass a contiguous example: x.contiguous()",
            )
        return spec(found.dtype, shape, contiguous_stride(shape), found.device)

    def facts(self, size: Size) -> DeclaredSize:
        assert not isinstance(size, int)
        (symbol,) = symbols_of(size)
        factor, rest = size.linear_in(symbol) or (1, 0)
        return DeclaredSize(self._names[symbol], *_limits_of_graph(range_of(symbol)), factor, rest)

    def _visit(self, value: Any, entry: Any, path: str) -> None:
        if entry is None:
            return
        if isinstance(value, torch.Tensor):
            self._tensor(value, entry, path)
        elif isinstance(value, Mapping):
            for key, (item, part) in _paired(value, entry).items():
                self._visit(item, part, f"{path}.{key}")
        elif isinstance(value, (list, tuple)):
            if not isinstance(entry, (list, tuple)) or len(entry) != len(value):
                raise _wrong(f"dynamic_shapes has no entry for each of the {len(value)} items of '{path}'")
            names = getattr(value, "_fields", range(len(value)))
            for name, item, part in zip(names, value, entry, strict=True):
                self._visit(item, part, f"{path}.{name}")
        elif dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            parts = entry if isinstance(entry, Mapping) else dict(zip(names, entry, strict=False))
            for name, part in parts.items():
                self._visit(getattr(value, name), part, f"{path}.{name}")
        else:
            raise _wrong(f"dynamic_shapes declares sizes of '{path}', which is no tensor")

    def _tensor(self, tensor: torch.Tensor, entry: Any, path: str) -> None:
        if isinstance(entry, Mapping):
            dims = {int(axis): dim for axis, dim in entry.items()}
        elif isinstance(entry, (list, tuple)):
            if len(entry) != tensor.dim():
                raise _wrong(f"'{path}' has {tensor.dim()} sizes; dynamic_shapes gives {len(entry)}")
            dims = dict(enumerate(entry))
        else:
            raise _wrong(f"the sizes of '{path}' cannot be {entry!r}")
        for axis, dim in dims.items():
            if not -tensor.dim() <= axis < tensor.dim():
                raise _wrong(
                    f"'{path}' has {tensor.dim()} dims; dynamic_shapes names number {axis}, counted from 0"
                )
            size = self._size(dim, axis % tensor.dim(), tensor, path)
            if size is not None:
                self._sizes.setdefault(path, {})[axis % tensor.dim()] = size

    def _size(self, dim: Any, axis: int, tensor: torch.Tensor, path: str) -> Size | None:
        example = int(tensor.shape[axis])
        if dim is None:
            return None
        if isinstance(dim, int):
            if dim != example:
                raise _wrong(f"size {axis} of '{path}' is declared as {dim}; the example has {example}")
            return None
        hint = dim_hint(dim)
        if hint is not None:
            return None if hint.static else self._symbol(f"{path}_{axis}", hint.smallest, hint.largest)
        if not isinstance(dim, torch.export.Dim):
            raise _wrong(f"size {axis} of '{path}' cannot be {dim!r}", "use torch.export.Dim")
        place = f"size {axis} of '{path}'"
        root = dim_root(dim)
        if root is not None:
            inner_example, left = divmod(example - root.rest, root.factor)
            if left != 0:
                raise _wrong(
                    f"{place} is declared as {dim.__name__}, which {example} in the example cannot be"
                )
            self._note_example(root.dim, inner_example, place)
            inner = self._symbol(root.dim.__name__, *dim_limits(root.dim))
            return root.factor * inner + root.rest
        self._note_example(dim, example, place)
        return self._symbol(dim.__name__, *dim_limits(dim))

    def _note_example(self, dim: Any, example: int, place: str) -> None:
        """The example must be a call that the program takes."""
        smallest, largest = dim_limits(dim)
        if not smallest <= example <= largest:
            limits = f"at least {smallest}" if largest >= LARGEST_SIZE else f"{smallest} to {largest}"
            raise _wrong(
                f"'{dim.__name__}' is declared as {limits}; the example has {example} ({place})",
                "give an example within the limits",
            )
        first = self._examples.setdefault(dim.__name__, (example, place))
        if first[0] != example:
            raise _wrong(
                f"'{dim.__name__}' is {first[0]} as {first[1]} and {example} as {place}",
                "sizes that may differ need names of their own",
            )

    def _symbol(self, name: str, smallest: int, largest: int) -> Size:
        found = self._symbols.get(name)
        if found is None:
            found = self._symbols[name] = self.size_symbols.fresh(smallest, largest)
            self._names[found] = name
        return found


def _limits_of_graph(limits: tuple[int, int]) -> tuple[int, int]:
    smallest, largest = limits
    return smallest, (1 << 63) - 1 if largest >= LARGEST_SIZE else largest


def _paired(given: Mapping[Any, Any], entries: Any) -> dict[Any, tuple[Any, Any]]:
    """Each argument with its entry: by name, or by place."""
    if isinstance(entries, Mapping):
        unknown = [name for name in entries if name not in given]
        if unknown:
            raise _wrong(
                f"dynamic_shapes names '{unknown[0]}'; the example has {', '.join(given) or 'no arguments'}",
                _hint_of(next(iter(given), "x")),
            )
        return {name: (given[name], entry) for name, entry in entries.items()}
    if not isinstance(entries, (list, tuple)):
        raise _wrong(f"dynamic_shapes cannot be {entries!r}")
    if len(entries) != len(given):
        raise _wrong(f"the example has {len(given)} arguments; dynamic_shapes has {len(entries)} entries")
    return {name: (value, entry) for (name, value), entry in zip(given.items(), entries, strict=True)}
