# SPDX-License-Identifier: Apache-2.0
"""Classes that derive from dict, OrderedDict and list, as published models define them."""

import dataclasses
from collections import OrderedDict

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


class Namespace(OrderedDict):
    """Entries are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def to_tuple(self):
        return tuple(self.values())


@dataclasses.dataclass
class Output(OrderedDict):
    """What a library of transformers returns: a dataclass whose fields that are not None are its entries."""

    logits: object = None
    hidden: object = None
    steps: int = 0

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __getitem__(self, key):
        if isinstance(key, str):
            return dict(self.items())[key]
        return self.to_tuple()[key]

    def __setattr__(self, name, value):
        if name in self.keys() and value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def to_tuple(self):
        return tuple(self[key] for key in self.keys())


class Counting(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.writes = 0

    def __setitem__(self, key, value):
        self.writes += 1
        super().__setitem__(key, value)


class Processors(list):
    def __call__(self, x):
        for function in self:
            x = function(x)
        return x


LIVE = Processors([torch.relu, torch.tanh])


@case(A, B)
def entries_as_attributes(x):
    values = Namespace(a=x, b=x * 2)
    if x.sum() > 0:
        values["c"] = x + 1
    found = values.c if "c" in values else values.get("c", x)
    return values.a + values["b"] + found, len(values), hasattr(values, "c"), list(values)


@case(A, B)
def an_output_is_used(x):
    output = Output(logits=x + 1)
    output.hidden = x if x.sum() > 0 else x * 2
    output["steps"] = 3
    first, *rest = output.to_tuple()
    return first + output[0] + output["logits"], len(rest), output.steps, output.hidden


@case(A, B)
def an_output_is_returned(x):
    return Output(logits=x + 1, hidden=x if x.sum() > 0 else None)


@case(A, B)
def containers_are_returned(x):
    entries = OrderedDict([("b", x), ("a", x + 1)])
    entries.move_to_end("b") if x.sum() > 0 else entries.update(c=x)
    return entries, Namespace(x=x), Processors([x, x * 2])


@case(A, B)
def methods_of_the_class_see_every_write(x):
    values = Counting(a=x)
    values["b"] = x + 1
    if x.sum() > 0:
        values["a"] = x * 3
    values.update(c=x)  # dict's own: it does not call __setitem__
    return values["a"] + values["b"] + values.pop("c"), values.writes, len(values), sorted(values)


@case(A, B)
def lists_of_functions(x):
    made = Processors()
    made.append(torch.sigmoid)
    if x.sum() > 0:
        made.extend([torch.exp])
    same = made
    same.insert(0, torch.abs)
    return LIVE(x) + made(x), len(made), bool(Processors()), made is same


@case(A, B)
def truth_and_equality(x):
    empty, full = Namespace(), Namespace(a=1)
    return (
        x + 1 if full and not empty and full == {"a": 1} and full == Namespace(a=1) and full != empty else x
    )


class Elsewhere(dict):
    """Iteration is not what the dict holds; `in`, `len` and `==` are."""

    def __iter__(self):
        return iter(["z"])

    def keys(self):
        return ["q"]

    def __getitem__(self, key):
        return 7


@case(A, B)
def what_the_class_defines_and_what_it_inherits(x):
    values = Elsewhere(a=1)
    found = [list(values), dict(values), {**values}, "a" in values, "z" in values, len(values), values["no"]]
    return x, found, values == {"a": 1}


@case(v(3.0), v(1.0), v(0.0))
def filled_in_a_loop(x):
    found = Counting()
    for i in range(3):
        if x[0] > i:
            found[i] = x * i
        else:
            found[i] = x - i
    return [value for _, value in sorted(found.items())], found.writes


class Tens(dict):
    """C copies its entries past this method."""

    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class OneKey(dict):
    def keys(self):
        return ["a"]


class OneWalked(dict):
    def __iter__(self):
        return iter(["b"])


class OneOfEach(OneWalked):
    """Of such a class CPython asks keys() and __getitem__."""

    def keys(self):
        return ["b"]

    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class OrderedTens(OrderedDict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class Backwards(dict):
    def __reversed__(self):
        return iter(["z"])


class OtherOrder(list):
    def __reversed__(self):
        return iter(["z"])


def copies_of(values):
    updated, ordered = {"z": 1}, OrderedDict()
    updated.update(values)
    ordered.update(values)
    return [
        dict(values),
        {**values},
        {"q": 1, **values},
        dict(values, z=1),
        updated,
        ordered,
        OrderedDict(values),
    ]


LIVE_DICTS = [kind(a=2, b=3) for kind in (Tens, OneKey, OneWalked, OneOfEach, OrderedTens)]
LIVE_OTHER = OtherOrder([1, 2])


@case(A, B)
def copies_of_derived_dicts(x):
    ordered = OrderedTens()
    ordered["a"] = x
    made = [kind(a=x, b=x + 1) for kind in (Tens, OneKey, OneWalked, OneOfEach)]
    return [copies_of(values) for values in [*made, ordered]]


@case(A, B)
def copies_of_live_derived_dicts(x):
    return x, [copies_of(values) for values in LIVE_DICTS]


@case((Tens(a=A),), (Tens(a=B),))
def copies_of_a_derived_dict_of_the_caller(values):
    return copies_of(values), values["a"]


@case(A, B)
def a_derived_dict_becomes_keywords(x):
    def called(**values):
        return values

    return x, called(**LIVE_DICTS[0]), called(z=1, **LIVE_DICTS[1])


@case(A, B)
def read_backwards(x):
    made = [OneWalked(a=1, b=2), Backwards(a=1), OtherOrder([1, 2]), OrderedDict(a=1, b=2), LIVE_OTHER]
    return x, [list(reversed(values)) for values in [*made, LIVE_DICTS[2]]]


class Label(str):
    pass


LABEL = Label("ab")


@case(A, B)
def texts_of_a_derived_class_are_joined(x):
    joined = "".join([LABEL])
    return x, joined, type(joined) is str, "-".join([LABEL, "z"]), LABEL.join(["p", "q"])


# ---- methods of dict as special methods


class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Lenient(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


CONFIG, LENIENT = AttrDict(scale=2.0), Lenient(scale=3.0)


@case(A, B)
def attributes_are_entries(x):
    d = AttrDict(shift=1.0)
    d.scale = 2.0
    if x.sum() > 0:
        d.y = x
        del d.shift
    return x * d.get("scale", 1.0), len(d), "y" in d, d.scale


@case(A, B)
def an_entry_is_an_attribute(x):
    d = AttrDict(y=x)
    try:
        y = d.y
    except AttributeError:  # static
        y = x * 100  # static
    return y + 1 if x.sum() > 0 else y


@case(A, B)
def a_missing_attribute_is_a_missing_key(x):
    d = AttrDict()
    if x.sum() > 0:
        d.y = x
    try:
        return d.y
    except AttributeError:
        return x * 100  # static
    except KeyError:
        return x * 2


@case(A, B)
def a_missing_attribute_is_none(x):
    d = Lenient(a=1)
    if x.sum() > 0:
        d.b = x
    return x if d.b is None else x + 1, hasattr(d, "q"), len(d), getattr(d, "q", 7)


@case(A, B)
def attributes_of_a_dict_from_before(x):
    try:
        y = x * CONFIG.scale
    except AttributeError:  # static
        y = x * 100  # static
    if x.sum() > 0:
        y = y + (1 if LENIENT.other is None else 2) * LENIENT.scale
    return y
