# SPDX-License-Identifier: Apache-2.0
"""The order in which CPython walks a set follows from all that was ever done to it; numbers of the input."""

import torch
from python.torch.case import case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)
KNOWN = {40, 8, 0, 16}


@case(A, B)
def elements_that_were_removed(x):
    numbers = set(range(20))
    for number in range(18):
        numbers.discard(number)
    numbers.add(40)
    numbers.add(5)
    return list(numbers), [number for number in numbers], x


@case(A, B)
def one_order_on_each_path(x):
    numbers = set()
    if x.sum() > 0:
        numbers.add(8)
        numbers.add(0)
    else:
        numbers.add(0)
        numbers.add(8)
    return list(numbers), sorted(numbers), len(numbers)


@case(A, B)
def sets_made_of_sets(x):
    numbers = set([100, 1, 30, 2, 4])
    numbers |= {7}
    numbers -= {1}
    if x.sum() > 0:
        numbers.add(33)
    other = numbers - {100}
    made = list(set(numbers)), list(frozenset(numbers)), list(numbers | {9}), list(numbers.copy())
    return list(numbers), made, list(other & {2, 7, 30}), list(other ^ {2, 50}), list(KNOWN - {8})


@case(A, B)
def sets_made_of_dicts(x):
    table = {16: x, 8: x, 0: x}
    keys = table.keys()
    made = list(set(table)), list(set(keys)), list(keys & {0, 8}), list(keys - {8}), list(keys | {24})
    return made, list(keys ^ {8, 5}), keys >= {0}, x.sum() > 0


@case(A, B)
def sets_of_constants(x):
    walked = [number for number in {3, 5, 7}]
    for number in {1, 2}:
        walked.append(number)
    numbers = {3, 11, 19}
    numbers.add(x.shape[0])
    return walked, sorted(numbers), max(numbers), len(numbers), 11 in numbers, numbers == {2, 3, 11, 19}


@case(A, B)
def a_frozenset_of_a_frozenset(x):
    frozen = frozenset([16, 8, 0])
    return frozenset(frozen) is frozen, set(frozen) == frozen, list(frozen), x


IDS = [v(1, 2, 1), v(3, 3, 3), v(-1, 0, 5), v(99, 3, 1)]


@case(*IDS, unreachable=3)  # an element is always found
def numbers_of_the_input_in_a_set(x):
    numbers = set(x.tolist())
    held = 3 in numbers, 99 in numbers, None in numbers, "a" in numbers, True in numbers, 1.0 in numbers
    return x * len(numbers), held, int(x[0]) in numbers, bool(numbers), isinstance(numbers, set)


@case(*IDS, unreachable=1)  # a set with an element is not empty
def sets_of_numbers_without_their_order(x):
    numbers = {int(number) for number in x}
    extremes = min(numbers), max(numbers), sum(numbers), min(numbers, default=7)
    return sorted(numbers), sorted(numbers, reverse=True), extremes, torch.tensor(sorted(numbers))


@case(*IDS, v(1, 9, 1), v(8, 0, 0))
def a_set_becomes_one_of_numbers_under_all_its_names(x):
    numbers = {"a", 1, 8}
    other = numbers
    if x.sum() > 4:
        other.add(int(x[0]))
    return "a" in numbers, 1 in numbers, len(other), numbers is other, numbers.copy() is numbers


@case(*IDS, v(2, 8, 7), v(-4, 4, 0), every_path=False)  # walks that go on behind what was just removed
def sets_of_numbers_change(x):
    numbers, others = {1, *x.tolist()}, {2, 8}
    others.update([int(x[1]), 3])
    numbers.discard(3)
    if 2 in numbers:
        numbers.remove(2)
    both = numbers | others
    both |= {int(x[2]) + 1}
    sizes = len(both), len(numbers & others), len(both - numbers), len(numbers ^ others)
    numbers.clear()
    return sizes, len(numbers), sorted(others)


@case(*IDS, v(1, 1, 1), v(7, 5, 7), v(4, 3, 3), every_path=False)
def sets_of_numbers_are_compared(x):
    numbers = set(x.tolist())
    equal = numbers == {1, 2}, {1, 2} == numbers, numbers != {3}, {3} != numbers
    parts = numbers <= {1, 2, 3}, {1} < numbers, numbers.issubset([3, 4]), {1}.issuperset(numbers)
    return equal, parts, numbers.isdisjoint({5}), {7, 5}.isdisjoint(numbers)


@case(*IDS)
def what_is_removed_must_be_there(x):
    numbers = set(x.tolist())
    try:
        numbers.remove(1)
    except KeyError:
        return -x
    return x * len(numbers)


@case(*IDS, unreachable=3)  # what is added to the set was looked for before
def what_was_seen_in_a_loop(x):
    seen, first = set(), []
    for place, number in enumerate(x.tolist()):
        if number in seen:
            continue
        seen.add(number)
        first.append(place)
    return x[first], len(seen)


@case(v(1, 2, 1), v(3, 3, 3), v(-1, 0, 5))
def a_set_that_a_loop_of_the_run_fills(x):
    seen, n = set(), 0
    while n < x.sum():
        seen.add(int(x[n % 3]))
        n += 1
    return len(seen), sorted(seen)


@case(*IDS, v(-1, -1, -1))
def as_many_numbers_as_the_input_says(x):
    numbers = set(x[x > 0].tolist())
    return len(numbers), 1 in numbers, sorted(numbers), sorted(x[x > 0].tolist(), reverse=True)


@case(v(0.0, -0.0), v(2.0, float("inf")), v(2.5, 2.5))
def floats_in_a_set(x):
    numbers = set(x.tolist())
    return len(numbers), 0.0 in numbers, 1 in numbers, 2.5 in numbers
