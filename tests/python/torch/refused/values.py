# SPDX-License-Identifier: Apache-2.0
"""Refused: input-dependent loops and sizes, values that would be frozen, callables without source."""

import asyncio
import collections
from collections import Counter

import numpy
import numpy as np
import torch
from python.torch.refused.case import refused
from torch import nn
from torch.nn import functional

INDEX = (torch.tensor([1.0, 2.0]), torch.tensor(1))


@refused(
    "x.sum() > 1",
    "how often this loop runs .* and width, needed at .*, must be known",
    "for .* in range|bound",
)
def dynamic_loop_that_needs_its_counter(x):
    width = 1
    while x.sum() > 1:
        x = torch.nn.functional.avg_pool1d(x[None], 1, width)[0] / 2
        width += 1
    return x


@refused("shrink(t / 2)", "recurs", "depth|loop|bound")
def recursion_without_a_static_bound(x):
    def shrink(t):
        if t.sum() < 1:
            return t
        return shrink(t / 2)

    return shrink(x)


@refused("[0] * n", "how often a list is repeated", "shapes")
def list_of_dynamic_length(x):
    n = int(x[0])
    return [0] * n


@refused(
    "functional.max_pool2d(x, n)", "max_pool2d|kernel", "static|fixed|known", example=torch.ones(1, 1, 4, 4)
)
def kernel_of_dynamic_size(x):
    n = int(x[0, 0, 0, 0]) + 1
    return functional.max_pool2d(x, n)


@refused("x.sum(dim=d)", "dim|sum", "static|fixed|known", example=(torch.ones(2, 2), torch.tensor(1)))
def dim_from_a_number(x, i):
    d = int(i)
    return x.sum(dim=d)


@refused('return f"{x.item()}"', "text with numbers", "return the numbers")
def number_as_text_in_the_result(x):
    x = x.sum()
    return f"{x.item()}"


@refused("str(x)", "text|string|format|str", "return the tensor|number|tensor")
def tensor_as_text_in_the_result(x):
    return str(x)


@refused('return "%d" % n', "text with numbers", "return the numbers")
def percent_format(x):
    n = int(x[0])
    return "%d" % n


@refused("table[name]", "key|text|string", "number|switch|if", example=INDEX)
def text_of_a_number_as_a_key(x, i):
    table = {"00": x, "01": -x}
    name = f"{int(i):02d}"
    return table[name]


@refused('"ab" * n', "'str' \\* 'int' is not modelled", "numbers or tensors")
def repeated_text(x):
    n = int(x[0])
    return len("ab" * n)


@refused("{n: x}", "key of a dict", "in a list")
def number_as_a_key(x):
    n = int(x[0])
    return {n: x}


@refused("frozenset([1, n])", "element of a set", "in a list")
def number_in_a_frozenset(x):
    n = int(x[0])
    return len(frozenset([1, n]))


@refused("seen.add((n, 1))", "element of a set", "in a list")
def tuple_of_a_number_added_to_a_set(x):
    seen = set()
    n = int(x[0])
    seen.add((n, 1))
    return len(seen)


@refused("{1, n}:", "walks a set by the hashes of its elements", "sorted")
def walk_of_a_set_with_a_number(x):
    n = int(x[0])
    for number in {1, n}:
        x = x * number + 1
    return x


@refused("{1, n}.pop()", "pop of set is not modelled", "list")
def element_of_a_set_with_a_number_is_popped(x):
    n = int(x[0])
    return {1, n}.pop()


@refused("{n, (1, 2)}", "a tuple is added to a set of numbers of the input", "list")
def tuple_beside_a_number_in_a_set(x):
    n = int(x[0])
    return len({n, (1, 2)})


@refused("x in seen", "a Tensor is looked for in a set of numbers", "list")
def tensor_looked_for_in_a_set_of_numbers(x):
    seen = {int(x[0])}
    return x in seen


@refused("_ in seen:", "elements of a set change while it is iterated", "list")
def number_added_to_a_set_that_is_walked(x):
    seen = {4, 5}
    for _ in seen:
        seen.add(int(x[0]))
    return len(seen)


SEEN = {3}


@refused("SEEN.add(n)", "element of a set", "in a list")
def number_added_to_a_set_that_outlives_the_call(x):
    n = int(x[0])
    SEEN.add(n)
    return len(SEEN)


@refused("votes[key]", "key of a dict", "in a list")
def number_as_a_key_of_a_counter(x):
    votes = Counter("ab")
    key = int(x[0])
    votes[key] += 1
    return votes.total()


@refused('Counter("a") | {"b": 1}', "__ror__", "")
def counter_beside_a_dict(x):
    return dict(Counter("a") | {"b": 1}), x


@refused('return Counter("ab")', "returned value is a Counter", "")
def counter_as_a_result(x):
    return Counter("ab")


@refused("hash(n)", "hash", "in a list")
def hash_of_a_number(x):
    n = x[0].item()
    return hash(n)


@refused("getattr(self, name)", "name of an attribute", "branch on it", example=INDEX)
class AttributeOfADynamicName(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer0, self.layer1 = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, i):
        name = f"layer{int(i)}"
        return getattr(self, name)(x)


@refused("sorted(", "64|sort", r"torch\.sort|sort")
def sorting_many_numbers(x):
    values = x.repeat(40).tolist()
    return sorted(values)


@refused("numpy.median(x.numpy())", "numpy.median", "torch|leaf")
def a_function_of_numpy_without_a_model(x):
    return x * float(numpy.median(x.numpy()))


@refused("numpy.array([x.argmax()]", "a tensor of torch.int64 becomes an array of int8", "convert the tensor")
def a_tensor_in_a_list_becomes_a_small_integer(x):
    return x + torch.from_numpy(numpy.array([x.argmax()], dtype=numpy.int8))


@refused("numpy.sort(x)", "sort.. of numpy is given a tensor", r"tensor\.numpy\(\)")
def numpy_on_a_tensor(x):
    return torch.as_tensor(numpy.sort(x))


@refused("x.numpy().strides", "'strides' of a numpy array", "torch")
def an_attribute_of_an_array(x):
    return x + len(x.numpy().strides)


@refused("numpy.argsort(x.numpy())", "order of equal elements", "stable")
def equal_elements_in_any_order(x):
    return x[numpy.argsort(x.numpy())]


@refused("x * x.numpy()", "an array of numpy is passed to mul", "from_numpy")
def a_tensor_meets_an_array(x):
    return x * x.numpy()


@refused("x.numpy() * x", "neither a number nor an array", "from_numpy")
def an_array_meets_a_tensor(x):
    return torch.from_numpy(x.numpy() * x)


@refused("a // a", "may be 0", "known number")
def integers_divided_by_what_may_be_zero(x):
    a = x.to(torch.int64).numpy()
    return torch.from_numpy(a // a)


@refused("x.numpy()[::-1]", "backwards", "flip")
def an_array_backwards(x):
    return torch.from_numpy(x.numpy()[::-1].copy())


@refused("{x.numpy()[0]: 1}", "known at compile time", "")
def a_number_of_numpy_as_a_key(x):
    return x + len({x.numpy()[0]: 1})


@refused("a += 0.5", "another kind", "convert")
def floats_into_integers_in_place(x):
    a = x.to(torch.int64).numpy()
    a += 0.5
    return torch.from_numpy(a)


made_without_source = eval("lambda t: t * 2 if t.sum() > 0 else t")


@refused("made_without_source(x)", "source", "file|leaf|def")
def callable_without_source(x):
    return made_without_source(x)


@torch.jit.ignore
def plain(t):
    return t


compiled_c = numpy.frompyfunc(lambda a: a, 1, 1)


@refused("compiled_c(x)", "source|ufunc|numpy", "leaf|torch")
def callable_of_another_library(x):
    return compiled_c(x)


@refused("async def later", "async is not supported", "ordinary statement")
def coroutines(x):
    async def later(t):
        return t

    return asyncio.run(later(x))


@refused("x.to_sparse()", "sparse", "dense|strided")
def sparse_tensors(x):
    return x.to_sparse()


@refused("torch.complex(x, x)", "complex", "real|view_as_real|two")
def complex_tensors(x):
    return torch.complex(x, x)


@refused('x.to("meta")', "meta|device", "cpu|device")
def another_device(x):
    return x.to("meta")


@refused("type(", "class|type", "outside|def", example=INDEX)
def classes_made_from_values(x, i):
    made = type("Made", (), {"k": int(i)})
    return made


@refused("return nn.Identity", "returned value is a", "dataclasses")
def results_of_a_foreign_kind(x):
    if x.sum() > 0:
        return nn.Identity
    return x


class Worded(Exception):  # noqa: N818
    def __str__(self):
        return "in other words"


@refused("raise Worded(n)", "class defines __str__", r"super\(\)")
def exception_with_words_of_its_own(x):
    n = int(x[0])
    if n > 3:
        raise Worded(n)
    return x


@refused("raise KeyError(n, n)", "several values", "f-string")
def exception_with_several_numbers(x):
    n = int(x[0])
    if n > 3:
        raise KeyError(n, n)
    return x


@refused("key in table", "keys of a dict change", r"list\(d\)")
def dict_changed_while_iterated(x):
    table = {"a": x}
    if x.sum() > 0:
        table["b"] = -x
    for key in table:
        table.pop(key)
        table[key + key] = x
    return table


@refused("table[t]", "tensor is a key", "number")
def tensor_as_a_key(x):
    table = {0: x}
    t = x.sum()
    return table[t]


@refused("class Local", "class", "outside|module|move")
def class_statement_in_a_function(x):
    class Local:
        k = 2

    return x * Local.k


@refused("[10, 20, 30][::n]", "the step of range", "")
def step_of_a_slice_of_a_list(x):
    n = int(x[0])
    return [10, 20, 30][::n]


@refused("float(x[0]) == 1 + 0j", "'float' == 'complex' is not modelled", "")
def a_number_is_compared_with_a_complex_one(x):
    return x + (float(x[0]) == 1 + 0j)


@refused("t[0, :, [0, 1]]", "numbers and arrays", "two steps")
def numbers_and_arrays_in_one_index(x):
    t = x.repeat(4).reshape(2, 2, 2).numpy()
    return torch.from_numpy(t[0, :, [0, 1]])


@refused("x.numpy().argmax() * (1, 2)", "repeated by a number of numpy", r"int\(\)")
def a_tuple_is_repeated_by_a_number_of_numpy(x):
    return x + len(x.numpy().argmax() * (1, 2))


@refused("a[0] = np.array([5.0])", "a sequence is written to one element", "elements")
def a_sequence_is_written_to_one_element(x):
    a = x.numpy()
    a[0] = np.array([5.0])
    return x


@refused("x.numpy()[0].is_integer()", "'is_integer' of a numpy array", "torch")
def a_method_that_only_numbers_have(x):
    return x + x.numpy()[0].is_integer()


@refused("a.sum(axis=())", "reduces nothing", "leave")
def nothing_is_reduced(x):
    a = x.numpy()
    return torch.from_numpy(a.sum(axis=()))


@refused('x.numpy().copy(order="F")', "another order", "torch")
def a_copy_in_another_order(x):
    return torch.from_numpy(x.numpy().copy(order="F"))


@refused("np.sum(x.numpy(), axis=2)", "class defines __str__ leaves", r"super\(\)")
def an_error_of_an_axis_leaves_the_program(x):
    if x.sum() > 0:
        return x
    return np.sum(x.numpy(), axis=2)


@refused("a[:, places.T]", "another order than C's", "copy")
def an_index_in_another_order(x):
    a, places = x.repeat(4).reshape(2, 4).numpy(), np.zeros((2, 2), dtype=int) + int(x[0] > 0)
    return torch.from_numpy(a[:, places.T])


@refused("deep.unsqueeze(0)", "more than 64 dimensions", "rank")
def a_rank_that_grows_with_every_trip(x):
    deep = x
    for _ in range(70):
        deep = deep.unsqueeze(0)
    return deep


@refused("x.size(int(x[0]))", "computed from tensors as an argument of size", "known when .* compiled")
def a_size_of_a_dimension_that_the_input_names(x):
    return x + x.size(int(x[0]))


@refused("torch.addmm", "depends on its library", "", example=torch.ones(2, 2))
def a_product_times_nothing(x):
    return torch.addmm(x, x, x, alpha=0)


@refused("kept.remove(1)", "how often this loop runs depends on the input", "known at compile time")
def what_is_left_is_searched_in_each_trip(x):
    kept = collections.deque([3.0, 1.0, 2.0])
    n = 0
    while n < x.sum():
        kept.remove(1)
        n += 1
    return x + len(kept)


@refused('hash("abc")', "hash.. of a str is another number in another process", r"sum\(text")
def a_text_is_hashed(x):
    return x * (hash("abc") % 7)


@refused("hash((1, b))", "hash.. of a tuple is another number in another process", "follows from the value")
def a_tuple_that_holds_bytes_is_hashed(x):
    b = b"abc"
    return x * (hash((1, b)) % 7)


@refused('"abc".__hash__()', "__hash__", "")
def a_text_is_asked_for_its_hash(x):
    return x * ("abc".__hash__() % 7)


@refused("array + int(x[0])", "^a number that may lie outside of torch.int8 meets an array", "astype")
def a_number_beside_an_array_that_may_not_hold_it(x):
    array = x.to(torch.int8).numpy()
    return array + int(x[0])


@refused("torch.signbit(x)", "the sign of NaN has no ONNX form", r"1 / x < 0")
def the_sign_bit_of_a_float(x):
    return torch.signbit(x)


@refused("torch.copysign(x, -x)", "the sign of NaN has no ONNX form", r"torch\.where")
def the_sign_of_a_float_is_copied(x):
    return torch.copysign(x, -x)
