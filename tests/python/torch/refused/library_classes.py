# SPDX-License-Identifier: Apache-2.0
"""Refused: C reads the contents of a container past the methods of a class that derives from it."""

import collections

import numpy as np
import torch
from python.torch.refused.case import refused


class Other(tuple):
    def __iter__(self):
        return iter((7, 8, 9))


class Hundreds(list):
    def __getitem__(self, index):
        return 100


class Long(dict):
    def __len__(self):
        return 40

    def get(self, key, default=None):
        return 99


class Odd(float):
    def __add__(self, other):
        return 5.0


class Formatted:
    def __str__(self):
        return "zz"

    def __format__(self, spec):
        return "qqqq" + spec


OTHER, HUNDREDS, LONG, ODD, FORMATTED = Other((4, 5)), Hundreds([1, 2]), Long(a=1), Odd(1.5), Formatted()


@refused("5 in OTHER", "'Other' == 'int' is not modelled", "")
def an_element_is_looked_for(x):
    return x + (1 if 5 in OTHER else 2)


@refused("OTHER.count(5)", r"count\(\) of an Other reads its contents past", r"tuple\(")
def elements_are_counted(x):
    return x + OTHER.count(5)


@refused("HUNDREDS == [1, 2]", "'Hundreds' == 'list' is not modelled", "")
def lists_are_compared(x):
    return x + (HUNDREDS == [1, 2])


@refused("reversed(HUNDREDS)", r"past the __getitem__ of its class", r"list\(")
def a_list_is_read_backwards(x):
    for value in reversed(HUNDREDS):
        x = x * 2 + value
    return x


@refused('{"a": value}', "a get of its own", "dict")
def a_pattern_asks_the_class(x):
    match LONG:
        case {"a": value}:
            return x + value
    return x


@refused("-ODD", "'Odd' - 'Odd' is not modelled", "")
def the_negative_of_a_float_with_operators(x):
    return x + (-ODD)


@refused('f"{FORMATTED}"', "Formatted formats itself", "!s")
def an_object_that_formats_itself(x):
    return x + len(f"{FORMATTED}")


@refused('np.array("now", dtype="datetime64[s]")', "depends on more than its arguments", "input")
def the_clock_in_an_array(x):
    return x + float(np.array("now", dtype="datetime64[s]").astype(np.int64) % 7)


@refused("return collections.deque([x])", "is a collections.deque", "lists")
def a_deque_is_returned(x):
    return collections.deque([x])


@refused("np.array(collections.deque([x[0].item()]))", "array.. of numpy is given values", "torch")
def an_array_of_a_deque(x):
    return x + float(np.array(collections.deque([x[0].item()]))[0])


class Named:
    SHOWN = 1  # a name of the models

    def __radd__(self, other):
        return other + 2


@refused("np.float64(1.5) + Named()", r"float64\.__add__ is called", "")
def a_name_of_the_models_means_nothing_in_a_program(x):
    return x + (np.float64(1.5) + Named())


class Sevens(list):
    def __iter__(self):
        return iter([7, 8])


class Short(list):
    def __len__(self):
        return 1


SIZES, SHORT, OTHER_SIZES = Sevens([1, 2]), Short([1, 0]), Other((1, 2))


@refused("x.repeat(SIZES)", "repeat, which reads its items past the methods", r"list\(")
def torch_reads_sizes_past_the_class(x):
    return x.repeat(SIZES)


@refused("x.repeat(OTHER_SIZES)", "class .*Other is passed to", r"tuple\(")
def torch_reads_sizes_of_a_tuple_past_the_class(x):
    return x.repeat(OTHER_SIZES)


@refused("x[SHORT]", "class .*Short is passed to", r"list\(")
def torch_reads_indices_past_the_class(x):
    return x[SHORT]


@refused("x[SHORT, None]", "class .*Short is passed to", r"list\(")
def torch_reads_indices_in_a_tuple(x):
    return x[SHORT, None]


@refused("torch.permute(x, SHORT)", "class .*Short is passed to", r"list\(", example=torch.ones(2, 3))
def torch_reads_dimensions_past_the_class(x):
    return torch.permute(x, SHORT)


class Walked(dict):
    def __iter__(self):
        return iter(["a"])


@refused("Walked(a=x).copy()", "Walked, which derives from a builtin container", "plain dict")
def copy_asks_the_class(x):
    return Walked(a=x).copy()


@refused("{} | Walked(a=x)", "'dict' . 'Walked' is not modelled", "")
def a_union_asks_the_class(x):
    return {} | Walked(a=x)


class Added(str):
    def __add__(self, other):
        return "added"


ADDED = Added("ab")


@refused('"".join([ADDED, "z"])', r"join\(\) reads a text past the __add__", "plain str")
def join_reads_past_the_class(x):
    return x + len("".join([ADDED, "z"]))


class Sorted(collections.OrderedDict):
    def __getitem__(self, key):
        return 7


SORTED = Sorted(a=1)


@refused("called(**SORTED)", "`..` is applied to something", "dict")
def keywords_ask_the_class(x):
    def called(a):
        return a

    return x + called(**SORTED)


@refused("{} | SORTED", "makes an object of a class that derives from OrderedDict|not modelled", "")
def a_union_makes_an_object_of_the_class(x):
    return x, {} | SORTED


@refused("d.a = 1", "the attribute 'a' of a '.*OrderedDict' object is set", "in a variable, or as an entry")
def an_ordered_dict_gets_an_attribute(x):
    d = collections.OrderedDict()
    if x.sum() > 0:
        d.a = 1
    return x + getattr(d, "a", 7)


class Point(collections.namedtuple("Point", "x y")):
    pass


@refused("p.label = 1", "the attribute 'label' of a 'Point' object is set", "in a variable, or as an entry")
def a_named_tuple_gets_an_attribute(x):
    p = Point(x, 1)
    p.label = 1
    return p.x + p.label


class WithInit(collections.namedtuple("WithInit", "a b", defaults=[4])):
    def __init__(self, a, b=0):
        self.n = b


@refused("WithInit(x)", "the named tuple .*WithInit defines __init__", "make it with a function")
def a_named_tuple_with_an_init(x):
    return WithInit(x).a


class WithProperty(collections.namedtuple("WithProperty", "a b")):
    a = property(lambda self: 7)


@refused("WithProperty(x, 1)", "the named tuple .*WithProperty defines a", "make it with a function")
def a_named_tuple_whose_field_is_a_property(x):
    return WithProperty(x, 1).a


class WithFields(collections.namedtuple("WithFields", "a b")):
    _fields = ("b", "a")


@refused("WithFields(x, 1)", "the named tuple .*WithFields defines _fields", "make it with a function")
def a_named_tuple_with_other_names(x):
    return WithFields(x, 1).a


class WithMake(collections.namedtuple("WithMake", "a b")):
    @classmethod
    def _make(cls, items):
        return super()._make([item * 2 for item in items])


@refused("WithMake(x, 1)", "the named tuple .*WithMake defines _make", "make it with a function")
def a_named_tuple_made_in_another_way(x):
    return WithMake(x, 1)


class WithGetattr(collections.namedtuple("WithGetattr", "a b")):
    def __getattr__(self, name):
        return name


@refused("WithGetattr(x, 1)", "the named tuple .*WithGetattr defines __getattr__", "make it with a function")
def a_named_tuple_with_any_attribute(x):
    return getattr(WithGetattr(x, 1), "other", 5)
