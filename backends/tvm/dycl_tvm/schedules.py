# SPDX-License-Identifier: Apache-2.0
"""Loops of operators that nobody tuned: the sums of convolutions and products stay in registers, many
channels or columns at once. Every sum keeps its order, so results are those of plain loops. What fits no rule
stays plain loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm
from tvm import tirx
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import ScheduleError

from dycl_tvm.shapes import equal

LANES = 16  # numbers of 4 bytes: one register of AVX-512, two of AVX2
REGISTERS = 16  # for sums; a processor has 16 or 32
Rule = Callable[[Schedule, Any], None]


class _DoesNotFit(Exception):  # noqa: N818  an answer, not an error
    pass


def scheduled(module: Any) -> Any:
    """The module, its operators with better loops where a rule fits and tuning has found none."""
    for variable, function in list(module.functions.items()):
        if isinstance(function, tirx.PrimFunc) and "tirx.is_scheduled" not in function.attrs:
            module.update_func(variable, _begun(better(function)))
    return module


def better(function: Any) -> Any:
    schedule = Schedule(tvm.IRModule({"main": function}))
    try:
        for name in _block_names(schedule) & _RULES.keys():
            _RULES[name](schedule, schedule.get_sblock(name))
            return schedule.mod["main"]
    except (_DoesNotFit, ScheduleError):
        pass
    return function


def _begun(function: Any) -> Any:
    """TVM's loops write what a sum begins with when they come to its first element, so that the sum over an
    axis that turns out to be empty was never written. Here it is written beforehand."""
    schedule = Schedule(tvm.IRModule({"main": function}))
    try:
        blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
    except ScheduleError:
        return function
    for block in blocks:
        loops = schedule.get_loops(block)
        if schedule.get(block).init is not None and any(_may_be_empty(schedule, loop) for loop in loops):
            schedule.decompose_reduction(block, loops[0])
    return schedule.mod["main"]


def _may_be_empty(schedule: Schedule, loop: Any) -> bool:
    extent = schedule.get(loop).extent
    return not isinstance(extent, tirx.IntImm) or int(extent) == 0


def _block_names(schedule: Schedule) -> set[str]:
    """Fails for a function that does without blocks."""
    blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
    return {str(schedule.get(block).name_hint) for block in blocks}


def _convolution(schedule: Schedule, anchor: Any) -> None:
    """A register holds one pixel of many channels; their weights are laid side by side first."""
    loops = schedule.get_loops(anchor)
    _, channels, _, width = (_extent(schedule, loop) for loop in loops[:4])
    lanes = _divisor(_channels_of_group(schedule.get(anchor), channels), LANES)
    if lanes < LANES // 2:
        raise _DoesNotFit
    last = _epilogue(schedule, anchor, loops[:4])
    schedule.transform_layout(anchor, ("write", 0), lambda n, f, y, x: (n, f // lanes, y, x, f % lanes))
    packed = schedule.cache_read(anchor, 1, "global")
    schedule.transform_layout(packed, ("write", 0), lambda f, c, y, x: (f // lanes, c, y, x, f % lanes))
    _pack(schedule, packed, lanes)
    n, f, y, x = schedule.get_loops(last)
    f, f_lane = schedule.split(f, [None, lanes])
    x, x_register = schedule.split(x, [None, _divisor(width, REGISTERS)])
    schedule.reorder(n, f, y, x, f_lane, x_register)
    schedule.compute_at(anchor, x, preserve_unit_loops=True)
    *_, inner_n, lane, inner_y, register, c, ky, kx = schedule.get_loops(anchor)
    schedule.reorder(inner_n, inner_y, c, ky, kx, register, lane)
    schedule.unroll(register)
    schedule.vectorize(lane)
    schedule.parallel(schedule.fuse(n, f, y))
    schedule.decompose_reduction(anchor, c)


def _product(schedule: Schedule, anchor: Any) -> None:
    """A register holds neighbouring columns of a row."""
    spatial = schedule.get_loops(anchor)[:-1]
    if not spatial:
        raise _DoesNotFit
    columns = _extent(schedule, spatial[-1])
    lanes = _divisor(columns, LANES)
    if lanes < 4:
        raise _DoesNotFit
    rows = _divisor(_extent(schedule, spatial[-2]), 8) if len(spatial) > 1 else 1
    last = _epilogue(schedule, anchor, spatial)
    *outer, column = schedule.get_loops(last)
    column, group, lane = schedule.split(
        column, [None, _divisor(columns // lanes, REGISTERS // rows // 2), lanes]
    )
    if outer:
        outer[-1], row = schedule.split(outer[-1], [None, rows])
        schedule.reorder(outer[-1], column, row, group, lane)
    schedule.vectorize(lane)
    schedule.compute_at(anchor, column, preserve_unit_loops=True)
    *_, inner_column, k = schedule.get_loops(anchor)
    group, lane = schedule.split(inner_column, [None, lanes])
    if outer:
        *_, row, _, _, _ = schedule.get_loops(anchor)
        schedule.reorder(k, row, group, lane)
        schedule.unroll(row)
    else:
        schedule.reorder(k, group, lane)
    schedule.unroll(group)
    schedule.vectorize(lane)
    schedule.parallel(schedule.fuse(*outer, column))
    schedule.decompose_reduction(anchor, k)


def _transposition(schedule: Schedule, anchor: Any) -> None:
    """Of a matrix, in squares: both what is read and what is written stay in the cache."""
    loops = schedule.get_loops(anchor)
    if len(loops) != 2:
        raise _DoesNotFit
    splits = [schedule.split(loop, [None, _divisor(_extent(schedule, loop), LANES)]) for loop in loops]
    schedule.reorder(splits[0][0], splits[1][0], splits[0][1], splits[1][1])


_RULES: dict[str, Rule] = {
    "conv2d_nchw": _convolution,
    "group_conv2d_nchw": _convolution,
    "matmul": _product,
    "T_transpose": _transposition,
}


def _pack(schedule: Schedule, block: Any, lanes: int) -> None:
    """Copies weights, in squares too."""
    channel, *others = schedule.get_loops(block)
    outer, lane = schedule.split(channel, [None, lanes])
    other = schedule.fuse(*others)
    other, near = schedule.split(other, [None, _divisor(_extent(schedule, other), 2 * LANES)])
    schedule.reorder(outer, other, lane, near)
    schedule.parallel(outer)


def _channels_of_group(block: Any, channels: int) -> int:
    data, weight = (region.source.shape for region in block.reads[:2])
    if not all(isinstance(size, tirx.IntImm) for size in (data[1], weight[1])):
        raise _DoesNotFit
    return channels // (int(data[1]) // int(weight[1]))


def _epilogue(schedule: Schedule, anchor: Any, loops: list[Any]) -> Any:
    """What follows the sums, as one block of the same shape; one that copies when nothing follows."""
    while consumers := schedule.get_consumers(anchor):
        between = [block for block in consumers if schedule.get_consumers(block)]
        if between:
            schedule.compute_inline(between[0])
            continue
        if len(consumers) > 1 or not _same_extents(schedule, schedule.get_loops(consumers[0]), loops):
            raise _DoesNotFit
        return consumers[0]
    return schedule.cache_write(anchor, 0, "global")


def _same_extents(schedule: Schedule, left: list[Any], right: list[Any]) -> bool:
    extents = [[schedule.get(loop).extent for loop in loops] for loops in (left, right)]
    return len(left) == len(right) and all(equal(*pair) for pair in zip(*extents))


def _extent(schedule: Schedule, loop: Any) -> int:
    """1 for one that shows at run time only: nothing else divides it."""
    extent = schedule.get(loop).extent
    return int(extent) if isinstance(extent, tirx.IntImm) else 1


def _divisor(number: int, most: int) -> int:
    return max(size for size in range(1, most + 1) if number % size == 0)
