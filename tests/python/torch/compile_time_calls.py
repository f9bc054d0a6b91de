# SPDX-License-Identifier: Apache-2.0
"""Programs whose calls could be run while compiling, and must not be: they write to what they are given, use
up iterators, or look outside. Each must equal eager on every input, or be refused. Data that programs share
is at the top.
"""

import bisect
import collections
import decimal
import functools
import inspect
import itertools
import math
import operator
import struct

import numpy as np
import torch
from torch import nn


class Remembers(dict):
    def __missing__(self, key):
        self[key] = 4.0
        return 4.0


ARRAY = np.array([1.0, 2.0, 3.0])
GRID = np.array([[1.0, 2.0], [3.0, 4.0]])
NUMBERS = [1.0, 3.0]
TABLE = {"a": 1.0}
REMEMBERS = Remembers(a=1.0)
COUNTER = collections.Counter("aab")
BYTES = bytearray(16)
STEPS = iter([1.0, 2.0, 3.0, 4.0])
WEIGHT = torch.ones(3)
OTHER = torch.zeros(3)
LAYER = nn.Parameter(torch.ones(3))


# ---- 1. numpy, changed in place


def array_augmented(x):
    a = np.zeros(2)
    if x.sum() > 0:
        a += 3
    return x + float(a[0])


def array_augmented_in_a_loop(x):
    a = np.zeros(2)
    n = 0
    while n < x.sum():
        a += 1
        n += 1
    return x + float(a[0])


def array_out_in_both_arms(x):
    a = np.ones(2)
    if x.sum() > 0:
        np.add(a, 1, out=a)
    else:
        np.add(a, 8, out=a)
    return x + float(a[0])


def array_out_in_a_loop(x):
    a = np.zeros(2)
    n = 0
    while n < x.sum():
        np.add(a, 1, out=a)
        n += 1
    return x + float(a[0])


def array_put(x):
    a = np.zeros(3)
    if x.sum() > 0:
        np.put(a, 0, 3.0)
    return x + float(a[0])


def array_copyto(x):
    a = np.zeros(3)
    if x.sum() > 0:
        np.copyto(a, 3.0)
    return x + float(a[0])


def array_place(x):
    a = np.zeros(3)
    if x.sum() > 0:
        np.place(a, a < 1, [3.0])
    return x + float(a[0])


def array_putmask(x):
    a = np.zeros(3)
    if x.sum() > 0:
        np.putmask(a, a < 1, 3.0)
    return x + float(a[0])


def array_fill_diagonal(x):
    a = np.zeros((2, 2))
    if x.sum() > 0:
        np.fill_diagonal(a, 3.0)
    return x + float(a[0, 0])


def array_add_at(x):
    a = np.zeros(3)
    if x.sum() > 0:
        np.add.at(a, [0, 0], 3.0)
    return x + float(a[0])


def array_augmented_through_a_view(x):
    a = np.zeros(4)
    part = a[1:]
    if x.sum() > 0:
        part += 3
    return x + float(a[1])


def array_out_through_a_view(x):
    a = np.zeros(4)
    part = a[1:]
    if x.sum() > 0:
        np.add(part, 3, out=part)
    return x + float(a[1])


def view_sees_what_is_written_below(x):
    a = np.zeros(4)
    part = a[1:]
    if x.sum() > 0:
        a += 3
    return x + float(part[0])


# ---- 2. tensors


def tensor_initialised(x):
    y = torch.zeros(3)
    if x.sum() > 0:
        nn.init.ones_(y)
    return x + y


def tensor_foreach_of_a_result(x):
    y = x * 2
    torch._foreach_mul_([y], 5.0)
    return y


def tensor_foreach_of_a_constant(x):
    y = torch.ones(3)
    if x.sum() > 0:
        torch._foreach_mul_([y], 5.0)
    return x + y


def tensor_vector_to_parameters(x):
    if x.sum() > 0:
        nn.utils.vector_to_parameters(torch.zeros(3), [LAYER])
    return x + LAYER


def tensors_swapped(x):
    if x.sum() > 0:
        torch.utils.swap_tensors(WEIGHT, OTHER)
    return x + WEIGHT


# ---- 3. containers of the program


def list_insort(x):
    numbers = [1.0, 3.0]
    bisect.insort(numbers, 2.0)
    return x + 10 * len(numbers) + numbers[1]


def list_insort_on_one_path(x):
    numbers = [1.0, 3.0]
    if x.sum() > 0:
        bisect.insort(numbers, 2.0)
    return x + len(numbers)


def list_iadd(x):
    numbers = [1.0, 3.0]
    operator.iadd(numbers, [2.0])
    return x + len(numbers)


def list_iadd_on_one_path(x):
    numbers = [1.0, 3.0]
    if x.sum() > 0:
        operator.iadd(numbers, [2.0])
    return x + len(numbers)


def list_imul(x):
    numbers = [1.0, 3.0]
    operator.imul(numbers, 2)
    return x + len(numbers)


def dict_ior(x):
    table = {"a": 1.0}
    operator.ior(table, {"b": 2.0})
    return x + len(table)


def list_setitem(x):
    numbers = [1.0, 3.0]
    operator.setitem(numbers, 0, 5.0)
    return x + numbers[0]


def dict_setitem_on_one_path(x):
    table = {"a": 1.0}
    if x.sum() > 0:
        operator.setitem(table, "a", 5.0)
    return x + table["a"]


def bytes_packed_in_two_arms(x):
    room = bytearray(16)
    if x.sum() > 0:
        struct.pack_into("d", room, 0, 1.0)
    else:
        struct.pack_into("d", room, 8, 2.0)
    return x + struct.unpack_from("d", room, 0)[0] + 10 * struct.unpack_from("d", room, 8)[0]


# ---- 4. globals


def global_insort(x):
    if x.sum() > 0:
        bisect.insort(NUMBERS, 2.0)
    return x + len(NUMBERS)


def global_iadd(x):
    if x.sum() > 0:
        operator.iadd(NUMBERS, [2.0])
    return x + len(NUMBERS)


def global_ior(x):
    if x.sum() > 0:
        operator.ior(TABLE, {"b": 2.0})
    return x + len(TABLE)


def global_array_copyto(x):
    if x.sum() > 0:
        np.copyto(ARRAY, 7.0)
    return x + float(ARRAY[0])


def global_array_put(x):
    if x.sum() > 0:
        np.put(ARRAY, 0, 7.0)
    return x + float(ARRAY[0])


def global_array_place(x):
    if x.sum() > 0:
        np.place(ARRAY, ARRAY > 0, [7.0])
    return x + float(ARRAY[0])


def global_array_putmask(x):
    if x.sum() > 0:
        np.putmask(ARRAY, ARRAY > 0, 7.0)
    return x + float(ARRAY[0])


def global_array_fill_diagonal(x):
    if x.sum() > 0:
        np.fill_diagonal(GRID, 7.0)
    return x + float(GRID[0, 0])


def global_array_add_at(x):
    if x.sum() > 0:
        np.add.at(ARRAY, 0, 7.0)
    return x + float(ARRAY[0])


def global_array_out(x):
    if x.sum() > 0:
        np.add(ARRAY, 7.0, out=ARRAY)
    return x + float(ARRAY[0])


def global_bytes_packed(x):
    if x.sum() > 0:
        struct.pack_into("d", BYTES, 0, 1.0)
    return x + struct.unpack_from("d", BYTES, 0)[0]


def global_dict_that_remembers(x):
    if x.sum() > 0:
        x = x + REMEMBERS["b"]
    return x + len(REMEMBERS)


def local_dict_that_remembers(x):
    table = Remembers(a=1.0)
    if x.sum() > 0:
        x = x + table["b"]
    return x + len(table)


def global_counter_without_the_key(x):
    return x + COUNTER["missing"] + len(COUNTER)


# ---- 5. iterators that are used up


def steps_summed(x):
    return x + sum(STEPS)


def steps_summed_on_one_path(x):
    if x.sum() > 0:
        x = x + sum(STEPS)
    return x + next(STEPS, -1.0)


def steps_greatest(x):
    return x + max(STEPS)


def steps_least(x):
    return x + min(STEPS)


def steps_sorted(x):
    return x + len(sorted(STEPS))


def steps_searched(x):
    return x + 1 if 2.0 in STEPS else x


def steps_fsum(x):
    return x + math.fsum(STEPS)


def steps_prod(x):
    return x + math.prod(STEPS)


def steps_reduced(x):
    return x + functools.reduce(operator.add, STEPS, 0.0)


def steps_fromkeys(x):
    return x + len(dict.fromkeys(STEPS))


def steps_grouped(x):
    return x + len([key for key, _ in itertools.groupby(STEPS)])


def steps_to_an_array(x):
    return x + float(np.fromiter(STEPS, float).sum())


def steps_contain(x):
    return x + operator.contains(STEPS, 2.0)


def own_steps_summed_on_one_path(x):
    steps = iter([1.0, 2.0, 3.0])
    if x.sum() > 0:
        x = x + sum(steps)
    return x + next(steps, -1.0)


# ---- 6. the outside world: data.txt, data.bin and VALUE change between compiling and running


def outside_loadtxt(x):
    return x + float(np.loadtxt("data.txt")[0])


def outside_genfromtxt(x):
    return x + float(np.genfromtxt("data.txt")[0])


def outside_fromfile(x):
    return x + float(np.fromfile("data.bin")[0])


def outside_memmap(x):
    return x + float(np.memmap("data.bin", dtype=np.float64, mode="r")[0])


def outside_memmap_written(x):
    np.memmap("data.bin", dtype=np.float64, mode="r+")[0] = 5.0
    return x + 1


def outside_now(x):
    return x * 0 + int(np.datetime64("now").astype("int64")) % 1000


def outside_stack(x):
    return x + len(inspect.stack())


def outside_decimal_context(x):
    decimal.setcontext(decimal.Context(prec=3))
    return x + float(decimal.Decimal(1) / 3)


# ---- 8. exceptions that eager does not raise


def array_takes_an_item(x):
    a = np.zeros(3)
    a[1] = x[0].item()
    return x + float(a[1])


def array_takes_an_item_on_one_path(x):
    a = np.zeros(3)
    if x.sum() > 0:
        a[1] = x[0].item()
    return x + float(a[1])
