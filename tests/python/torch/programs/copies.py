# SPDX-License-Identifier: Apache-2.0
"""copy.copy, copy.deepcopy and dataclasses.asdict: what is one object, what is shared, how it lies."""

import collections
import copy
import dataclasses

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


class Level(int):
    pass


class Label(str):
    pass


LEVEL, LABEL = Level(5), Label("a")
LEVEL.seen, LABEL.seen = [1], [2]


@case(A, B)
def tuples_are_copied_where_they_must_be(x):
    plain, holding = (1, (2, "a")), ([x], 2)
    pair = copy.deepcopy([holding, holding])
    pair[0][0].append(1)
    same = copy.deepcopy(plain) is plain, copy.deepcopy(holding) is holding, copy.copy(holding) is holding
    return same, pair[0] is pair[1], len(pair[1][0]), len(holding[0])


@case(A, B)
def a_tuple_that_holds_itself(x):
    inner = []
    outer = (inner, x)
    inner.append(outer)
    copied = copy.deepcopy(outer)
    return copied[0][0] is copied, copied[0][0] is outer, copied[1]


@case(A, B)
def numbers_and_texts_of_classes_of_their_own(x):
    level, (label,) = copy.deepcopy(LEVEL), copy.deepcopy([LABEL])
    same = level is LEVEL, label is LABEL, level.seen is LEVEL.seen, label.seen is LABEL.seen
    return same, x * int(level == 5), label == "a"


@case(A, B)
def functions_are_not_copied(x):
    def scaled(t):
        return t * 2

    scaled.factor = 3
    held = copy.deepcopy({"f": scaled, "t": x})
    return held["f"] is scaled, copy.copy(scaled) is scaled, held["f"](held["t"]) * held["f"].factor


@case(A, B)
def a_copied_view_begins_where_the_view_does(x):
    rows = torch.stack([x, x + 1])
    copied = copy.deepcopy(rows[1])
    copied.add_(1)
    return copied, rows, copied.storage_offset(), copy.deepcopy(rows.t()).stride()


@dataclasses.dataclass
class Held:
    value: object


class Rows(list):
    pass


@case(A, B)
def fields_keep_the_classes_of_their_containers(x):
    ordered = dataclasses.asdict(Held(collections.OrderedDict(a=1, b=Held(x))))
    rows = dataclasses.asdict(Held(Rows([1, x])))
    return type(ordered["value"]).__name__, type(rows["value"]).__name__, ordered, rows["value"][1]
