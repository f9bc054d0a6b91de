# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of trips depends on the input: of zero, one, two and many trips."""

import torch
from python.torch.case import case, s, v
from torch.export import Dim


@case(v(0.5), v(1.5), v(3.0), v(50.0), v(1e6))
def halve_while_large(x):
    while x.sum() > 1:
        x = x / 2
    return x


@case(v(0.5), v(1.5), v(3.0), v(50.0), v(1e6))
def count_the_trips(x):
    trips = 0
    while x.sum() > 1:
        x = x / 2
        trips += 1
    return x, trips


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def leave_in_the_middle(x):
    y = x
    while True:
        y = y + 1
        if x.sum() < 1:
            break
        x = x / 3
    return x, y


@case(s(0), s(1), s(2), s(50), s(-3))
def range_of_an_input(n):
    total = torch.zeros(())
    for i in range(int(n)):
        total = total + i
    return total


@case((s(0), s(5)), (s(5), s(0)), (s(2), s(3)), (s(-4), s(4)))
def range_from_to(a, b):
    total = 0
    for i in range(a.item(), b.item(), 2):
        total = total * 2 + i
    for i in range(b.item(), a.item(), -1):
        total = total + i
    return total


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def branch_in_a_dynamic_loop(x):
    ups = downs = 0
    while x.sum() > 1:
        if x.sum() > 10:
            x = x / 4
            downs += 1
        else:
            x = x - 0.75
            ups += 1
    return x, ups, downs


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def nested_dynamic_loops(x):
    outer = inner = 0
    while x.sum() > 1:
        y = x
        while y.sum() > 2:
            y = y / 2
            inner += 1
        x = x / 3 + y * 0.1
        outer += 1
    return x, outer, inner


@case(s(0), s(1), s(2), s(7))
def nested_ranges(n):
    total = 0
    for i in range(int(n)):
        for j in range(i):
            total += j
    return total


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def collect_in_a_list(x):
    seen = []
    while x.sum() > 1:
        x = x / 2
        seen.append(x)
    return seen, len(seen)


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def none_then_tensor(x):
    last = None
    while x.sum() > 1:
        last = x * 2
        x = x / 2
    if last is None:
        return x
    return last


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def number_then_tensor(x):
    total = 0
    while x.sum() > 1:
        total = total + x
        x = x / 2
    return total


@case(v(0.5), v(1.5), v(3.0), v(50.0), may_raise=True)
def unbound_before_the_first_trip(x):
    while x.sum() > 1:
        y = x
        x = x / 2
    return y


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def loop_with_else(x):
    while x.sum() > 1:
        x = x / 2
        if x.sum() > 20:
            break
    else:
        x = x + 100
    return x


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def continue_in_a_dynamic_loop(x):
    skipped = 0
    while x.sum() > 1:
        x = x / 2
        if x.sum() > 4:
            skipped += 1
            continue
        x = x - 0.25
    return x, skipped


@case(v(0.5), v(1.5), v(3.0), v(50.0), v(float("inf")))
def bounded_and_dynamic(x):
    i = 0
    while i < 1000 and x.sum() > 1:
        x = x * 0.9
        i = i + 1
    return x, i


@case(v(0.5), v(1.5), v(3.0), v(50.0), v(float("nan")))
def many_static_trips_with_a_break(x):
    for i in range(5000):
        if x.sum() < 1:
            break
        x = x * 0.9
    return x, i


@case(v(0.5), v(1.5), v(3.0), v(50.0))
class LoopInAModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        torch.nn.init.constant_(self.layer.weight, 0.4)
        torch.nn.init.constant_(self.layer.bias, 0.1)

    def forward(self, x):
        steps = 0
        while x.abs().max() > 0.5:
            x = self.layer(x)
            steps += 1
        return x, steps


def halved(x, trips):
    while x.sum() > 1:
        x = x / 2
        trips = trips + 1
    return x, trips


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def loops_of_a_helper(x):
    x, first = halved(x, 0)
    y, second = halved(x * 7, first)
    return x, y, first, second


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def return_out_of_a_loop(x):
    trips = 0
    while True:
        if x.sum() < 1:
            return x, trips
        x = x / 2
        trips += 1


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def exception_out_of_a_loop(x):
    trips = 0
    try:
        while True:
            if x.sum() < 1:
                raise StopIteration
            x = x / 2
            trips += 1
    except StopIteration:
        return x, trips


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def two_variables_change_places(x):
    a, b = x, x + 1
    while a.sum() < 40:
        a, b = b * 2, a
    return a, b


@case(s(0), s(1), s(2), s(9))
def fibonacci(n):
    a, b = 0, 1
    while a < int(n):
        a, b = b, a + b
    return a


@case(s(0), s(1), s(2), s(9))
def comprehension_over_a_dynamic_range(n):
    squares = [i * i for i in range(int(n))]
    return squares, sum(squares)


@case(s(0), s(1), s(2), s(9), unreachable=1)  # zip()'s lists are of one length
def enumerate_a_dynamic_list(n):
    values = [float(i) for i in range(int(n))]
    total = 0.0
    for i, value in enumerate(values):
        total += i * value
    for a, b in zip(values, values):
        total += a - b * 0.5
    return total


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def flag_ends_the_loop(x):
    done = False
    trips = 0
    while not done:
        x = x / 2
        trips += 1
        done = bool(x.sum() < 1)
    return x, trips


@case(v(0.5), v(1.5), v(3.0), v(50.0))
class StateInOneCall(torch.nn.Module):
    def forward(self, x):
        self.steps = 0
        while x.sum() > 1:
            x = x / 2
            self.steps += 1
        return x, self.steps


@case(v(0.5), v(1.5), v(3.0), v(50.0), v(1e30))
def grow_a_tensor(x):
    y = x
    while y.sum() > 1:
        x = x / 2
        y = torch.cat([y / 2, x - 1])
    return y


@case(v(0.5, 0.1), v(1.5, 0.0), v(3.0, 7.0), v(50.0, 1e9))
def stack_a_list(x):
    seen = [x]
    while x.sum() > 1:
        x = x / 2
        seen.append(x)
    return torch.stack(seen), torch.stack(seen, -1), torch.cat(seen), len(seen)


@case(v(0.5, 0.1), v(1.5, 0.0), v(3.0, 7.0), v(50.0, 1e9), may_raise=True)
def stack_a_list_that_may_be_empty(x):
    seen = []
    while x.sum() > 1:
        x = x / 2
        seen.append(x)
    return torch.stack(seen, dim=1)


@case(s(0), s(1), s(2), s(9))
def tensor_of_a_dynamic_list(n):
    return torch.tensor([i * i for i in range(int(n))])


@case(v(0.5, 0.1), v(1.5, 0.0), v(3.0, 7.0), v(50.0, 1e9), v(-29.0, 20.0), every_path=False)
class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(7, 4)
        self.query = torch.nn.Linear(4, 4)
        self.out = torch.nn.Linear(4, 7)
        self.start = torch.nn.Linear(2, 4)

    def forward(self, x):
        cache = self.start(x)[None]
        token = torch.zeros((), dtype=torch.long)
        tokens = []
        for _ in range(40):
            state = self.embedding(token)
            weights = torch.softmax(cache @ self.query(state), 0)
            cache = torch.cat([cache, (weights[:, None] * cache).sum(0)[None] + state])
            token = self.out(cache[-1]).argmax()
            if token.item() == 3:
                break
            tokens.append(token)
        return tokens, cache


@case(v(0.1, 0.2), v(9.0, 0.0), v(-1.0, 1.0), v(-2.0, -3.0), v(-90.0, 0.0))
class PositionsOfADecoder(torch.nn.Module):
    """The counter is known at run time only, and how many positions there are is not."""

    def __init__(self):
        super().__init__()
        self.positions = torch.nn.Embedding.from_pretrained(torch.arange(120.0).reshape(60, 2) / 300)

    def forward(self, x):
        position = 2
        while position < 58:
            if x.sum() > 5:
                break
            x = x + self.positions(torch.arange(position, position + 1)).sum(dim=0)
            x = x + self.positions(torch.arange(position - 2, position + 2)).mean(dim=0)
            position += 1
        return x, position


BATCH = {"x": {0: Dim("batch", min=0, max=64)}}
BATCHES = [torch.arange(2.0 * rows).reshape(rows, 2) - 1 for rows in (3, 0, 1, 2, 9)]


@case(*BATCHES, dynamic_shapes=BATCH)
def rows_of_an_open_batch(x):
    total = torch.zeros(2)
    for row in x:
        total = total + row * row.sum()
    return total


@case(*BATCHES, dynamic_shapes=BATCH, unreachable=2)  # as many scores as rows
def a_list_per_sample(x):
    results = []
    for row, score in zip(x, x.sum(1), strict=True):
        while score > 1:
            row, score = row / 2, score / 2
        results.append(row)
    return torch.stack(results) if results else None


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def modes_that_alternate(x):
    mode = "odd"
    while x.sum() > 1:
        x = x / 2
        mode = "even" if mode == "odd" else "odd"
    return x if mode == "odd" else -x


@case(v(0.0, 1.0), v(1.0, 1.0), v(3.0, -1.0), v(9.0, 1.0), v(7.0, -9.0))
def none_until_something_is_found(x):
    best, value = None, 0.5
    i = 0
    while i < int(x[0]):
        now = float((x * (i % 3)).sum())
        if now > value:
            best, value = i, now
        i += 1
    return best, value


def halves(x):
    while x.sum() > 1:
        yield x
        x = x / 2


@case(v(0.5), v(1.5), v(3.0), v(50.0))
def dynamic_loop_of_a_generator(x):
    total = torch.zeros_like(x)
    for h in halves(x):
        total = total + h
    return total, [h + 1 for h in halves(x * 2)]


@case(v(0.5, 0.1), v(1.5, 3.0), v(30.0, 2.0), v(0.0, 50.0))
def a_stack_of_work(x):
    work, done = [x], 0
    while work and done < 50:
        t = work.pop()
        done += 1
        if t.sum() > 1:
            work.append(t / 2)
            work.append(t / 4)
    return done


@case(v(0.5, 0.1), v(1.5, 3.0), v(30.0, 2.0), v(0.0, 50.0))
def writes_in_a_dynamic_loop(x):
    y = x.clone()
    z, trips = y, 0
    while y.sum() < 60:
        y[0] += 2
        y[1:] *= 1.5
        y += 1
        trips += 1
    return y, z, trips


@case(v(0.5, 0.1), v(1.5, 3.0), v(30.0, 2.0), v(0.0, 50.0))
def finally_in_a_dynamic_loop(x):
    n = 0
    while True:
        try:
            if x.sum() < 1:
                raise ValueError("small")
            x = x / 2
        except ValueError:
            n += 10
            break
        finally:
            n += 1
    return x, n


@case(v(0.5, 0.1), v(1.5, 0.3), v(3.0, 2.0), v(0.0, 50.0), unreachable=1)  # a first element that is none
def parts_of_a_dynamic_list(x):
    items = []
    while x.sum() > 1:
        items.append(x)
        x = x / 2
    ends = items[-2:], items[:1], items[1:-1]
    return ends, items[::-1], list(reversed(items)), items + [x], [x] + items, items[::2]


@case(s(0), s(1), s(2), s(50))
def loop_that_does_nothing(n):
    count = 0
    while count < 3:
        count += 1
        for _ in range(1, int(n)):
            pass
    return n + count


@case(v(3.0), v(0.5), v(7.0), v(-1.0), unreachable=2)  # both tuples end at once
def a_tuple_that_grows(x):
    parts, counts = (), ()
    while x.sum() > 1:
        parts += (x,)
        counts = counts + (len(parts),)
        x = x - 1.5
    total = x * 0
    for part, count in zip(parts, counts):
        total = total + part * count
    return parts, counts, len(parts), total, isinstance(parts, tuple), list(counts)


@case(v(3.0), v(0.5), v(7.0), v(-1.0), every_path=False, may_raise=True)
def a_tuple_of_run_time_length_is_used(x):
    parts = (x * 2, x * 3)
    while x.sum() > 1:
        parts += (x, x + 1)
        x = x - 1.5
    first, last = parts[0], parts[-1]
    return torch.stack(parts), torch.cat(list(parts)), first, last, parts[1:3], tuple(list(parts)), parts[2]


@case(v(3.0), v(0.5), v(7.0))
def a_list_becomes_a_tuple(x):
    parts = []
    while x.sum() > 1:
        parts.append(x.sum().item())
        x = x - 1.5
    made = tuple(parts)
    parts.append(0.0)
    return made, parts, type(made) is tuple
