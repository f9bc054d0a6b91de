# SPDX-License-Identifier: Apache-2.0
"""Refused: what CPython would have to run while compiling, though nobody knows what it does or to whom."""

import collections
import decimal
import functools
import heapq
import os
import struct

import numpy as np
import torch
from python.torch.refused.case import refused
from torch.nn import functional

NUMBERS = iter([1.0, 2.0, 3.0])
ARRAY = np.zeros(3)
MEMORY = bytearray(8)
PRECISE = decimal.Context(prec=3)


class Counting:
    """Its special methods write."""

    def __init__(self):
        self.count = 0

    def __hash__(self):
        self.count += 1
        return 1

    def __eq__(self, other):
        self.count += 1
        return self is other


COUNTING = Counting()
COUNTED = {COUNTING: 1.0}


@refused("sum(NUMBERS)", "list_iterator .* exists before the call", "inside of the model")
def live_iterator_is_used_up(x):
    return x + sum(NUMBERS)


@refused("2.0 in NUMBERS", "list_iterator .* exists before the call", "inside of the model")
def live_iterator_is_searched(x):
    return x if 2.0 in NUMBERS else -x


@refused("np.fromiter(iter([1.0]), float)", "fromiter.*no Python source", "torch")
def array_of_an_iterator(x):
    return x + float(np.fromiter(iter([1.0]), float)[0])


@refused("np.copyto(ARRAY, 1.0)", "exists before the call is changed", "new one in forward")
def array_of_the_module_is_written(x):
    np.copyto(ARRAY, 1.0)
    return x


@refused("part += 1", "shares its memory with a view", r"copy\(\)")
def view_of_an_array_is_written(x):
    array = np.zeros(3)
    part = array[1:]
    part += 1
    return x + float(array.sum())


@refused("array += 1", "shares its memory with a view", r"copy\(\)")
def array_with_a_tensor_over_it_is_written(x):
    array = np.zeros(3, np.float32)
    tensor = torch.as_tensor(array)
    array += 1
    return x + tensor.sum()


@refused("array[1] = x[0].item()", "depends on the input is written into a numpy array", "tensors")
def value_of_the_input_in_an_array(x):
    array = np.zeros(3)
    array[1] = x[0].item()
    return x + float(array[1])


@refused("array.flags", "'flags' of a numpy array", "shape|dtype|values")
def memory_of_an_array(x):
    array = np.zeros(3)
    return x + float(array.flags.owndata)


@refused('struct.pack_into("f", MEMORY, 0, 1.0)', "pack_into.*no Python source", "__init__|torch")
def bytes_are_packed(x):
    struct.pack_into("f", MEMORY, 0, 1.0)
    return x


@refused("heapq.heappush(heap, 1.0)", "heappush.*no Python source", "__init__|torch")
def heap_is_pushed_to(x):
    heap = [2.0]
    heapq.heappush(heap, 1.0)
    return x + heap[0]


@refused("COUNTED[COUNTING]", "its class defines how it is hashed", "number|str|tuple")
def key_with_methods_of_its_own(x):
    return x + COUNTED[COUNTING]


@refused("np.array([COUNTING])", "numpy.array.*would be given a Counting", "numbers|texts")
def object_is_handed_to_numpy(x):
    return x + len(np.array([COUNTING]))


@refused('np.datetime64("now")', "datetime64", "__init__|outside|torch")
def clock_of_numpy(x):
    return x if np.datetime64("now") > np.datetime64("2000-01-01") else -x


@refused('os.environ.get("HOME")', "environ|os", "outside|input")
def environment_is_read(x):
    return x if os.environ.get("HOME") else -x


@refused("decimal.setcontext(PRECISE)", "setcontext.*no Python source", "__init__|torch")
def context_of_decimals_is_set(x):
    decimal.setcontext(PRECISE)
    return x


@refused("torch._foreach_mul_([x], 2.0)", "not supported|effects", "outside")
def tensors_in_a_list_are_written(x):
    torch._foreach_mul_([x], 2.0)
    return x


class Partial:
    __len__ = functools.partialmethod(lambda self: 3)


@refused("len(thing)", "__len__ of .*Partial is a .*partialmethod", "def")
def special_method_that_is_no_function(x):
    thing = Partial()
    return x + len(thing)


@refused("LARGE.cumsum(0, None, ALSO_LARGE)", "cumsum.*changes an object", "copy|__init__")
def large_array_is_written_by_position(x):
    LARGE.cumsum(0, None, ALSO_LARGE)
    return x


LARGE, ALSO_LARGE = np.ones(200_000), np.zeros(200_000)


@functools.lru_cache
def cached_list(size):
    return [1.0] * size


@refused("cached_list(2).append(2.0)", "lru_cache keeps", "copy")
def cached_result_is_written(x):
    cached_list(2).append(2.0)
    return x + len(cached_list(2))


@refused("functional.dropout(WEIGHTS, inplace=True)", "writes to a parameter|random", "clone|outside|pass")
def dropout_of_a_tensor_of_the_module(x):
    return x + functional.dropout(WEIGHTS, inplace=True)


WEIGHTS = torch.ones(2)


@refused("[x] * COUNTING_INDEX", "repeated by a CountingIndex", "int")
def list_is_repeated_by_an_object(x):
    return ([x] * COUNTING_INDEX)[0]


class CountingIndex:
    def __index__(self):
        return 2


COUNTING_INDEX = CountingIndex()


@refused("range(COUNTING_INDEX)", "would be given a CountingIndex", "int")
def range_of_an_object(x):
    return x + len(range(COUNTING_INDEX))


@refused("QUEUE[0] = x[0].item()", "deque.*values that depend on the input", "list")
def number_of_the_input_in_a_deque(x):
    QUEUE[0] = x[0].item()
    return x


QUEUE = collections.deque([1.0])
