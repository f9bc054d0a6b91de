# SPDX-License-Identifier: Apache-2.0
"""Refused: special methods that a class takes from C."""

import operator

import torch
from python.torch.refused.case import refused
from torch.overrides import has_torch_function


class Contained(dict):
    __eq__ = dict.__contains__
    __hash__ = None


class Repeated(list):
    __add__ = list.__mul__


class Activation:
    __call__ = torch.relu


class Same:
    __eq__ = operator.is_
    __hash__ = None


class Added:
    def __add__(self, other):
        return NotImplemented


class Measured:
    __radd__ = operator.neg


class Sized:
    __len__ = operator.index


class Shown(dict):
    __str__ = dict.__len__

    def __repr__(self):
        return "shown"


class Made(dict):
    __init__ = dict.update


class AskedInC:
    __getattr__ = len


CONTAINED, ACTIVATION, SHOWN = Contained(a=1), Activation(), Shown()


@refused('Contained(a=1) == "a"', r"the method __eq__ of .*Contained is a", "def")
def equality_is_a_method_of_dict(x):
    return x + (Contained(a=1) == "a")


@refused('CONTAINED == "a"', r"the method __eq__ of .*Contained", "def")
def equality_of_an_object_from_before(x):
    return x + (CONTAINED == "a")


@refused("Repeated([1]) + 2", r"the method __add__ of .*Repeated", "def")
def addition_is_a_method_of_list(x):
    return x + len(Repeated([1]) + 2)


@refused("Activation()(x)", r"the method __call__ of .*Activation is a builtin_function_or_method", "def")
def a_call_is_a_function_of_torch(x):
    try:
        return Activation()(x)
    except TypeError:
        return x * 100


@refused("ACTIVATION(x)", r"the method __call__ of .*Activation", "def")
def a_call_of_an_object_from_before(x):
    try:
        return ACTIVATION(x)
    except TypeError:
        return x * 100


@refused("Same() == 3", r"the method __eq__ of .*Same", "def")
def equality_is_a_function_of_operator(x):
    try:
        return x + (Same() == 3)
    except TypeError:
        return x * 2


@refused("Added() + Measured()", r"the method __radd__ of .*Measured", "def")
def the_other_operand_is_asked(x):
    try:
        return Added() + Measured()
    except TypeError:
        return x * 2


@refused("len(Sized())", r"the method __len__ of .*Sized", "def")
def a_length_is_a_function_of_operator(x):
    try:
        return x + len(Sized())
    except TypeError:
        return x * 2


@refused("str(Shown())", r"the method __str__ of .*Shown", "def")
def a_text_is_a_method_of_dict(x):
    try:
        return x + len(str(Shown()))
    except TypeError:
        return x * 2


@refused("str(SHOWN)", r"the method __str__ of .*Shown", "def")
def a_text_of_an_object_from_before(x):
    try:
        return x + len(str(SHOWN))
    except TypeError:
        return x * 2


@refused("Made(a=x)", r"the method __init__ of .*Made", "def")
def an_object_is_made_by_a_method_of_dict(x):
    return Made(a=x)["a"]


@refused("AskedInC().y", r"the method __getattr__ of .*AskedInC", "def")
def an_attribute_is_a_builtin_function(x):
    try:
        return AskedInC().y
    except TypeError:
        return x * 2


class Wrapped:
    def __init__(self, tensor):
        self.tensor = tensor

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return function(*[each.tensor for each in args])


@refused("has_torch_function((wrapped,))", "Wrapped defines __torch_function__", "of your own")
def torch_is_asked_for_a_function_of_the_class(x):
    wrapped = Wrapped(x)
    return x if has_torch_function((wrapped,)) else -x


@refused("torch.relu(Wrapped(x))", "an object of the class .*Wrapped is passed to relu", "pass tensors")
def an_object_with_a_torch_function_is_passed(x):
    return torch.relu(Wrapped(x))
