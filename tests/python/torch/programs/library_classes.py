# SPDX-License-Identifier: Apache-2.0
"""Classes that derive from containers of Python's and change how they are read; deque and others."""

import collections
import types

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


class Settings(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class WithDefault(dict):
    def __missing__(self, key):
        return 7


class Joined(list):
    def __add__(self, other):
        return Joined([0])


class Backwards(dict):
    def __iter__(self):
        return iter(sorted(self.keys(), reverse=True))


class Other(tuple):
    def __iter__(self):
        return iter((7, 8, 9))


class Long(dict):
    def __len__(self):
        return 40


class Counting:
    def __init__(self):
        self.asked = 0

    def __len__(self):
        self.asked += 1
        return 2

    def __iter__(self):
        return iter([1, 2])


SETTINGS, DEFAULT, JOINED = Settings(width=3, depth=2), WithDefault(a=1), Joined([1, 2, 3])
BACKWARDS, OTHER, LONG = Backwards(a=1.0, b=2.0), Other((4, 5)), Long(a=1, b=2)


def count(*values):
    return len(values)


@case(A, B)
def the_length_of_what_derives_from_a_dict(x):
    if x.sum() > 0:
        return x * len(SETTINGS) + SETTINGS.width
    return x + len(DEFAULT) + len(JOINED)


@case(A)
def keys_in_the_order_of_the_class(x):
    for key in BACKWARDS:
        x = x * 2 + ord(key) - 96
    return x + count(*BACKWARDS) + len(list(BACKWARDS)) + len({**BACKWARDS})


@case(A)
def elements_by_the_iter_of_the_class(x):
    a, b, c = OTHER
    return x + a + count(*OTHER) + len([*OTHER]) + sum(OTHER)


@case(A)
def views_do_not_ask_the_class(x):
    return x + len(LONG.keys()) + len(list(LONG.items()))


@case(A, B)
def list_asks_for_the_length(x):
    c = Counting()
    if x.sum() > 0:
        list(c)
    both = [*c, *tuple(c)]
    return x + c.asked + len(both) + len(sorted(c))


@case(A, B)
def a_deque_with_a_bound(x):
    queue = collections.deque(maxlen=2)
    for i in range(3):
        queue.append(x * i)
    if x.sum() > 0:
        queue.popleft()
    return queue[-1] + len(queue)


@case(A, v(4.0, 2.0), B)
def a_queue_of_work(x):
    queue, done = collections.deque([x]), 0
    while queue:
        item = queue.popleft()
        if item.sum() > 1 and done < 3:
            queue.append(item - 1)
        done += 1
    return x + done


@case(A)
def methods_of_a_deque(x):
    queue = collections.deque([1, 2, 3])
    queue.rotate(1)
    queue.extendleft([7, 8])
    queue.insert(1, 9)
    queue.remove(2)
    queue[0] = 5
    del queue[-1]
    other = queue.copy()
    other.reverse()
    is_one = isinstance(queue, collections.deque)
    return x + list(queue)[1] + queue.index(7) + other[0] + (9 in queue) + is_one


@case(A, B, may_raise=True)
def a_deque_that_changes_while_it_is_read(x):
    queue, grows = collections.deque([1, 2]), bool(x.sum() > 0)
    for item in queue:
        if grows:
            queue.append(item)
    return x


@case(A, B, may_raise=True)
def a_deque_that_changes_at_the_end(x):
    queue, grows = collections.deque([1, 2]), bool(x.sum() > 0)
    for item in queue:
        if grows and item == 2:
            queue.append(item)
        queue.reverse()
        queue.reverse()
    return x


@case(A)
def an_iterator_knows_when_it_was_made(x):
    queue = collections.deque([1, 2])
    iterator = iter(queue)
    queue.append(3)
    text = ""
    try:
        next(iterator)
    except RuntimeError as error:
        text = str(error)
    return x, text


@case(A, B, may_raise=True)
def an_iterator_that_has_ended_looks_for_changes_again(x):
    queue = collections.deque([1, 2])
    forwards, backwards = iter(queue), reversed(queue)
    total = sum(forwards) + sum(backwards)
    if x.sum() > 0:
        queue.append(4)
    total += len(list(backwards))  # this one does not
    total += len(list(forwards))
    return x + total


@case(A, B)
def what_leaves_a_deque_as_it_is(x):
    empty, closed = collections.deque(), collections.deque(maxlen=0)
    first, second = iter(empty), iter(closed)
    if x.sum() > 0:
        empty.clear()
        closed.extend([1, 2])
        closed.extendleft([3])
        x = x * 2
    return x + len(list(first)) + len(list(second))


@case(A, B)
def a_namespace(x):
    state = types.SimpleNamespace(value=x, scale=2)
    if x.sum() > 0:
        state.scale = 3
    return state.value * state.scale


@case(torch.tensor([0, 2]), torch.tensor([3, 1]), torch.tensor([0, -1]), may_raise=True, unreachable=1)
def classes_that_are_counted(labels):
    return torch.nn.functional.one_hot(labels) * 2
