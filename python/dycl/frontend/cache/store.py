# SPDX-License-Identifier: Apache-2.0
"""Python objects in a cache of bytes."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import torch

from dycl.frontend.cache.exchanged import torch_as_it_is
from dycl.frontend.cache.keys import NoStableTextError, text_of
from dycl.frontend.cache.versions import versions

KIND = "fragments"
_BUILTINS = frozenset({"tuple", "list", "dict", "set", "frozenset", "slice", "complex"})
_ROOTS = frozenset({"dycl", "torch"})
# Of functions, only those that objects of ours are made by.
_FUNCTIONS = frozenset({("dycl.frontend.sizes.values", "spec"), ("dycl.frontend.capture.classes", "getter")})
Made = TypeVar("Made")


class Cache(Protocol):
    """As dycl._core.DiskCache."""

    def find(self, kind: str, key: str, /) -> bytes | None: ...
    def keep(self, kind: str, key: str, value: bytes, /) -> None: ...


class Store:
    """One per compilation: what torch's functions are is looked at once."""

    def __init__(self, cache: Cache, reference: str) -> None:
        self._cache = cache
        torch_now = torch_as_it_is()
        self._versions = None if torch_now is None else f"{versions(reference)}{torch_now}\n"

    def recall_or_make(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        """What `make` returned for an equal key before, or returns now. What it raises is not remembered."""
        if self._versions is None:
            return make()
        try:
            text = self._versions + text_of(key)
        except NoStableTextError:
            return make()
        found = self._cache.find(KIND, text)
        if found is not None:
            with contextlib.suppress(Exception):  # of whoever writes to the folder; made anew then
                recalled: Made = _Reader(io.BytesIO(found)).load()
                return recalled
        made = make()
        with contextlib.suppress(
            pickle.PicklingError, TypeError, AttributeError
        ):  # known to this process only
            self._cache.keep(KIND, text, pickle.dumps(made, protocol=5))
        return made


class _Reader(pickle.Unpickler):
    """Makes plain values, sizes and descriptions of calls; calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        if module == "builtins":
            allowed = name in _BUILTINS
        else:
            is_kind = isinstance(found, (type, torch.dtype, torch.layout, torch.memory_format))
            allowed = module.partition(".")[0] in _ROOTS and (is_kind or (module, name) in _FUNCTIONS)
        if not allowed:
            raise pickle.UnpicklingError(f"{module}.{name} is not remembered")
        return found
