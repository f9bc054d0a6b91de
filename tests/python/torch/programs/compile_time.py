# SPDX-License-Identifier: Apache-2.0
"""What is computed at compile time: arrays that paths write to, aliases, parts of arguments."""

import bisect
import collections
import copy
import enum
import functools
import itertools
import operator
import re
from dataclasses import dataclass

import numpy as np
import torch
from python.torch.case import case, v
from torch import nn

A, B = v(1.0, 2.0), v(-1.0, -2.0)
TABLE = np.arange(6.0).reshape(2, 3)
NAMES = {"one": 1.0, "two": 2.0}


@case(A, B)
def array_written_on_one_path(x):
    a = np.zeros(2)
    if x.sum() > 0:
        a += 3
    return x + float(a[0])


@case(A, B)
def array_written_on_both_paths(x):
    a = np.zeros(2)
    if x.sum() > 0:
        np.add(a, 1, out=a)
    else:
        np.add(a, 8, a)
    return x + float(a[0]) + a.shape[0]


@case(A, B)
def array_has_two_names(x):
    a = np.arange(3.0)
    b = a
    b[1] = 5.0
    if x.sum() > 0:
        b *= 2
        a.sort()
    return x + float(a[1]) + float(b.sum()) if a is b else x


@case(A, B)
def array_written_by_functions(x):
    a, mask = np.arange(4.0), np.array([True, False, True, False])
    np.put(a, [0], 7.0)
    np.copyto(a, 9.0, where=mask)
    if x.sum() > 0:
        np.place(a, mask, [1.0, 2.0])
        np.add.at(a, [0, 0], 1.0)
    else:
        np.putmask(a, a > 8, 0.0)
        a.fill(3.0)
    square = np.zeros((2, 2))
    np.fill_diagonal(square, 4.0)
    return x + torch.as_tensor(a).float().sum() + float(square.sum())


@case(A, B)
def array_in_an_object_and_a_list(x):
    holder, items = collections.OrderedDict(), []
    holder["a"] = np.ones(2)
    items.append(holder["a"])
    if x.sum() > 0:
        items[0] -= 4
    return x * float(holder["a"][0]), [float(i) for i in items[0]]


@case(A, B)
def array_of_the_module_is_read(x):
    row = TABLE[1]
    total = np.sum(TABLE, axis=0)[0] + row.max() + TABLE.T.mean() + len(TABLE)
    if x.sum() > 0:
        return x + float(total)
    return x - float(np.linalg.norm(row)) + int(TABLE.argmax())


@case(A, B)
def in_place_operators_keep_aliases(x):
    numbers, names, table = [1, 2], {"a"}, {"k": 1}
    same_numbers, same_names, same_table = numbers, names, table
    numbers *= 2
    names |= {"b"}
    names -= {"a"}
    table |= {"l": 2}
    if x.sum() > 0:
        numbers += [3]
        names ^= {"c"}
    return x + len(same_numbers) + 10 * len(same_names) + 100 * len(same_table)


@case(A, B)
def functions_of_operator_write_to_lists(x):
    items, table = [1.0, 3.0], {"a": 1}
    operator.iadd(items, [2.0])
    operator.imul(items, 2)
    operator.setitem(items, 0, 9.0)
    operator.delitem(items, 1)
    if x.sum() > 0:
        operator.ior(table, {"b": 2})
        bisect.insort(items, 4.0)
    return x + sum(items) + len(table)


@case(A, B)
def a_result_that_is_an_argument_is_that_object(x):
    lists = [[1.0], [2.0, 3.0]]
    longest = max(lists, key=len)
    longest.append(4.0)
    first = min(lists)
    if x.sum() > 0:
        first.append(5.0)
    array = np.ones(2)
    same = np.asarray(array)
    same += 1
    return x + len(lists[0]) + 10 * len(lists[1]) + float(array[0])


@case(A, B)
def a_new_result_belongs_to_the_path(x):
    words = "b a c".split()
    if x.sum() > 0:
        words.append("d")
    rows = np.array([[1, 2], [3, 4]]).tolist()
    if x.sum() < 0:
        rows[1].append(5)
    return x + len(words) + sum(len(row) for row in rows)


@case(A, B)
def iterators_made_here_are_used_up(x):
    numbers = iter([1.0, 2.0, 3.0])
    pairs = itertools.product(iter([1, 2]), [3])
    total = next(numbers) + sum(numbers) + len(list(pairs))
    if x.sum() > 0:
        total += next(numbers, 10.0)
    return x + total


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@dataclass(frozen=True)
class Place:
    row: int
    column: int


HERE = Place(1, 2)
PLACES = {HERE: 3.0}


@case(A, B)
def enumerations_and_keys_of_fields(x):
    chosen = Colour["RED"] if x.sum() > 0 else Colour(2)
    known = {Colour.RED: 1.0, Colour.BLUE: 2.0}
    sizes = [member.value for member in Colour]
    return x + known[chosen] + sum(sizes) + int(Level.HIGH) + (Level.LOW in Level) + PLACES[HERE], chosen.name


@case(A, B)
def texts_and_patterns(x):
    parts = re.findall(r"\d+", "a12b3")
    name = "-".join(sorted(NAMES)) + f"{NAMES!r:.4}" + "{}:{:>3}".format(*parts)
    if x.sum() > 0:
        return x + len(name) + NAMES.get("one", 0.0)
    return x + int(parts[0]), name.upper()


class Settings:
    def __init__(self):
        self.scale, self.names = 2.0, ["a"]


class CopiesSettings(nn.Module):
    def __init__(self):
        super().__init__()
        self.settings = Settings()

    def forward(self, x):
        own, deep = copy.copy(self.settings), copy.deepcopy(self.settings)
        if x.sum() > 0:
            own.scale = 3.0
        return x * own.scale + len(deep.names) + self.settings.scale


case(A, B)(CopiesSettings)


class InitialisesTensors(nn.Module):
    def forward(self, x):
        y = torch.zeros(2)
        if x.sum() > 0:
            nn.init.ones_(y)
        else:
            nn.init.constant_(y[:1], 3.0)
        return x + y


case(A, B)(InitialisesTensors)


@case(A, B)
def reduce_over_known_and_unknown(x):
    known = functools.reduce(operator.mul, [1, 2, 3], 1)
    return functools.reduce(lambda a, b: a + b, [x, x * 2, known])


class OnlyEquals:
    def __init__(self, size):
        self.size = size

    def __eq__(self, other):
        return isinstance(other, OnlyEquals) and self.size == other.size

    __hash__ = None


@case(A, B)
def a_class_with_only_equality_is_unequal_by_it(x):
    same, other = OnlyEquals(1) != OnlyEquals(1), OnlyEquals(1) != OnlyEquals(2)
    if x.sum() > 0:
        return x + (2.0 if same else 0.0) + (1.0 if other else 0.0)
    return x - float(OnlyEquals(1) != 1) - float(OnlyEquals(3) == OnlyEquals(3))


@case(A, B)
def ordered_dicts_compare_their_order(x):
    first, second = x[0].item(), x[1].item()
    one = collections.OrderedDict(a=first, b=second)
    other = collections.OrderedDict(b=second, a=first)
    merged = {"k": x} | collections.OrderedDict(l=x)
    if x.sum() > 0:
        return x + (1.0 if one == other else 0.0), isinstance(merged, collections.OrderedDict)
    return x + (1.0 if one == dict(other) else 0.0)


class Base:
    def __add__(self, other):
        return 1.0

    def __radd__(self, other):
        return 2.0


class Derived(Base):
    pass


class Overriding(Base):
    def __radd__(self, other):
        return 3.0


@case(A, B)
def a_reflected_method_comes_first_only_where_it_is_overridden(x):
    if x.sum() > 0:
        return x + (Base() + Derived())
    return x + (Base() + Overriding())


@case(A, B)
def parts_of_a_copy_stay_shared(x):
    table = copy.deepcopy({"a": SHARED, "b": SHARED})
    if x.sum() > 0:
        table["a"].append(2.0)
    return x + len(table["b"])


SHARED = [1.0]


class Pair(tuple):
    def __new__(cls, first, second):
        return super().__new__(cls, (first, second))


@case(A, B)
def a_tuple_with_a_constructor_of_its_own_is_shown(x):
    return x + len(str(PAIR)) + len([x, x] * np.int64(2))


PAIR = Pair([1], [2])


class Adding:
    def __init__(self):
        self.total = 0.0

    def __iadd__(self, other):
        self.total = self.total + other
        return self

    def __add__(self, other):
        return 1.0


class NotAdding(Adding):
    def __iadd__(self, other):
        return NotImplemented


@case(A, B)
def in_place_operators_of_classes(x):
    kept = total = Adding()
    total += 2.0
    plain = NotAdding()
    plain += 5.0
    if x.sum() > 0:
        total += x.sum()
    return x + kept.total + plain


@case(A, B)
def a_list_is_extended_by_a_tensor(x):
    items = [1.0]
    table = {"items": items}
    if x.sum() > 0:
        items += x
    return x + len(table["items"])


class Shadowed(nn.Module):
    """What the class has is found before what the module's tables hold."""

    layer = None

    def __init__(self):
        super().__init__()
        self.layer = nn.Identity()

    def forward(self, x):
        if x.sum() > 0:
            return x if self.layer is None else self.layer(x) * 2  # static
        return -x


case(A, B)(Shadowed)


class AsksItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(2))

    def __getattr__(self, name):
        value = super().__getattr__(name)
        return value * 2 if name == "weight" else value

    def forward(self, x):
        return x + self.weight if x.sum() > 0 else x - self.weight


case(A, B)(AsksItself)


class OfTheClass(property):
    def __get__(self, instance, owner=None):
        return self.fget(owner)


class Described:
    size = 3.0

    def __init__(self):
        self.size = 5.0

    @OfTheClass
    def shown(self):
        return self.size


class Equal(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__

    def __len__(self):
        return 0


@case(A, B)
def descriptors_and_values_with_methods(x):
    described = Described()
    if x.sum() > 0:
        return x + described.shown
    return x + (1.0 if FIVE else 2.0)


FIVE = Equal(5)


class HasLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.none = nn.ModuleList([nn.Identity()]), nn.ModuleList()
        self.named = nn.ModuleDict({"a": nn.Identity()})

    def forward(self, x):
        if self.layers and not self.none and "a" in self.named:
            x = self.layers[0](x) + len(self.named)
        return x if x.sum() > 0 else -x


case(A, v(-5.0, -6.0))(HasLayers)


@functools.lru_cache
def grid(size):
    return torch.arange(size).float(), [1.0, 2.0]


@case(A, B)
def what_a_cache_keeps_is_read(x):
    if x.sum() > 0:
        return x + grid(2)[0] + len(grid(2)[1])
    return x * grid(2)[0].clone().add_(1)


class Divided:
    def __divmod__(self, other):
        return 8.0, 9.0


@case(A, B)
def divmod_of_a_class(x):
    merged = {"a": 1} | collections.defaultdict(float, b=2)
    if x.sum() > 0:
        return x + divmod(Divided(), 2)[1]
    return x + merged["missing"] + len(merged)


class Claims:
    """What its methods answer is not what Python takes for an answer."""

    def __init__(self, length, truth=True):
        self.length, self.truth = length, truth

    def __len__(self):
        return self.length

    def __bool__(self):
        return self.truth


class Sized:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length


def length_or_error(container):
    try:
        return len(container)
    except (TypeError, ValueError, OverflowError) as error:
        return len(str(error)) * 100


def truth_or_error(container):
    try:
        return 1.0 if container else 2.0
    except (TypeError, ValueError, OverflowError) as error:
        return len(str(error)) * 100


@case(A, B, v(-3.0, 1.0))
def answers_of_len_and_bool_are_checked(x):
    total = 0.0
    for length in (2, -1, "a", 2.0, 2**70, True):
        total += length_or_error(Sized(length)) + truth_or_error(Sized(length))
        total += length_or_error(Claims(length))
    for answer in (True, 2, None):
        total += truth_or_error(Claims(1, answer)) + (not Claims(1, bool(answer)))
    return x + total + length_or_error(Sized(int(x.sum())))


@case(A, B)
def a_key_sees_an_empty_list(x):
    numbers, lengths = [3.0, 1.0, 2.0], []
    numbers.sort(key=lambda number: (lengths.append(len(numbers)), number)[1])
    other = [2.0, 1.0]
    try:
        other.sort(key=lambda number: (other.append(0.0), number)[1])
    except ValueError:
        other.append(5.0)
    if x.sum() > 0:
        return x + numbers[0] + sum(lengths)
    return x + sum(other) + len(other)


class OnRight:
    def __init__(self, number):
        self.number = number

    def __ror__(self, other):
        return OnRight(self.number + 5.0)

    def __radd__(self, other):
        return OnRight(self.number + other)

    def __add__(self, other):
        return OnRight(self.number + other.number)


@case(A, B)
def operators_of_the_right_side(x):
    total = sum([OnRight(1.0), OnRight(2.0)]).number + (Divided() | OnRight(1.0)).number
    if x.sum() > 0:
        total += (x[0].item() + OnRight(1.0)).number
    return x + total


@case(A, B)
def counting_needs_numbers(x):
    total = next(itertools.count(0.5, 2)) + next(itertools.count())
    try:
        itertools.count(OnRight(1.0), OnRight(2.0))
    except TypeError:
        total += 4.0
    return x + total if x.sum() > 0 else x - total


@case(A, B)
def hardtanh_of_integers(x):
    whole, also = (x * 2).long(), (x * 3).long()
    torch.nn.functional.hardtanh(also, inplace=True)
    if x.sum() > 0:
        return x + torch.nn.functional.hardtanh(whole) + also
    return x + torch.nn.functional.hardtanh(whole, -2.5, 1.5)


@case(A, B)
def einsum_without_an_output(x):
    table = torch.arange(4.0).reshape(2, 2)
    if x.sum() > 0:
        return torch.einsum(x, [0]) + torch.einsum("b, bA", x, table)
    return torch.einsum("bA", x[:, None] * table)


@case(A, B)
def repeating_asks_for_a_number_at_once(x):
    total = sum(itertools.repeat(2.0, 3)) + len(list(itertools.repeat(1.0, 0)))
    try:
        itertools.repeat(1.0, None)
    except TypeError:
        total += 4.0
    return x + total if x.sum() > 0 else x - total
