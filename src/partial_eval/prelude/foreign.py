# SPDX-License-Identifier: Apache-2.0
"""Models of functions and classes of packages that need not be installed: they are found by their names."""

from __future__ import annotations

from typing import Any


class Progress:
    """tqdm(...): what it walks, without the bar, which is left out like everything that is printed."""

    def __init__(self, iterable: Any = None, *_: Any, **options: Any) -> None:
        print("a progress bar")
        self.iterable = iterable
        self.total = options.get("total")
        self.n = 0

    def __iter__(self) -> Any:
        yield from self.iterable

    def __len__(self) -> Any:
        return self.total if self.iterable is None else len(self.iterable)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def update(self, n: Any = 1) -> None:
        self.n = self.n + n

    def _shows(self, *_: Any, **__: Any) -> None:
        pass

    set_description = set_description_str = set_postfix = set_postfix_str = _shows
    refresh = clear = close = write = display = _shows


def progress(*arguments: Any, **options: Any) -> Any:
    return Progress(*arguments, **options)


def progress_range(*bounds: Any, **options: Any) -> Any:
    return Progress(range(*bounds), **options)


def leave_out(*_: Any, **__: Any) -> None:
    """A hint to another compiler."""


BARS = dict.fromkeys(["tqdm", "tqdm_asyncio", "tqdm_notebook", "tqdm_rich"], progress)
RANGES = dict.fromkeys(["trange", "tarange", "tnrange", "trrange"], progress_range)
# By the first part of the module's name, then by the name.
FOREIGN: dict[str, dict[str, Any]] = {
    "tqdm": {**BARS, **RANGES},
    "torch._dynamo.decorators": {"mark_static_address": leave_out, "mark_dynamic": leave_out},
}


def model_by_name(module: str, name: str) -> Any:
    return FOREIGN.get(module, FOREIGN.get(module.split(".")[0], {})).get(name)
