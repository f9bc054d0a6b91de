# SPDX-License-Identifier: Apache-2.0
"""Refused: what CPython would have to run while compiling, though nobody knows what it does or to whom."""

import collections
import decimal
import functools
import itertools
import math
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


@refused("np.put(array, 1, x[0].item())", "depends on the input is written into a numpy array", "tensors")
def value_of_the_input_in_an_array(x):
    array = np.zeros(3)
    np.put(array, 1, x[0].item())
    return x + float(array[1])


@refused("array[1] = x[0].item()", "shares its memory with a view", r"copy\(\)")
def value_of_the_input_in_an_array_with_a_view(x):
    array = np.zeros(3)
    part = array[1:]
    array[1] = x[0].item()
    return x + float(part[0])


@refused("array.flags", "'flags' of a numpy array", "shape|dtype|values")
def memory_of_an_array(x):
    array = np.zeros(3)
    return x + float(array.flags.owndata)


@refused('struct.pack_into("f", MEMORY, 0, 1.0)', "pack_into.*no Python source", "__init__|torch")
def bytes_are_packed(x):
    struct.pack_into("f", MEMORY, 0, 1.0)
    return x


@refused("COUNTED[COUNTING]", "its class defines how it is hashed", "number|str|tuple")
def key_with_methods_of_its_own(x):
    return x + COUNTED[COUNTING]


@refused("np.array([COUNTING])", "numpy.array.*would be given a Counting", "numbers|texts")
def object_is_handed_to_numpy(x):
    return x + len(np.array([COUNTING]))


@refused('np.datetime64("now")', "datetime64", "__init__|outside|torch")
def clock_of_numpy(x):
    return x if np.datetime64("now") > np.datetime64("2000-01-01") else -x


@refused("len(os.environ)", "environ|os", "outside|input")
def environment_is_counted(x):
    return x * len(os.environ)


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


@refused("cached_list(2) is cached_list(2)", "an lru_cache keeps", "==")
def identity_of_cached_results(x):
    return x if cached_list(2) is cached_list(2) else -x


@functools.lru_cache
def cached_tensor(size):
    return torch.zeros(size)


@refused("cached_tensor(2) is cached_tensor(2)", "an lru_cache keeps", "==")
def identity_of_cached_tensors(x):
    return x if cached_tensor(2) is cached_tensor(2) else -x


class Stands:
    """For a number, where Python asks for one."""

    def __index__(self):
        return 2

    def __float__(self):
        return 2.0

    def __pow__(self, other, modulus=None):
        return 2.0


def stands_for_a_number(source):
    return refused(source, "ask an object of the class Stands", "convert it first")


@stands_for_a_number('"ab" * Stands()')
def text_is_repeated_by_an_object(x):
    return x + len("ab" * Stands())


@stands_for_a_number("math.sqrt(Stands())")
def square_root_of_an_object(x):
    return x + math.sqrt(Stands())


@stands_for_a_number("[1.0, 2.0, 3.0].pop(Stands())")
def object_as_the_place_of_pop(x):
    return x + [1.0, 2.0, 3.0].pop(Stands())


@stands_for_a_number("items[Stands()]")
def object_as_the_place_of_a_write(x):
    items = [1.0, 2.0, 3.0]
    items[Stands()] = 4.0
    return x + items[2]


@stands_for_a_number("pow(Stands(), 2, 5)")
def power_of_an_object_by_a_modulus(x):
    return x + pow(Stands(), 2, 5)


@stands_for_a_number("itertools.islice([1.0, 2.0, 3.0], Stands())")
def object_as_the_end_of_islice(x):
    return x + sum(itertools.islice([1.0, 2.0, 3.0], Stands()))


@stands_for_a_number("math.sqrt(*starred)")
def square_root_of_a_starred_object(x):
    starred = [Stands()]
    return x + math.sqrt(*starred)


@stands_for_a_number("functools.partial(math.comb, Stands())(0)")
def object_bound_to_a_partial(x):
    return x + functools.partial(math.comb, Stands())(0)


@stands_for_a_number("functools.partial([1.0, 2.0, 3.0].pop, Stands())()")
def object_bound_to_a_partial_of_a_method(x):
    return x + functools.partial([1.0, 2.0, 3.0].pop, Stands())()


@refused("[1.0] * Stands()", "is an object of the class Stands that the model made", "convert it first")
def list_is_repeated_by_an_object_of_the_model(x):
    return x + len([1.0] * Stands())


@refused("torch.zeros(Stands())", "an object of the class Stands is passed to zeros", "pass tensors")
def object_as_a_size(x):
    return x + torch.zeros(Stands())


@refused("BlockingIOError(1, 2, Stands())", "would be given a Stands", "numbers and texts")
def error_of_the_system_made_of_an_object(x):
    return x + len(BlockingIOError(1, 2, Stands()).args)


@refused("functools.wraps(x)", "wraps.* would be given a Tensor", "function")
def tensor_is_wrapped(x):
    @functools.wraps(x)
    def inner():
        return 1.0

    return x + inner()


@refused("torch.sparse_coo_tensor([[0]], [1.0], (2,))", "layout torch.sparse_coo", "to_dense")
def sparse_tensor_is_made(x):
    return x + torch.sparse_coo_tensor([[0]], [1.0], (2,)).to_dense()


@refused("itertools.count(Stands())", "count.. is given an object", "number")
def counting_from_an_object(x):
    return x + next(itertools.count(Stands())).__index__()


@refused("torch.fbgemm_pack_gemm_matrix_fp16(torch.ones(2, 2))", "fbgemm_pack", "")
def what_fbgemm_packs(x):
    return x + torch.fbgemm_pack_gemm_matrix_fp16(torch.ones(2, 2)).float().sum()
