# SPDX-License-Identifier: Apache-2.0
"""What is equal to what, what is found in what, and what special methods may give."""

import contextvars

import torch
from python.torch.case import case, v
from torch import nn

A, B, ZERO = v(1.0, 2.0), v(-1.0, -2.0), v(0.0, 0.0)
FIRST, SECOND = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
LINEAR = nn.Linear(2, 2)


class Counted:
    def __init__(self):
        self.calls = 0

    def step(self):
        self.calls += 1

    @classmethod
    def make(cls):
        return cls()


@case(A, B, ZERO)
def lists_of_run_time_length_are_compared_by_their_elements(x):
    found = []
    i = 0
    while i < x.sum():
        found.append(x * i)
        i += 1
    return "empty" if found == [] else "full"


@case(A, B, v(3.0, 2.0))
def a_list_of_one_branch_is_compared_by_its_elements(x):
    found = []
    if x.sum() > 0:
        found = [x[0].item()]
    return found == [], found == [1.0], found != [1.0], [found].count([]), (found,) == ([1.0],)


@case(A, B)
def bound_methods_of_one_object_are_equal(x):
    one, other = Counted(), Counted()
    hooks = [one.step, other.step]
    if x.sum() > 0:
        hooks.remove(other.step)
    same = one.step == one.step, one.step != other.step, Counted.make == Counted.make
    return len(hooks), same, hooks.append == hooks.append, [].append == hooks.append


@case(A, B)
def parameters_are_keys_by_identity(x):
    seen = {FIRST: 1}
    seen[SECOND] = 2
    known = set()
    for parameter in LINEAR.parameters():
        if parameter not in known:
            known.add(parameter)
    if x.sum() > 0:
        return len(seen), SECOND in {FIRST: 1}, len(known)
    return {FIRST: 1}.get(SECOND, 5)


@case(A, B)
def what_has_no_hash_is_in_no_set(x):
    asked = 0
    for wanted in ([1], {}, [x.sum().item()]):
        try:
            asked += wanted in {1: 2}
        except TypeError:
            asked += 10
        try:
            asked += wanted in {1, 2} if x.sum() > 0 else 5
        except TypeError:
            asked += 100
    return asked


@case(A, B)
def keys_of_a_dict_meet_anything_that_can_be_walked(x):
    names = {"a": 1, "b": 2}
    found = sorted(names.keys() & ["b", "c"]), sorted(names.keys() - ("a",))
    found += (sorted(["a", "z"] - names.keys()),)
    if x.sum() > 0 and not (names.keys() & {"q": 1}):
        return found, sorted(names.keys() | ["c"]), sorted(names.keys() ^ {"a": 0})
    return found


class Only:
    def __index__(self):
        return 3


class Flagged:
    def __int__(self):
        return True

    def __len__(self):
        return True


@case(A, B)
def results_of_special_methods_become_what_they_stand_for(x):
    size = float(Only()) if x.sum() > 0 else float(int(Flagged()))
    return torch.tensor(size), int(Only()), int(Flagged()), len(Flagged())


class Unshown:
    def __str__(self):
        return 5

    def __repr__(self):
        return None


class Unwalked:
    def __iter__(self):
        return [1, 2]


@case(A, B)
def texts_of_objects_must_be_texts(x):
    shown = []
    for show in (str, repr):
        try:
            shown.append(show(Unshown()))
        except TypeError as error:
            shown.append(str(error))
    return shown if x.sum() > 0 else len(shown)


@case(A, B)
def iterators_must_be_iterators(x):
    found = []
    try:
        found = list(Unwalked())
    except TypeError as error:
        found.append(str(error))
    return found if x.sum() > 0 else len(found)


def giving(value):
    yield 1
    return value


@case(A, B)
def a_generator_ends_with_what_it_returns(x):
    values = giving(5 if x.sum() > 0 else None)
    next(values)
    try:
        next(values)
    except StopIteration as end:
        first = end.value, end.args
    try:
        next(values)
    except StopIteration as end:
        first += end.value, end.args
    return first


@case(A, B)
def a_bool_conjugated_is_an_int(x):
    return bool(x.sum() > 0).conjugate()


@case(A, B)
def an_attribute_is_written_as_it_was(x):
    HELD.kept = HELD.kept.to("cpu")
    HELD.count = 0
    return x * HELD.kept if x.sum() > 0 else x + HELD.count


class Held:
    def __init__(self):
        self.kept, self.count, self.deep = torch.tensor([2.0, 3.0]), 0, {"a": [1, 2]}


HELD = Held()


@case(A, B)
def objects_are_copied_with_all_that_they_hold(x):
    import copy

    made = Held()
    made.own = made
    deep, inner = copy.deepcopy(HELD), copy.deepcopy(made)
    if x.sum() > 0:
        deep.deep["a"].append(3)
        inner.kept = inner.kept + 1
    kept = HELD.deep["a"], deep.deep["a"], deep.kept, made.kept, inner.kept
    return kept, inner.own is inner, str(type(deep))


DEPTH = contextvars.ContextVar("DEPTH", default=1)
NAMED = contextvars.ContextVar("NAMED")


def deeper(x, times):
    token = DEPTH.set(DEPTH.get() + 1)
    try:
        return deeper(x * DEPTH.get(), times - 1) if times else x + DEPTH.get()
    finally:
        DEPTH.reset(token)


@case(A, B)
def a_context_variable_is_set_and_reset(x):
    inside = deeper(x, 2 if x.sum() > 0 else 1)
    return inside + DEPTH.get(7), NAMED.get(5)


@case(A, B)
def frozensets_and_keys_give_sets(x):
    names = {"a": 1}
    both = frozenset(["a", "b"]) & names.keys()
    return isinstance(both, frozenset) if x.sum() > 0 else len(both), frozenset([1]) in {frozenset([1]), 2}


KNOWN = torch.arange(3.0)


@case(A, B)
def numbers_of_numpy_of_known_arrays_meet_tensors(x):
    return x * KNOWN.numpy().sum() if x.sum() > 0 else x + torch.ones(3).numpy().max()
