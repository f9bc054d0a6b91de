# SPDX-License-Identifier: Apache-2.0
"""Programs whose meaning is easy to lose: each must equal eager on every input, or be refused."""

import copy
import functools

import torch
from torch import nn

P, N = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, 0.5])
ALL = []


def hazard(source):
    ALL.append(source)
    return source


@hazard
def view_sees_a_later_write(x):
    y = x.clone()
    row = y[:2]
    if x.sum() > 0:
        y.add_(1)
    return row, y


@hazard
def write_through_a_view(x):
    y = x.clone()
    row = y[:2]
    if x.sum() > 0:
        row.mul_(3)
    return y


@hazard
def view_of_a_constant_sees_a_write(x):
    base = torch.zeros(3)
    head = base[:2]
    base[0] = x[0]
    return head, base


@hazard
def constant_written_on_one_path(x):
    base = torch.zeros(3)
    if x.sum() > 0:
        base += 1
    return base + x


@hazard
def alias_of_an_alias(x):
    a = x * 2
    b = a if x.sum() > 0 else x * 3
    b += 1
    return a, b


@hazard
def identity_after_a_meeting(x):
    h = x
    if x.sum() > 0:
        h = x * 2
    return h is x


@hazard
def list_element_written_later(x):
    h = x * 2
    items = []
    if x.sum() > 0:
        items.append(h)
    h.add_(1)
    return items, h


@hazard
def element_of_a_path_dependent_list_written(x):
    items = [x * 1]
    if x.sum() > 0:
        items.append(x * 2)
    items[0].add_(5)
    return items


@hazard
def augmented_assignment_of_an_argument(x):
    def grow(t):
        t += 1
        return t

    y = x * 2
    z = grow(y)
    return y, z


@hazard
def default_argument_is_shared(x):
    def keep(value, seen=[]):  # noqa: B006 - the trap itself
        seen.append(value)
        return len(seen)

    return keep(1), keep(2), x if x.sum() > 0 else -x


SEEN = []


@hazard
def grows_a_global_list(x):
    SEEN.append(1)
    return x * len(SEEN)


@hazard
def late_binding_of_closures(x):
    functions = [lambda t: t * i for i in range(3)]
    if x.sum() > 0:
        return [f(x) for f in functions]
    return functions[0](x)


@hazard
def nonlocal_on_one_path(x):
    count = 0

    def bump():
        nonlocal count
        count += 1
        return x * count

    y = bump() if x.sum() > 0 else x
    return y, count


@hazard
def tuple_of_a_list_that_changes(x):
    items = [x]
    pair = (items, 1)
    if x.sum() > 0:
        items.append(x * 2)
    return pair, len(pair[0])


@hazard
def tuples_that_are_one_on_a_path(x):
    pair = (x, 1)
    other = (x * 2, 1) if x.sum() > 0 else pair
    third = pair if x.sum() > 0 else (x * 3, 1)
    return pair, other, third


@hazard
def tensors_that_are_one_on_a_path(x):
    a, b, c = x * 2, x * 3, x * 4
    if x.sum() > 0:
        a = b
    elif x[0] > -1:
        b = c
    else:
        a = b = c
    return a, b, c, a + b + c


@hazard
def lists_that_are_one_on_a_path(x):
    a, b = [x], [x]
    if x.sum() > 0:
        b = a
    b.append(x * 2)
    return a, b


@hazard
def dict_built_in_another_order(x):
    d = {}
    if x.sum() > 0:
        d["a"], d["b"] = x, x * 2
    else:
        d["b"], d["a"] = x * 3, x
    return d


@hazard
def int_and_float_of_one_value(x):
    n = 1 if x.sum() > 0 else 1.0
    return n, type(n).__name__, x * n


@hazard
def bool_and_int_of_one_value(x):
    n = True if x.sum() > 0 else 1
    return n, n + 1, isinstance(n, bool)


@hazard
def negative_zero(x):
    n = 0.0 if x.sum() > 0 else -0.0
    return n, x / n


@hazard
def weak_scalars(x):
    n = int(x.sum())
    i = torch.arange(3)
    return x * n, i * n, i / 2 * n, (i * 1.5).dtype, (i * float(n)).dtype


@hazard
def tensor_scalar_wins_over_a_number(x):
    s = x.sum().double()
    return (s * 2).dtype, (x * s).dtype, torch.arange(2) * float(x[0])


@hazard
def floor_of_negatives(x):
    n = int(x[0] * 7)
    return n // 2, n % 4, -n // 2, divmod(n, -3), round(float(x[0]) * 2.5)


@hazard
def exception_text_with_numbers(x):
    n = float(x.sum())
    if n < 0:
        raise ValueError(f"sum is {n:.3f} of {x.shape}")
    return n


@hazard
def finally_changes_the_result(x):
    log = []
    try:
        if x.sum() > 0:
            return log
        log.append("no")
    finally:
        log.append("done")
    return log


@hazard
def return_in_finally_wins(x):
    try:
        if x.sum() > 0:
            raise ValueError("lost")
        return x
    finally:
        return -x  # noqa: B012 - the trap itself


@hazard
def generator_keeps_its_place(x):
    def walk():
        yield x
        if x.sum() > 0:
            yield x * 2
        yield x * 3

    g = walk()
    first = next(g)
    return first, [t * 1 for t in g]


@hazard
def comparison_chain_reads_once(x):
    reads = []

    def read(t):
        reads.append(1)
        return t.sum()

    return -100 < read(x) < 2 < 3, len(reads)


@hazard
def deep_copy_is_another_object(x):
    a = [x, [x * 2]]
    b = copy.deepcopy(a)
    if x.sum() > 0:
        b[1].append(x)
    return len(a[1]), len(b[1])


@hazard
def partial_of_a_method(x):
    scale = functools.partial(torch.mul, x)
    return scale(2) if x.sum() > 0 else scale(x)


@hazard
def sort_with_equal_keys(x):
    items = [(float(t), i) for i, t in enumerate(x)]
    return sorted(items, key=lambda item: item[0] > 0)


@hazard
def loop_variable_survives(x):
    for i in range(4):
        if x[0] > i:
            break
    return i, x * i


@hazard
def requires_grad_is_asked(x):
    return x * 2 if x.requires_grad else x


@hazard
def layout_of_the_input_decides(x):
    return x.reshape(-1) if x.is_contiguous() else -x.reshape(-1)


@hazard
def strides_are_asked(x):
    y = x.view(3, 1).t() if x.sum() > 0 else x.view(1, 3)
    return y.is_contiguous(), y.stride()


@hazard
class RemembersItsLastInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        seen, self.last = self.last, x
        return x if seen is None else x + seen


@hazard
class CountsCalls(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


@hazard
class WritesOnOnePathOnly(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.ones(3)

    def forward(self, x):
        if x.sum() > 0:
            self.hidden = x * 2
        return self.hidden + 1


@hazard
class BufferUpdatedInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total += x
        return self.total * 1


@hazard
class CacheInADict(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        if "k" not in self.cache:
            self.cache["k"] = x * 2
        return self.cache["k"] + x


@hazard
class SwitchOutOfRange(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))

    def forward(self, x):
        return self.layers[int(x[0])](x)


@hazard
class SharedLayerTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = self.a

    def forward(self, x):
        y = self.a(x)
        return self.b(y) if y.sum() > 0 else y - self.a.weight[0]
