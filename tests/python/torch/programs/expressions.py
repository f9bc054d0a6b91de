# SPDX-License-Identifier: Apache-2.0
"""Comprehensions, unpacking, slices, f-strings, walrus, augmented assignment, del, match."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from python.torch.case import case, m, s, v


@case(v(1.0, -2.0), v(-1.0, 2.0))
def list_comprehension(x):
    return [t * 2 if t > 0 else t for t in x]


@case(v(1.0, -2.0), v(-1.0, 2.0), v(1.0, 2.0), v(-1.0, -2.0))
def comprehension_with_a_dynamic_filter(x):
    kept = [t for t in x if t > 0]
    return kept, len(kept)


@case(v(1.0, 2.0))
def nested_comprehension(x):
    return [a * b for a in x for b in x if a is not b]


@case(v(1.0, 2.0), v(1.0, -2.0))
def comprehension_of_comprehensions(x):
    return [[a + b for b in x] for a in x if a + x[1] > 0]


@case(v(1.0, -2.0), v(-1.0, 2.0))
def dict_comprehension(x):
    return {f"x{i}": t if t > 0 else -t for i, t in enumerate(x)}


@case(v(1.0), v(-1.0))
def set_comprehension(x):
    sizes = {t.dim() for t in [x, x[0]]}
    return x * len(sizes) if x > 0 else sorted(sizes)


@case(v(1.0, -2.0), v(-1.0, -2.0))
def generator_expression(x):
    total = sum(t * 2 for t in x)
    positive = any(bool(t > 0) for t in x)
    return total, positive


@case(v(1.0, 2.0))
def comprehension_variable_is_local(x):
    t = x * 100
    doubled = [t * 2 for t in x]
    return t, doubled


@case(v(1.0, 5.0), v(1.0, 2.0), v(-1.0, 2.0), v(-1.0, 5.0))
def walrus_in_a_comprehension(x):
    kept = [y for t in x if (y := t * 2) > 0]
    last = y
    return kept, last


@case(v(1.0, 2.0, 3.0))
def tuple_unpacking(x):
    a, b, c = x
    (d, e), f = (a, b), c
    return a - b + c, d * e * f


@case(v(1.0, 2.0, 3.0, 4.0))
def starred_unpacking(x):
    first, *middle, last = x
    return first, middle, last


@case(v(1.0, 2.0))
def swap(x):
    a, b = x[0], x[1] * 10
    a, b = b, a
    return a - b


@case(v(1.0, 2.0), v(-1.0, 2.0), may_raise=True)
def unpacking_too_few_raises(x):
    if x[0] < 0:
        return x
    a, b, c = x
    return a  # static


@case(v(1.0, 2.0), v(-1.0, 2.0))
def unpacking_in_displays(x):
    head = [x[0], x[1]] if x[0] > 0 else [x[0]]
    both = [*head, x, *head]
    merged = {**{"a": x}, "b": len(both), **{"a": 1}}
    return both, merged, (*head, 3)


@case(m((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), m((-1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
def tensor_slices(x):
    a = x[0], x[:, 1], x[..., -1], x[::1, ::2], x[None, 1:], x[-1, 1:3]
    if x[0, 0] > 0:
        return a
    return x[:, [2, 0]], x[1, torch.tensor([0, 1])]


@case(v(1.0), v(-1.0))
def list_slices(x):
    items = [x, 1, 2, 3, 4]
    if x > 0:
        items = items[::-1]
    items[1:3] = [9]
    return items[:2], items[-2:], items[1::2]


@case(v(1.0), v(-1.0))
def slice_objects(x):
    window = slice(0, 1) if x > 0 else slice(None)
    return x.repeat(3)[window], window.start


@case(v(1.0), v(-1.0))
def f_strings_of_static_values(x):
    name = f"{x.dim()}d-{'up' if x > 0 else 'down':>6}-{3.14159:.2f}-{[1]!r}"
    return {name: x}


@case(v(1.0, 2.0), v(-1.0, 2.0))
def augmented_assignment(x):
    total = x * 1
    total += 1
    total *= 2
    total -= x[0] if x[0] > 0 else 3
    total /= 4
    total **= 2
    count = 7
    count //= 2
    count %= 2
    count <<= 3
    count |= 1
    return total, count


@case(v(1.0), v(-1.0))
def augmented_assignment_of_a_list_keeps_identity(x):
    items = [x]
    alias = items
    items += [x * 2]
    if x > 0:
        items = items + [3]
    return items, alias, items is alias


class Box:
    pass


@case(v(1.0), v(-1.0))
def augmented_item_and_attribute(x):
    box, table = Box(), {"n": 1, "t": x * 1}
    box.n = 5
    box.n += 2
    table["n"] += box.n
    if x > 0:
        table["t"] *= 3
    return table, box.n


@case(v(1.0), v(-1.0))
def delete_variables_items_attributes(x):
    items, table = [x, 1, 2], {"a": x, "b": 2}
    spare = x * 100
    del spare
    del items[1]
    if x > 0:
        del table["a"]
    return items, table


@case(v(1.0), v(-1.0), may_raise=True)
def deleted_variable_raises(x):
    y = x * 2
    if x > 0:
        del y
    return y


@case(v(1.0), v(-1.0))
def match_literals(x):
    mode = "fast" if x > 0 else "slow"
    match mode:
        case "fast" | "quick":
            return x * 2
        case "slow":
            return x
        case _:  # static
            return x * 0  # static


@case(s(0), s(1), s(7))
def match_a_dynamic_number(x):
    match int(x):
        case 0:
            return x + 10
        case 1 | 2:
            return x + 20
        case n if n > 5:
            return x + n
        case _:  # static
            return x  # static


class Point(NamedTuple):
    a: object
    b: object


@dataclass
class Segment:
    start: object
    end: object


@case(v(1.0), v(-1.0))
def match_structures(x):
    shapes = [(x, 1), {"kind": "d", "value": x}, Point(x, 2), Segment(x, None), [x, x, x], "text", 5]
    found = []
    for shape in shapes:
        match shape:
            case Point(a=a, b=2):
                found.append(a * 3)
            case (a, 1):
                found.append(a if a > 0 else -a)
            case {"kind": "d", **rest}:
                found.append(rest)
            case Segment(start=a, end=None):
                found.append(a * 4)
            case [first, *others]:
                found.append(len(others))
            case str() as text:
                found.append(text)
            case _:
                found.append(None)
    return found


@case(v(1.0), v(-1.0))
def conditional_import_inside(x):
    import math

    return x * math.pi if x > 0 else x * math.floor(2.5)


@case(v(1.0), v(-1.0))
def assignment_to_several_targets(x):
    a = b = [x]
    b.append(1)
    c, d = e = (x, 2)
    return a, c, e if x > 0 else d


@case(v(2.0), v(-2.0))
def annotations_and_type_checks(x: torch.Tensor) -> torch.Tensor:
    y: torch.Tensor = x * 2
    z: float
    z = 0.5
    return y * z if isinstance(y, torch.Tensor) and x > 0 else y


@case(v(2.0), v(-2.0))
def global_constants(x):
    return x * LIMITS["high"] if x > THRESHOLD else x + len(LIMITS)


THRESHOLD = 1.0
LIMITS = {"high": 5, "low": 1}


@case(v(1.0, 2.0), v(-1.0, 2.0))
def operators_of_every_kind(x):
    a = -x + (+x) * 2 - x / 2 + x // 2 + x % 3 + x**2
    b = (x > 0) | (x < -1) & ~(x == 0) ^ (x >= 1)
    c = (x.long() << 2) + (x.long() >> 1)
    d = x @ x
    return (a, b) if x[0] > 0 else (c, d)


@case(v(1.0), v(-1.0))
def deep_expression(x):
    return (lambda f: f(f(x)))(lambda t: [u for u in (t, t * 2) if u is not t][0] if t > 0 else t - 1)
