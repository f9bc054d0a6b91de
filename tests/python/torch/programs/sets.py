# SPDX-License-Identifier: Apache-2.0
"""The order in which CPython walks a set follows from all that was ever done to it."""

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
