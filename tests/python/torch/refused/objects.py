# SPDX-License-Identifier: Apache-2.0
"""Refused: state in closures and tables, what Python runs later, and exceptions that a try would take."""

import contextvars
import copy
import functools
from collections import OrderedDict

import numpy as np
import torch
from python.torch.refused.case import refused
from torch import nn


@refused("count += 1", r"self\.step\.count is read here and written", "state=True")
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        count = 0

        def step(x):
            nonlocal count
            count += 1
            return x + count

        self.step = step

    def forward(self, x):
        return self.step(x)


class Held:
    k = 3

    def __init__(self):
        self.k = 1


HELD = Held()


@refused("HELD.k", "and the dict that holds it is used by itself", "the attribute alone")
def attributes_are_read_as_a_dict(x):
    attributes = HELD.__dict__
    HELD.k = 7
    return x + attributes["k"]


@refused("HELD.k", "the attribute k of Held is read here and written", "")
def an_attribute_is_deleted(x):
    if x.sum() > 0:
        del HELD.k
    return x


RELU = nn.ReLU()


@refused("self.children()", "the layers, parameters or buffers of Growing are read here and written", "")
class Growing(nn.Module):
    def forward(self, x):
        found = x + len(list(self.children()))
        self.extra = RELU
        return found


def cleaning(log):
    try:
        yield 1
        yield 2
    finally:
        log.append("end")


@refused("return log", r"the generator cleaning\(\) is left inside of a try or with", "walk it to its end")
def a_generator_is_left(x):
    log = []
    for _ in cleaning(log):
        if x.sum() > 0:
            break
    return log


class Finished:
    def __del__(self):
        pass


@refused("Finished()", "Finished defines __del__, which Python runs when the last reference goes", "by name")
def an_object_has_a_finalizer(x):
    return x if Finished() else x + 1


@refused("int(x[1].long()) ** -1", r"\*\* may raise .*, inside of a try", "test the numbers first")
def a_power_is_tried(x):
    try:
        return int(x[1].long()) ** -1
    except ZeroDivisionError:
        return "zero"


@refused("1 << int(x[0].long())", "<< may raise for some inputs, inside of a try", "test the numbers first")
def a_shift_is_tried(x):
    try:
        return 1 << int(x[0].long())
    except ValueError:
        return "negative"


@refused("y in found", "a container compares numbers that may be NaN, inside of a try", "outside of the try")
def a_nan_is_looked_for(x):
    y = float(x[0])
    found = [y]
    if x.sum() > 0:
        found = [float(x[0])]
    try:
        return y in found
    except RuntimeError:
        return "no"


@refused("a < int(x[0].long())", "a number that may lie outside", "")
def a_refusal_of_a_model_is_not_caught(x):
    a = x.to(torch.int8).numpy()
    try:
        return a < int(x[0].long())
    except Exception:
        return a > 100


@refused("k in {0.1, 5.0}", "not modelled", "")
def a_number_of_numpy_is_looked_for_in_a_set(x):
    k = x.numpy()[0]
    return k in {0.1, 5.0}


@refused("(a[0] > 0) is (a[1] > 0)", "`is` compares numbers that depend on the input", "use ==")
def bools_of_numpy_are_one_object(x):
    a = x.numpy()
    return (a[0] > 0) is (a[1] > 0)


class Long(list):
    def __len__(self):
        return 77


LONG = Long([1, 2])


@refused("list.__len__(LONG)", r"__len__\(\) of a Long reads its contents past", r"list\(")
def a_method_of_the_base_is_called(x):
    return x + list.__len__(LONG)


@refused("next(first, None)", "in each of more than 1000 trips .* found must be known", "range")
def an_iterator_ends_a_loop_that_makes_keys(x):
    first, found = iter(x.tolist() if x.sum() > 0 else [1.0]), {}
    while True:
        value = next(first, None)
        if value is None:
            return found
        found[f"value {len(found)}"] = value


class Shown:
    @property
    def __class__(self):
        return int


@refused("isinstance(Shown(), int)", "says itself what its class is", r"type\(\)")
def an_object_says_what_its_class_is(x):
    return x + isinstance(Shown(), int)


class Entered:
    def __enter__(self):
        return self


@refused("Entered()", "does not support the context manager protocol .missed __exit__", "")
def a_context_has_no_exit(x):
    with Entered():
        return x


DEPTH = contextvars.ContextVar("DEPTH", default=1)


@refused("DEPTH.get()", "a context variable is read here and written by the same call", "")
def a_context_variable_stays_set(x):
    found = x + DEPTH.get()
    DEPTH.set(2)
    return found


@refused("object.__getattribute__(HELD", "the attribute k of Held is read here and written", "state=True")
def an_attribute_is_read_past_the_class(x):
    found = x + object.__getattribute__(HELD, "k")
    HELD.k = 9
    return found


@refused("HELD.missing", "the attribute missing of Held is read here and written", "state=True")
def an_attribute_that_is_not_there_is_deleted(x):
    try:
        del HELD.missing
    except AttributeError:
        x = x + 1
    setattr(HELD, "missing", 1)
    return x


EVERY = BaseException


def keeping(log):
    try:
        yield 1
    except EVERY:
        log.append("end")
        raise


@refused("return log", r"the generator keeping\(\) is left inside of a try or with", "walk it to its end")
def a_generator_with_another_name_for_all_exceptions_is_left(x):
    log = []
    next(keeping(log))
    return log


PAIR = Held()
PAIR.layers = nn.Sequential(nn.Linear(2, 2))
PAIR.first = PAIR.layers[0]


@refused("copy.deepcopy(PAIR)", "may share memory with another", "one by one")
def layers_that_share_are_copied(x):
    made = copy.deepcopy(PAIR)
    return x + (made.layers[0] is made.first)


@refused("x.expand(3, 2).numpy().astype(np.float64)", "one element in many places", "clone")
def an_expanded_array_is_converted(x):
    return x.expand(3, 2).numpy().astype(np.float64).T.reshape(-1)


class InOrder:
    pass


@refused("thing.__dict__", "set in different orders on different paths", "one order")
def attributes_are_set_in_different_orders(x):
    thing = InOrder()
    if x.sum() > 0:
        thing.a, thing.b = x, x + 1
    else:
        thing.b, thing.a = x, x + 1
    return list(thing.__dict__)


@refused("vars()", "without an argument gives local variables", "names themselves")
def local_variables(x):
    return vars()["x"]


class Sorted(OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


@refused("Sorted(a=x)", "which defines __setitem__, is filled", "derive the class from dict")
def an_ordered_dict_with_its_own_writes_is_filled(x):
    return Sorted(a=x)["a"]


class Listed(dict):
    def __iter__(self):
        return iter(["b"])

    def keys(self):
        return ["b"]


LISTED = Listed(a=1)


@refused("dict(**LISTED)", "walked in a way of its own", "use a dict")
def keywords_of_a_dict_that_is_walked_otherwise(x):
    return x, dict(**LISTED)


class Anything(type):
    def __instancecheck__(cls, instance):
        return True


class Any(metaclass=Anything):
    pass


@refused("Any()", "decides itself what its instances are", "isinstance")
def a_pattern_of_a_class_that_decides(x):
    match x.shape[0]:
        case Any():
            return x + 1


def helped(t):
    return t * 3


MODE = "".join(["fan", "_in"])


@refused('MODE is "fan_in"', "how CPython keeps constants", "==")
def equal_texts_are_compared_by_identity(x):
    return x if MODE is "fan_in" else x + 1  # noqa: F632


@refused("first is second", "how CPython keeps constants", "==")
def equal_tuples_are_compared_by_identity(x):
    first, second = (1, 2), (1, 2)
    return x if first is second else x + 1


@refused("list({3, 11, 19})", "is not known, since hashes of its elements collide", "sorted")
def a_set_of_constants_that_collide_is_walked(x):
    return x, list({3, 11, 19})


@refused("scaled.__code__ = helped.__code__", "'__code__' of a function", "define another")
def the_code_of_a_function_is_replaced(x):
    def scaled(t):
        return t * 2

    scaled.__code__ = helped.__code__
    return scaled(x)


@refused("scaled.factor = 3", "'factor' of a partial", "keep it in a variable")
def an_attribute_of_a_partial_is_set(x):
    scaled = functools.partial(torch.mul, x)
    scaled.factor = 3
    return scaled(2) * scaled.factor


@refused("error.__cause__", "'__cause__' of an exception", "args")
def the_cause_of_an_exception_is_read(x):
    try:
        raise ValueError("a") from KeyError("b")
    except ValueError as error:
        return x if error.__cause__ is None else x + 1


@refused("copy.deepcopy({HELD: x})", "a Held is a key or an element", "numbers, texts")
def a_dict_with_an_object_as_a_key_is_copied(x):
    copied = copy.deepcopy({HELD: x})
    return x + (HELD in copied)


@refused("copy.deepcopy(x.expand(3, 2))", "do not lie one after the other", r"clone\(\)")
def an_expanded_tensor_is_copied_deeply(x):
    copied = copy.deepcopy(x.expand(3, 2))
    copied[0] = 5
    return copied


class _KeptError(ValueError):
    def __init__(self, kept):
        super().__init__("kept")
        self.kept = kept


@refused("raise _KeptError(x)", "with the attribute 'kept', which is no number", "inside of the model")
def an_exception_that_keeps_a_tensor_leaves_the_program(x):
    if x.sum() > 0:
        raise _KeptError(x)
    return x


@refused("raise _KeptError((1, f", "with the attribute 'kept', which is no number", "inside of the model")
def an_exception_that_keeps_a_text_of_the_input_leaves_the_program(x):
    if x.sum() > 0:
        raise _KeptError((1, f"{x.sum().item()}"))
    return x
