# SPDX-License-Identifier: Apache-2.0
"""bisect in plain Python: CPython's own is in C."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any


def _place(a: Any, x: Any, lo: Any, hi: Any, key: Any, after: Any) -> Any:
    """Where x belongs in the sorted list; CPython compares in this order."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if (not x < item) if after else (item < x):
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    return _place(a, x, lo, hi, key, True)


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    return _place(a, x, lo, hi, key, False)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    a.insert(_place(a, x if key is None else key(x), lo, hi, key, True), x)


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    a.insert(_place(a, x if key is None else key(x), lo, hi, key, False), x)


_MODELLED = "bisect_left bisect_right insort_left insort_right"
MODELS: dict[object, Callable[..., Any]] = {
    getattr(bisect, name): globals()[name] for name in _MODELLED.split()
}
