# SPDX-License-Identifier: Apache-2.0
"""Attributes of objects as a dict: `__dict__` and vars()."""

import copy
import dataclasses
import inspect
from collections import OrderedDict

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


class Thing:
    kind = "thing"

    def __init__(self, x):
        self.b = x + 1
        self.a = x * 2


@case(A, B)
def the_dict_has_the_order_of_writing(x):
    thing = Thing(x)
    names = ",".join(thing.__dict__)
    thing.a = x
    del thing.b
    thing.b = x - 1
    return names, list(vars(thing)), [value.sum() for value in thing.__dict__.values()]


@case(A, B)
def the_dict_is_the_object(x):
    thing = Thing(x)
    attributes = thing.__dict__
    thing.c = x * 3
    attributes["d"] = x * 4
    if x.sum() > 0:
        attributes["a"] = x * 5
        thing.b = x * 6
    else:
        del attributes["a"]
    same = thing.__dict__ is attributes
    seen = thing.d, hasattr(thing, "a"), thing.b, thing.kind, "kind" in attributes
    return same, len(attributes), attributes["c"], *seen


@case(A, B)
def keys_of_the_dict_are_asked(x):
    thing = Thing(x)
    found = thing.__dict__.get("a"), thing.__dict__.get("z"), "b" in thing.__dict__, "kind" in vars(thing)
    thing.__dict__.update(z=x, kind="other")
    thing.__dict__.pop("a")
    return found, thing.z, thing.kind, sorted(vars(thing))


@case(A, B)
def a_dict_takes_the_place_of_the_attributes(x):
    thing, attributes = Thing(x), {"a": x * 7}
    thing.__dict__ = attributes
    attributes["e"] = x
    return thing.a, thing.e, hasattr(thing, "b")


class WithSlot:
    __slots__ = ("__dict__", "slot")

    def __init__(self, x):
        self.slot, self.other = x, x + 1


@case(A, B)
def slots_are_beside_the_dict(x):
    thing = WithSlot(x)
    before = list(thing.__dict__)
    thing.__dict__["slot"] = x * 9
    thing.slot = thing.slot + 1
    del thing.slot
    try:
        return thing.slot, before
    except AttributeError:
        return x * 2, before


@dataclasses.dataclass
class Output(OrderedDict):
    first: torch.Tensor = None
    second: torch.Tensor = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = self.__dict__.get(field.name)
            if value is not None:
                self[field.name] = value

    def __setattr__(self, name, value):
        if value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)


@case(A, B)
def an_output_of_a_model(x):
    if x.sum() > 0:
        return Output(first=x)
    return Output(x, x * 2)


@case(A, B)
def copies_have_dicts_of_their_own(x):
    thing = Thing(x)
    thing.__dict__["list"] = [x]
    shallow, deep = copy.copy(thing), copy.deepcopy(thing)
    thing.list.append(x + 1)
    thing.a = x * 0
    return thing.a, shallow.a, deep.a, len(shallow.list), len(deep.list), list(shallow.__dict__)


@case(A, B)
def objects_without_a_dict(x):
    try:
        return vars(x.sum().item())
    except TypeError as error:
        return x, str(error)


class Settings:
    def __init__(self):
        self.scale, self.shift = 2.0, 1.0


SETTINGS = Settings()


@case(A, B)
def the_dict_of_a_live_object(x):
    total = 0.0
    for name, value in vars(SETTINGS).items():
        total = total + value * len(name)
    return x * total


@case(A, B)
def a_loop_over_attributes(x):
    thing = Thing(x)
    for name in list(thing.__dict__):
        if thing.__dict__[name].sum() > 0:
            setattr(thing, name, getattr(thing, name) + 10)
    return thing.a, thing.b


@case(A, B)
def the_dict_is_read_after_paths_meet(x):
    thing = Thing(x)
    if x.sum() > 0:
        thing.a = x
    return dict(thing.__dict__)


@case(A, B)
def attributes_by_keywords(x):
    thing = Thing(x)
    return dict(**vars(thing), c=x)


class Processor:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x, extra=None):
        return x * self.scale + (0 if extra is None else extra)


@case(A, B)
def the_signature_of_a_method(x):
    processor = Processor(x.sum())
    names = list(inspect.signature(processor.__call__).parameters)
    return processor(x, extra=1) if "extra" in names else processor(x), names
