# SPDX-License-Identifier: Apache-2.0
from . import Box, case, note


@case()
def many_targets():
    a = b = c = note("value", [1, 2])
    x, y = z = (3, 4)
    return a is b is c, x, y, z


@case()
def first_target_does_not_change_the_second():
    a = (1, 2)
    a, b = c = a
    return a, b, c


@case((1, 2))
def swap(a, b):
    a, b = b, a
    [a, b] = [b, a]
    return a, b


@case(([1, 2, 3, 4],), ([1, 2],), ([1],))
def starred_targets(values):
    first, *middle, last = values
    (a, (b, *c)), d = (first, (last, *middle)), 5
    return first, middle, last, a, b, c, d


@case()
def repeated_target():
    _, _, x = 1, 2, 3
    return _, x


@case()
def attributes_and_items():
    box = Box(a=1)
    box.a, box["k"] = 5, 6
    box.a += 1
    box.list = [1]
    box.list += [2]
    same = box.list
    same += [3]
    return box.a, box["k"], box.list


@case()
def order_of_assignment():
    box = Box()
    note("box1", box).x = note("value", 1)
    note("box2", box)[note("key")], note("box3", box).y = note("first"), note("second")


@case((2,))
def augmented(x):
    x += 1
    x -= 4
    x *= 3
    x **= 2
    x //= 2
    x %= 7
    x <<= 2
    x >>= 1
    x |= 9
    x ^= 3
    x &= 13
    x /= 2
    return x


@case()
def annotated():
    x: int = 3
    y: undefined_name
    box = Box()
    box.z: undefined_name = 4
    note("target", box).w: int
    return x, box.z


@case((True,), (False,))
def delete_local(again):
    x = 1
    del x
    if again:
        x = 2
    return x


@case((True,), (False,))
def bound_on_some_paths(p):
    if p:
        y = 1
    return y


@case((0,), (2,))
def loop_variable_may_be_unbound(n):
    for i in range(n):
        pass
    return i


@case()
def delete_items():
    box, values = Box(a=1, b=2), [1, 2, 3]
    del box.a, box[note("key")], (values[0], values[-1])
    return box.b, values


@case()
def unbound_read_is_an_error():
    x = x + 1
    return x
