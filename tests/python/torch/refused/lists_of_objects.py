# SPDX-License-Identifier: Apache-2.0
"""Refused: objects in lists of run-time length that are changed or told apart."""

import torch
from python.torch.refused.case import refused


@refused("y += 1", "an element of a list", "clone")
def a_tensor_that_later_trips_have_put_into_a_list(x):
    y = x * 1
    z = x * 2
    out = [z]
    n = 0
    while n < x.sum():
        y += 1
        if n > 0:
            out.append(y)
        else:
            out.append(z)
        n += 1
    return out


@refused('one["n"] = 3', "changed that lies", "copy")
def an_element_is_changed(x):
    found = []
    n = 0
    while n < x.sum():
        found.append({"n": n})
        n += 1
    for one in found:
        one["n"] = 3
    return found


@refused('last["n"] = 7', "changed that lies", "before it is put")
def what_was_appended_is_changed(x):
    found = []
    last = {"n": 0}
    n = 0
    while n < x.sum():
        last = {"n": n}
        found.append(last)
        n += 1
    last["n"] = 7
    return found


@refused("box.append(n)", "changed that lies", "before it is put")
def what_an_element_holds_is_changed(x):
    found = []
    n = 0
    while n < x.sum():
        box = [n]
        found.append((n, box))
        if n > 1:
            box.append(n)
        n += 1
    return found


class Plain:
    def __init__(self, n):
        self.n = n


@refused("found[0] is found[-1]", "`is` compares objects", "what the objects hold")
def elements_are_told_apart(x):
    found = [Plain(0)]
    n = 0
    while n < x.sum():
        found.append(Plain(n))
        n += 1
    if found[0] is found[-1]:
        return x
    return x + 1


@refused("first in found", "compares objects", "what the objects hold")
def an_object_is_looked_for(x):
    first = Plain(0)
    found = [first]
    n = 0
    while n < x.sum():
        found.append(Plain(n))
        n += 1
    return x + (first in found)


@refused("n < x.sum()", "found must be known at compile time", "bound it")
def objects_are_stacked(x):
    found = []
    n = 0
    while n < x.sum():
        found.append((x, x))
        n += 1
    return torch.stack(found)


@refused("torch.stack(found, out=x)", "does not take these arguments", "fewer")
def a_stack_into_a_tensor(x):
    found = []
    n = 0
    while n < x.sum():
        found.append(x)
        n += 1
    try:
        return torch.stack(found, out=x)
    except TypeError:
        return x


@refused("i in range(int(x.sum()))", "how often this loop runs", "bound it")
def a_list_of_lists_that_grow_with_each_trip(x):
    rows = []
    for i in range(int(x.sum())):
        rows.append([j + 1 for j in range(i)])
    return rows
