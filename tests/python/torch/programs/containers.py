# SPDX-License-Identifier: Apache-2.0
"""Lists, tuples, dicts, sets: methods, identity, aliasing, contents that depend on the path."""

from collections import OrderedDict, defaultdict, namedtuple
from typing import NamedTuple

import torch
from python.torch.case import case, v


@case(v(1.0), v(-1.0))
def list_methods(x):
    items = [x]
    items.append(x * 2)
    items.extend([1, 2])
    items.insert(0, "first")
    last = items.pop()
    second = items.pop(1)
    items.reverse()
    if x > 0:
        items.clear()
    copy = items.copy()
    copy.append(last)
    return items, copy, second, len(items)


@case(v(1.0), v(-1.0))
def append_on_one_path(x):
    items = [x]
    if x > 0:
        items.append(x * 2)
    return items, len(items)


@case(v(1.0, 1.0), v(1.0, -1.0), v(-1.0, 1.0), v(-1.0, -1.0))
def appends_of_independent_branches(x):
    taken = []
    for i in range(2):
        if x[i] > 0:
            taken.append(i)
    return x, taken


def signs(n):
    return [
        torch.where(torch.rand(n, generator=torch.Generator().manual_seed(k)) > 0.5, 1.0, -1.0)
        for k in range(6)
    ]


@case(*signs(8))
def names_of_independent_branches(x):
    taken = ["begin"]
    for i in range(8):
        if x[i] > 0:
            taken.append(f"layer {i}")
        else:
            taken.append(None)
            taken.append(0.5)
    taken.append("end")
    return taken, len(taken)


@case(*signs(8))
def numbers_and_then_names_of_independent_branches(x):
    log = []
    for i in range(4):
        if x[i] > 0:
            log.append(i)
    for i in range(4, 8):
        if x[i] > 0:
            log.append("late")
            log.append(True)
    return log


@case(*signs(3))
def names_that_are_read_again(x):
    taken = []
    for i in range(3):
        if x[i] > 0:
            taken.append(f"layer {i}")
    if "layer 1" in taken:
        x = x * 2
    return x, ",".join(taken), taken


@case(*signs(2))
def names_and_numbers_from_the_input(x):
    taken = ["begin"]
    for i in range(2):
        if x[i] > 0:
            taken.append(i)
            taken.append(x[i].item())
    return taken


@case(v(1.0), v(-1.0))
def two_names_for_one_list(x):
    a = [x]
    b = a
    if x > 0:
        b.append(x * 2)
    return len(a), a is b, a


@case(v(1.0), v(-1.0))
def alias_made_on_one_path(x):
    a, b = [x], [x * 2]
    if x > 0:
        b = a
    b.append(3)
    return a, b


@case(v(1.0), v(-1.0))
def list_in_a_list(x):
    row = [x]
    table = [row, row, [x]]
    if x > 0:
        table[0].append(1)
    return table, table[0] is table[1]


@case(v(1.0))
def multiplied_list_shares_its_rows(x):
    table = [[x]] * 2 + [[x] * 2]
    table[0].append(5)
    return table


@case(v(1.0), v(-1.0))
def list_passed_to_a_function(x):
    def fill(items, t):
        items.append(t)
        if t > 0:
            items.append(t * 2)

    items = []
    fill(items, x)
    fill(items, -x)
    return items


@case(v(1.0), v(-1.0))
def result_shares_objects(x):
    shared = [x]
    return {"a": shared, "b": shared if x > 0 else [x]}


@case(v(1.0), v(-1.0))
def dict_methods(x):
    table = {"a": x, "b": 1}
    table["c"] = x * 2
    got = table.get("z", 7), table.get("b"), table.pop("b"), table.setdefault("d", 4)
    table.update({"a": 9}, e=x if x > 0 else None)
    keys, values = list(table.keys()), list(table.values())
    return table, got, keys, values, "a" in table, len(table)


@case(v(1.0), v(-1.0))
def dict_key_on_one_path(x):
    table = {"x": x}
    if x > 0:
        table["extra"] = x * 2
    return table


@case(v(1.0), v(-1.0))
def dict_read_back(x):
    cache = {}
    cache["h"] = x * 2
    if "h" in cache and x > 0:
        return cache["h"] + 1
    return cache.get("missing", x)


@case(v(1.0))
def dict_order_is_that_of_insertion(x):
    table = {"b": 1, "a": x}
    del table["b"]
    table["b"] = 2
    return table, next(iter(table)), list(reversed(table))


@case(v(1.0), v(-1.0), unreachable=2)
def dict_items_loop_with_writes(x):
    table = {"a": x, "b": x * 2}
    for key, value in list(table.items()):
        if value > 0:
            table[key + "+"] = value
    return table


@case(v(1.0), v(-1.0))
def dict_union(x):
    base = {"a": x, "b": 1}
    more = base | {"b": 2 if x > 0 else 3}
    base |= {"c": x}
    return base, more


@case(v(1.0), v(-1.0))
def ordered_and_default_dict(x):
    counts = defaultdict(list)
    counts["p" if x > 0 else "n"].append(x)
    ordered = OrderedDict(a=1)
    ordered["b"] = x
    return {k: len(items) for k, items in counts.items()}, list(ordered)


@case(v(1.0), v(-1.0))
def set_of_static_values(x):
    seen = {1, 2}
    seen.add(3)
    seen.discard(1)
    if x > 0:
        seen.add(9)
    return sorted(seen), 9 in seen, len(seen | {2, 10}), sorted(seen & {2, 9})


@case(v(1.0), v(-1.0), v(2.0), unreachable=6)
def tuple_operations(x):
    pair = (x, 2)
    more = pair + (3,) if x > 0 else pair * 2
    return more, more[0], more[-1], len(more), more.count(2), more.index(2)


@case(v(1.0), v(-1.0))
def tensor_in_a_list_by_identity(x):
    other = x * 2
    items = [x, other]
    return any(t is other for t in items), items[0] is x, x is other if x > 0 else None


@case(v(1.0, 2.0), v(2.0, 1.0), v(3.0, 1.0))
def tensor_in_a_list_by_value(x):
    options = [x[0], torch.tensor(1.0)]
    return x[1] in options


@case(v(1.0, 2.0), v(2.0, 2.0), v(2.0, 1.0), v(0.5, 1.0), v(1.0, 3.0))
def count_of_tensors(x):
    items = [torch.tensor(1.0), torch.tensor(2.0)]
    return items.count(x[0]), items.count(x[1])


@case(v(1), v(5), v(3))
def number_in_a_static_collection(x):
    n = int(x)
    if n in (1, 2):
        return x + 100
    if n in [5]:
        return x + 200
    return x


@case(v(1), v(5), v(3))
def number_in_a_set_or_dict(x):
    n = int(x)
    if n in {1, 2}:
        return x + 100
    return x


@case(v(1.0), v(-1.0))
def list_comparison(x):
    a, b = [1, 2], [1, 3 if x > 0 else 2]
    return a == b, a < b, a != b, (1, 2) == (1, 2)


@case(v(1.0), v(-1.0))
def list_of_numbers_compared(x):
    n = int(x)
    return [n, 2] == [1, 2], [n] < [0], (n, 3) >= (1, 3), x


@case(v(1.0), v(-1.0))
def nested_writes(x):
    config = {"layers": [{"n": 1}, {"n": 2}], "name": "net"}
    if x > 0:
        config["layers"][1]["n"] = 7
    total = sum(layer["n"] for layer in config["layers"])
    return x * total, config


@case(v(1.0), v(-1.0), may_lack=True)
def stack_and_cat_of_a_built_list(x):
    rows = []
    for i in range(3):
        if x > 0 or i > 0:
            rows.append(x * i)
    return torch.stack(rows), torch.cat(rows)


@case(v(1.0), v(-1.0))
def list_as_a_stack(x):
    stack = [x]
    seen = []
    while stack:
        t = stack.pop()
        seen.append(t)
        if len(seen) < 3:
            stack.append(t * 2 if t > 0 else t - 1)
    return seen


@case(v(1.0), v(-1.0))
def iterators_keep_their_place(x):
    items = iter([x, x * 2, x * 3])
    first = next(items)
    if first > 0:
        next(items)
    return [t + 1 for t in items]


@case(v(1.0), v(-1.0))
def zip_with_uneven_lists(x):
    a = [x, x * 2, x * 3] if x > 0 else [x]
    return [p + q for p, q in zip(a, [1, 2])]


@case(v(1.0), v(-1.0))
def containers_in_closures(x):
    log = []

    def note(t, name):
        log.append(name)
        return t + len(log)

    y = note(x, "a")
    if y > 1:
        y = note(y, "b")
    return y, log


Row = namedtuple("Row", "name value")


@case(v(1.0), v(-1.0))
def named_tuples(x):
    row = Row("r", x)
    changed = row._replace(value=x * 2) if x > 0 else row
    name, value = changed
    return changed, name, value, row.value, changed[1], row._fields


@case(v(1.0), v(-1.0), may_raise=True)
def missing_key_raises(x):
    table = {"a": x}
    if x > 0:
        table["b"] = x
    return table["b"]


@case(v(1.0), v(-1.0), may_raise=True)
def index_out_of_range_raises(x):
    items = [x]
    if x > 0:
        items.append(x)
    return items[1]


@case(v(1.0), v(-1.0), may_raise=True)
def remove_of_a_missing_item_raises(x):
    items = [1, 2] if x > 0 else [1]
    items.remove(2)
    return items, x


@case(v(1.0, 5.0, 3.0), v(5.0, 1.0, 3.0))
def sorting_static_items_by_a_dynamic_flag(x):
    names = ["b", "a", "c"]
    names.sort(reverse=bool(x[0] > 2))
    return names, x


@case(v(0), v(1), v(2), v(-1))
def list_indexed_by_a_dynamic_int(x):
    table = [10, 20, 30]
    return table[int(x)] + x


@case(v(0), v(1))
def dict_indexed_by_a_dynamic_int(x):
    table = {0: "zero", 1: "one"}
    return table[int(x)], x


@case(v(0), v(1), v(5), may_raise=True)
def dynamic_index_out_of_range(x):
    return [x, x * 2][int(x)]


@case(v(0), v(1))
def store_at_a_dynamic_index(x):
    items = [x, x]
    items[int(x)] = x + 10
    return items


@case(v(1.0), v(2.0), v(-1.0), may_raise=True)
def list_indexed_by_a_float_tensor(x):
    if x[0] < 0:
        return x
    return [x, 2][x[0]]


@case(v(1.0), v(-1.0), may_raise=True)
def set_that_grows_while_iterated(x):
    changes = bool(x > 0)
    numbers = {1, 2}
    for _ in numbers:
        if changes:
            numbers.add(3)
    return len(numbers)


@case(v(1.0), v(-1.0), may_raise=True)
def dict_that_shrinks_while_iterated(x):
    changes = bool(x > 0)
    table = {"a": x, "b": x}
    for key in table:
        if changes:
            del table[key]
    return table


@case(v(1.0), v(-1.0))
def list_that_changes_while_iterated(x):
    changes = bool(x > 0)
    items = [x, x * 2, x * 3]
    seen = []
    for item in items:
        seen.append(item)
        if changes:
            items.pop(0)
    return seen


@case(v(1.0), v(-1.0))
def identity_of_an_element(x):
    items = [x] if x.sum() > 0 else [x * 2, x]
    return items[0] is x, items[-1] is x, x + 1


@case(v(1.0, float("nan"), 2.0), v(1.0, 2.0, 2.0))
def nan_is_found_as_an_object(x):
    values = x.tolist()
    one, other = x[1].item(), x[1].item()
    found = values.count(values[1]), values[1] in values, values == values, values.index(values[1])
    return found, [one] == [one], [one] == [other], one in (other,), one in (other, one)


class Point(NamedTuple):
    x: object
    y: int = 3

    def __eq__(self, other):
        return True

    def __add__(self, other):
        return Point(self.x, self.y + len(other))


class Step(NamedTuple):
    value: object
    scale: int = 3

    def scaled(self):
        return self.value * self.scale


class Walked(NamedTuple):
    x: object

    def __iter__(self):
        return iter((7, 8))


@case(v(1.0), v(-1.0))
def named_tuples_with_methods_of_their_own(x):
    point = Point(x)
    first, second = Walked(x)
    return point == 5, (point + (1, 2)).y, Walked(x) + (1,), first, second, point.y if x.sum() > 0 else 0


@case(v(2.0), v(5.0))
def a_list_of_run_time_length_is_extended_by_itself(x):
    items = [x]
    while len(items) < x.sum():
        items.extend(items)
    items += items
    return len(items), items[0]


@case(v(1.0), v(-1.0))
def popitem_of_a_dict_takes_no_argument(x):
    table = {"a": 1, "b": x} if x.sum() > 0 else OrderedDict(a=1, b=x)
    try:
        return table.popitem(False), list(table)
    except TypeError as error:
        return str(error), list(table)


class Shifted(Step):
    """Of a class of its own, with another __new__."""

    def __new__(cls, value, by=1):
        return super().__new__(cls, value + by, scale=5)

    @property
    def doubled(self):
        return self.scaled() * 2


class Ten(Step):
    def __new__(cls, value):
        return 10


@case(v(1.0), v(-1.0))
def named_tuples_that_are_made_by_new(x):
    one, other = Shifted(x), Shifted(x, by=x.shape[0])
    if x.sum() > 0:
        other = other._replace(value=x)
    return one, other.doubled, Ten(x), Step._make([x, 2]), isinstance(one, Step), one.scale, Shifted(2.0)
