# SPDX-License-Identifier: Apache-2.0
"""Lists of tuples, dicts and objects whose length depends on the input."""

import collections
from collections import namedtuple
from dataclasses import dataclass

import torch
from python.torch.case import case, v


@dataclass
class Span:
    token: int
    start: int
    end: int
    score: float


@case(v(1, 1, 2, 0, 0), v(3, 3, 3, 3, 3), v(1, 2, 3, 4, 5))
def runs_of_equal_tokens(tokens):
    spans = []
    start, count = 0, 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and tokens[end] == tokens[start]:
            end += 1
        spans.append(Span(int(tokens[start]), start, end, 0.5 * end))
        count += 1
        start = end
    return spans, count


@case(v(0.9, 0.1, 0.8), v(0.1, 0.2, 0.3), v(0.9, 0.9, 0.9))
def dicts_of_what_is_sure(scores):
    found = []
    for place in torch.nonzero(scores > 0.5).flatten().tolist():
        found.append({"place": place, "score": scores[place], "kind": "sure", "box": [place, place + 1]})
    return found


@case(v(3.0), v(0.0), v(1.0))
def tuples_that_are_taken_apart(x):
    pairs = []
    n = 0
    while n < x:
        pairs.append((n, x * n))
        n += 1
    total = x * 0
    for number, product in pairs:
        total = total + number * product
    return total, len(pairs)


Step = namedtuple("Step", "value size")


@case(v(5.0, 1.0), v(0.5, 1.0), v(1.5, 1.0))
def named_tuples_by_their_place(x):
    steps = [Step(x, 1)]
    while steps[-1].value[0] > 1:
        steps.append(Step(steps[-1].value / 2, steps[-1].size + 1))
    return steps, steps[0].value, steps[-1].size


@case(v(3.0), v(0.0), v(1.0))
def the_last_is_popped(x):
    stack = [(x, 0)]
    n = 0
    while n < x:
        stack.append((x + n, n))
        n += 1
    total = x * 0
    while len(stack) > 0:
        value, weight = stack.pop()
        total = total * 2 + value * weight
    return total


@case(v(3.0), v(0.0), v(1.0))
def a_queue(x):
    queue = [(0, x)]
    seen = []
    while queue:
        depth, value = queue.pop(0)
        seen.append({"depth": depth, "value": value})
        if value > 0:
            queue.append((depth + 1, value - 1))
    return seen


@case(v(3.0), v(0.0), v(1.0))
def inserted_at_the_front(x):
    path = []
    n = 0
    while n < x:
        path.insert(0, x * n)
        n += 1
    return path


@case(v(3, 1), v(3, -1), v(3, 0), v(3, 9), v(3, -9), v(0, -1), v(0, 2))
def inserted_at_any_place(x):
    numbers = []
    for n in range(int(x[0])):
        numbers.append(n)
    numbers.insert(int(x[1]), 100)
    return numbers


class Beam:
    def __init__(self, tokens, score):
        self.tokens = tokens
        self.score = score

    def extended(self, token, score):
        return Beam(torch.cat([self.tokens[1:], token[None]]), self.score + score)


@case(v(3.0, 1.0), v(0.0, 1.0), v(1.0, 2.0))
def objects_with_methods(x):
    beams = [Beam(x, 0.0)]
    n = 0
    while n < x[0]:
        beams.append(beams[-1].extended(x[0] + n, 0.5))
        n += 1
    best = beams[-1]
    return best.tokens, best.score, [beam.score for beam in beams]


@case(v(3.0), v(0.0), v(1.0))
def a_tuple_that_grows(x):
    history = ()
    n = 0
    while n < x:
        history = history + ((n, x + n),)
        n += 1
    total = x
    for number, value in history:
        total = total + number * value
    return total, len(history)


@case(v(2.0, 1.0), v(0.0, 1.0), v(1.0, 2.0))
def filtered_and_copied(x):
    rows = []
    for i in range(int(x[0])):
        rows.append((i, x * i))
    kept = [row for row in rows if row[0] > 0]
    again = list(rows)
    again.append((7, x))
    return kept, rows, again


@case(v(2.0, 1.0), v(-2.0, 1.0))
def lists_of_known_length_stay_what_they_are(x):
    rows = [{"a": x}]
    if x.sum() > 0:
        rows.append({"a": x * 2})
    rows[0]["b"] = 1
    return rows


@case(v(3.0), v(0.0), v(1.0))
def nested_parts(x):
    found = []
    n = 0
    while n < x:
        found.append({"box": [n, n + 1, (x, float(n))], "name": ("a", None)})
        n += 1
    total = x * 0
    for one in found:
        left, right, (value, weight) = one["box"]
        total = total + value * weight + left * right
    return total, found


@case(v(3, 1), v(3, -1), v(3, 0), v(3, 9), v(3, -9), v(0, -1), v(2, -2), may_raise=True)
def an_element_is_replaced(x):
    numbers = []
    for n in range(int(x[0])):
        numbers.append((n, x * n))
    numbers[int(x[1])] = (100, x)
    return numbers


@case(v(3, 1), v(3, -1), v(3, 0), v(3, 9), v(3, -9), v(0, -1), v(2, -2), may_raise=True)
def an_element_is_deleted(x):
    numbers = []
    for n in range(int(x[0])):
        numbers.append(n)
    del numbers[int(x[1])]
    return numbers, len(numbers)


@case(v(3.0), v(0.0), v(1.0))
def a_window_that_slides(x):
    window = collections.deque(maxlen=2)
    n = 0
    while n < x:
        window.append(x * n)
        n += 1
    total = x * 0
    for value in window:
        total = total * 2 + value
    return total, len(window)


@case(v(3.0), v(0.0), v(1.0))
def breadth_first(x):
    queue = collections.deque([(0, x)])
    order = []
    while queue:
        depth, value = queue.popleft()
        order.append(depth)
        if value > 0:
            queue.append((depth + 1, value - 1))
    return order


@case(v(1.0, 2.0), v(-1.0, -2.0), unreachable=1)  # the second ends with the first
def two_iterators_end_a_loop(x):
    found = [1, 2]
    if x.sum() > 0:
        found.append(3)
    first, second, pairs = iter(found), iter(found), []
    while True:
        a, b = next(first, None), next(second, None)
        if a is None or b is None:
            return pairs
        pairs.append((a, b))


@case(v(3.0), v(0.0), v(1.0), unreachable=1)  # the list ends after the iterator
def an_iterator_goes_ahead_of_another(x):
    found = [x]
    n = 0
    while n < x:
        found.append(x + n)
        n += 1
    ahead, total = iter(found), x * 0
    next(ahead)
    for one, after in zip(found, ahead):
        total = total * 2 + one * after
    return total
