# SPDX-License-Identifier: Apache-2.0
"""heapq in plain Python: CPython's own is in C. The comparisons, which may be decisions, come in its order
(but for heapify() of more than 2,500 elements, which gives the same heap by another order)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


def _comes_first(a: Any, b: Any) -> Any:
    return a < b


def _comes_last(a: Any, b: Any) -> Any:
    return b < a


def _move_up(heap: Any, first: Any, place: Any, before: Any) -> Any:
    """Lets the element at `place` rise to where its parent comes before it."""
    item = heap[place]
    while place > first:
        parent = (place - 1) >> 1
        if not before(item, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _move_down(heap: Any, place: Any, before: Any) -> Any:
    """Lets the smaller children rise to the end, and puts the element at `place` in below them."""
    size, first = len(heap), place
    item = heap[place]
    child = 2 * place + 1
    while child < size:
        if child + 1 < size and not before(heap[child], heap[child + 1]):
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _move_up(heap, first, place, before)


def _need_elements(heap: Any) -> Any:
    if not heap:
        raise IndexError("index out of range")


def _pop(heap: Any, before: Any) -> Any:
    _need_elements(heap)
    last = heap.pop()
    if not heap:
        return last
    first, heap[0] = heap[0], last
    _move_down(heap, 0, before)
    return first


def _replace(heap: Any, item: Any, before: Any) -> Any:
    _need_elements(heap)
    first, heap[0] = heap[0], item
    _move_down(heap, 0, before)
    return first


def _order(heap: Any, before: Any) -> Any:
    for place in range(len(heap) // 2 - 1, -1, -1):
        _move_down(heap, place, before)


def heappush(heap: Any, item: Any, /) -> Any:
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1, _comes_first)


def heappop(heap: Any, /) -> Any:
    return _pop(heap, _comes_first)


def heapreplace(heap: Any, item: Any, /) -> Any:
    return _replace(heap, item, _comes_first)


def heappushpop(heap: Any, item: Any, /) -> Any:
    if heap and _comes_first(heap[0], item):
        return _replace(heap, item, _comes_first)
    return item


def heapify(heap: Any, /) -> Any:
    _order(heap, _comes_first)


def _heappop_max(heap: Any, /) -> Any:
    return _pop(heap, _comes_last)


def _heapreplace_max(heap: Any, item: Any, /) -> Any:
    return _replace(heap, item, _comes_last)


def _heapify_max(heap: Any, /) -> Any:
    _order(heap, _comes_last)


_MODELLED = "heappush heappop heapreplace heappushpop heapify _heappop_max _heapreplace_max _heapify_max"
MODELS: dict[object, Callable[..., Any]] = {
    getattr(heapq, name): globals()[name] for name in _MODELLED.split() if hasattr(heapq, name)
}
