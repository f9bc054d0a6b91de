# SPDX-License-Identifier: Apache-2.0
"""numpy on values that depend on the input: arrays, their numbers, and the way there and back."""

import math

import numpy as np
import torch
from python.torch.case import case, v

A, B, C = v(1.0, 5.0, 2.0), v(-1.0, -5.0, 3.0), v(0.0, 0.0, 0.0)
M, N = torch.tensor([[1.0, 2.0], [3.0, -4.0]]), torch.tensor([[-1.0, 2.0], [0.5, 4.0]])


# ---- decisions


@case(A, B, C)
def the_largest_confidence(x):
    confidences = [x[0].item(), x[1].item(), x[2].item()]
    return x * int(np.argmax(confidences))


@case(A, v(7.0, -5.0, 3.0), v(0.0, 1.0, 2.0), unreachable=1)  # there is no fourth
def an_exit_is_chosen(x):
    exits = [x, x + 1, x * 2]
    return exits[np.argmax(x.numpy())]


@case(A, v(-1.0, -5.0, 1.0))
def a_threshold(x):
    a = x.cpu().detach().numpy()
    if a.max() > 2:
        return x * float(a.mean())
    return x - a.sum()


@case(A, v(0.25, 1.0, 2.0))
def a_number_of_numpy_beside_one_of_the_input(x):
    limit = np.float64(0.5)
    return x + 1 if float(x[0]) > limit else x - limit


@case(v(0.0, 1.0), v(5.0, 1.0), v(2.0, 1.0))
def a_number_is_looked_for_among_numbers_of_numpy(x):
    return x + (1 if int(x[0]) in [np.int64(0), 5] else 0)


@case(v(5.0, 1.0), v(-1.0, 1.0), v(-1.0, -3.0), v(2.0, -3.0))
def elements_one_by_one(x):
    total = 0.0
    for element in x.numpy():
        if element > 0:
            total += float(element)
    return x + total


@case(v(9.0, 1.0, 2.0), A, v(1.0, 2.0, 3.0))
def a_range(x):
    y = x
    for i in range(np.argmax(x.numpy())):
        y = y + i
    return y


@case(A, v(-1.0, -2.0, -3.0))
def a_mask(x):
    a = x.numpy()
    positive = a > 0
    if positive.any():
        return torch.from_numpy(a[positive])
    return x


@case(A, v(-1.0, -2.0, -3.0))
def places_of_elements(x):
    places = np.where(x.numpy() > 0)[0]
    return x[places] if len(places) > 0 else x


@case(A, v(0.0, -1.0, -2.0))
def a_scale(x):
    largest = x.numpy().max()
    return x / largest if largest != 0 else x


@case(A, B)
def what_it_is(x):
    a = x.numpy()
    number = a[0]
    same = isinstance(a, np.ndarray) and type(number) is np.float32 and a.dtype == np.float32
    return x + (a.ndim + len(a) if same and not isinstance(number, float) else 0)


# ---- values


@case(A, B)
def to_numpy_and_back(x):
    a = x.detach().cpu().numpy()
    return torch.from_numpy(np.where(a > 0, a, a * 0.1))


@case(A, B)
def results_of_numpy(x):
    a = x.numpy() * 2
    return a, a.max(), np.argmax(a), a > 0, a.tolist()


@case(M, N)
def matrices(x):
    a = x.numpy()
    both = np.concatenate([a, a.T], axis=0)
    ordered = np.sort(both, axis=0)
    return torch.from_numpy(ordered), both.shape, ordered[0, 1], a @ a, np.dot(a[0], a[1]), np.linalg.norm(a)


@case(A, B)
def double_where_numpy_says_so(x):
    a = x.numpy()
    return a * np.float64(0.1), a * 0.1, a.astype(np.int64) / 2, a.astype(int) + 1, a * np.arange(3)


@case(A, B)
def beside_arrays_that_are_known(x):
    weights = np.array([1.0, 2.0, 3.0])
    return torch.from_numpy(weights * x.numpy() + weights), weights - x.numpy()


@case(A, B)
def statistics_of_a_list(x):
    values = [float(element) for element in x]
    return x * np.mean(values) + np.std(values), np.array(values).argmin()


@case(A, B)
def tensors_of_arrays(x):
    a = x.numpy()
    return (
        torch.tensor(a * 2) + torch.as_tensor(a),
        torch.tensor(a[0]),
        torch.as_tensor(a, dtype=torch.float64),
    )


@case(A, B)
def an_ensemble(x):
    predictions = [x.numpy(), (x * 2).numpy()]
    return torch.from_numpy(np.mean(np.stack(predictions), axis=0)), np.clip(x.numpy(), -1.0, 1.0)


# ---- writes


@case(A, B)
def the_tensor_sees_what_the_array_gets(x):
    y = x * 1
    a = y.numpy()
    a += 1
    a[0] = 7
    y[1] = 3
    return y, a.copy()


@case(A, v(-1.0, 1.0, 1.0))
def a_write_on_one_path(x):
    y = x * 1
    a = y.numpy()
    if x[0] > 0:
        a[a > 1] = 0
    return y + torch.from_numpy(a)


@case(A, B)
def a_known_array_gets_numbers_of_the_input(x):
    out = np.zeros(3)
    same = out
    for i in range(3):
        out[i] = float(x[i]) * i
    out += x.numpy()
    return torch.from_numpy(same)


@case(A, v(-1.0, 1.0, 1.0))
def a_known_array_gets_them_on_one_path(x):
    out = np.ones(2)
    if x[0] > 0:
        out[1] = x[1].item()
    return x + float(out[1])


@case(A, B)
def the_input_itself_is_written(x):
    x.numpy()[0] = 9
    return x * 2


# ---- found by an attack


@case(A, B)
def doubles_stay_doubles(x):
    a = x.double().numpy()
    a[0] = 0.1
    known = np.zeros(3)
    known[1] = x.sum().item()
    known[0] = 0.1
    return a, known


@case(A, B)
def ravel_copies_what_is_not_in_one_piece(x):
    y = x * 1
    a = y.numpy()
    b, c = a[::2].ravel(), a.ravel()
    b[0] = 9.0
    c[1] = 8.0
    return y


@case(A, B)
def nobody_writes_to_a_number(x):
    s = x.numpy().sum()
    b = np.asarray(s)
    b += 1
    c = np.reshape(s, (1,))
    c[0] = 100.0
    return s, b, c


@case(A, B)
def an_ellipsis_gives_a_view(x):
    y = x * 1
    v = y.numpy()[0, ...]
    v += 1
    return y, y.numpy()[..., 0], y.numpy()[0]


@case(A, B)
def a_known_array_becomes_a_tensor(x):
    a = np.zeros(3)
    if x.sum() > 0:
        return torch.from_numpy(a) + x
    return x


@case(A, v(float("nan"), 1.0, 2.0), may_raise=True)
def a_number_that_is_none(x):
    return np.int64(x[0].item()) + 1


@case(A, may_raise=True, every_path=False)
def too_many_indices(x):
    try:
        return x.numpy()[5, 0]
    except IndexError as error:
        return x, str(error)


@case(v(True, False), v(False, False))
def the_absolute_of_bools_is_a_new_array(x):
    a = x.numpy()
    b, c = np.abs(a), abs(a)
    if x.any():
        b ^= True
        c ^= True
    return a, b, c


# ---- memory


def layouts(*arrays):
    tensors = [torch.from_numpy(a) for a in arrays]
    return [t.stride() for t in tensors], [t.is_contiguous() for t in tensors]


@case(M, -M)
def the_order_of_memory(x):
    a, t = x.numpy() * 2, x.numpy().T
    if x.sum() > 0:
        a = a + 1
    return layouts(t.copy(), t + a, a + t, t > a, t // 2, np.where(t > 0, a, t), np.maximum(t, a)), a


@case(M, -M)
def the_order_of_memory_of_joined_arrays(x):
    a, t = x.numpy() * 2, x.numpy().T
    if x.sum() > 0:
        a = a + 1
    joined = np.concatenate([t, t + 1]), np.concatenate([t, a], axis=1), np.vstack([t, t])
    return layouts(*joined, np.stack([t, t]), np.stack([t, t], axis=1), np.stack([t, t], axis=-1)), a


@case(torch.arange(24.0).reshape(2, 3, 4), -torch.arange(24.0).reshape(2, 3, 4))
def the_order_of_memory_of_reductions(x):
    a = np.transpose(x.numpy(), (2, 0, 1))
    if x.sum() > 0:
        a = a + 1
    sums = a.sum(axis=1), a.max(axis=1, keepdims=True), a.mean(axis=-1), a.std(axis=1), (a > 0).any(axis=1)
    others = np.cumsum(a, axis=0), np.sort(a, axis=0), np.argsort(a, kind="stable"), np.round(a, 1)
    return layouts(*sums, *others, np.linalg.norm(a, axis=1), np.count_nonzero(a, axis=1)), a


@case(torch.arange(24.0).reshape(2, 3, 4), -torch.arange(24.0).reshape(2, 3, 4))
def the_order_of_memory_of_picked_elements(x):
    a = x.numpy()
    if x.sum() > 0:
        a = a + 1
    t = np.transpose(a, (1, 0, 2))
    picked = a[:, [0, 1]], t[..., [0, 1]], a[:, [0, 1], [0, 1]], a[[0, 1], :, [0, 1]]
    return layouts(*picked, t[:, np.array([[0, 1], [1, 0]])], np.nonzero(a)[1][:1]), a


@case(M, -M)
def a_view_or_a_copy(x):
    a = x.numpy() * 2
    copied, joined, picked = a.T.copy(), np.concatenate([a.T, a.T]), a[:, [0, 1]]
    if x.sum() > 0:
        for c in (copied, joined, picked):
            c.reshape(-1)[0] = 9
    return copied, joined, picked, torch.from_numpy(copied).view(-1)


# ---- errors


def text_of(function, *arguments):
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error), isinstance(error, IndexError)


def write(a, key, value):
    a[key] = value


@case(torch.ones(2, 3), -torch.ones(2, 3))
def errors_of_shapes(x):
    a = x.numpy() * 2
    if x.sum() > 0:
        a = a + 1
    return a, [
        text_of(lambda: a.reshape(4, 4)),
        text_of(lambda: a.reshape(-1, 4)),
        text_of(lambda: a.item()),
        text_of(lambda: write(a[0], slice(0, 1), a[0])),
        text_of(lambda: write(a[0], [0, 1], a[0])),
        text_of(lambda: a + a[0, :2]),
        text_of(lambda: np.where(a > 0, a[:, :2], 0)),
        text_of(lambda: np.concatenate([a[0, 0], a[0, 1]])),
        text_of(lambda: a[:0].max()),
    ]


@case(torch.ones(2, 3), -torch.ones(2, 3))
def errors_of_axes(x):
    a = x.numpy() * 2
    if x.sum() > 0:
        a = a + 1
    return a, [
        text_of(lambda: np.sum(a, axis=(0, 0))),
        text_of(lambda: np.sum(a, axis=5)),
        text_of(lambda: np.argmax(a, axis=-3)),
        text_of(lambda: np.transpose(a, (0, 0))),
        text_of(lambda: np.transpose(a, (0,))),
        text_of(lambda: np.expand_dims(a, 5)),
        text_of(lambda: np.cumsum(a, axis=5)),
        text_of(lambda: np.stack([a, a], axis=7)),
        text_of(lambda: np.sort(a, axis=2)),
        text_of(lambda: np.size(a, 2)),
    ]


@case(*[torch.tensor(n) for n in (5, 1, 0, -3)], every_path=False)
def ranges_without_elements(n):
    return np.arange(int(n)), np.arange(1, int(n)), np.arange(int(n), 0, -1)


@case(A, B)
def numbers_stay_numbers(x):
    a = x.numpy()
    n = a[0]
    if x.sum() > 0:
        n = n + 1
    kinds = [type(k) is np.float32 for k in (n.squeeze(), n.transpose(), np.squeeze(n), np.transpose(n))]
    return kinds, type(np.reshape(n, ())) is np.float32, n.squeeze(), a[:1].squeeze(), np.squeeze(a[:1])


@case(v(1.0, -2.0, 3.0), v(-1.0, -2.0, -3.0), every_path=False)  # the sizes fit
def elements_behind_a_mask_are_written(x):
    a = x.numpy() * 2
    m = a > 0
    a[m] = a[m] * 2 + 1
    a[~m] *= 2
    return a


@case(torch.ones(2, 3), -torch.ones(2, 3))
def axes_one_by_one(x):
    a = x.numpy() + 1
    return a.transpose(1, 0), a.transpose((0, 1)), a.transpose()


@case(v(1, 5, dtype=torch.int32), v(-1, 200, dtype=torch.int32), may_raise=True)
def an_integer_must_fit_into_the_array(x):
    small = x.numpy() + 1
    small[1] = 2**31 - 1
    if small[0] > 0:
        small[0] = 2**31
    return torch.from_numpy(small)


@case(v(1.0, 2.0), v(0.1, 0.1), v(-30.0, 4.0))
def numbers_of_python_before_those_of_numpy(x):
    size = np.log(x.norm().item() + 1)
    return 2 * size, 2.5 - size, True + size, 2**size, 7 // (size + 1), 3 < size, 0 == size


@case(v(1.0, 2.0), v(0.01, 0.01), v(30.0, 4.0), every_path=False)
def steps_between_floats(x):
    largest = x.norm().item()
    total = 0.0
    for exponent in np.arange(2 * np.log(largest), 2 * np.log(0.05), 2 * np.log(0.5)):
        total = total + np.exp(exponent)
    return x * total, np.arange(largest), np.arange(0.1, largest), np.arange(largest, 1, -0.3)


STEPS = [v(n, m) for n in (0.0, 1.0, math.inf, math.nan) for m in (0.0, -1.0)]


@case(*STEPS, may_raise=True, every_path=False)
def steps_that_never_end(x):
    return np.arange(x[1].item(), 2.0, x[0].item())


@case(v(0.0, 1.0), v(1.0, 1.0), v(math.nan, 1.0), may_raise=True, every_path=False)
def steps_of_numpy_that_never_end(x):
    return np.arange(1, np.exp(x[1].item()), np.sqrt(x[0].item()))


@case(*(torch.tensor(n) for n in (3, 200, -1, -200, 70000)), may_raise=True)
def numbers_that_an_array_does_not_hold(q):
    return np.array([int(q), 1], dtype=np.int8)


@case(*(torch.tensor(n) for n in (3, 200, -1, 70000)), may_raise=True)
def an_array_filled_with_numbers_that_it_does_not_hold(q):
    return np.full(2, int(q), np.uint8)


@case(*(torch.tensor(n) for n in (1, 3, -1)), may_raise=True)
def rows_of_numbers_that_an_array_does_not_hold(q):
    return np.asarray([[int(q) * 100, 1]], dtype=np.uint8)


@case(v(1.0, 2.0, 4.0), v(-1.0, 3.0, 0.0))
def tensors_in_lists_are_numbers(x):
    best = int(np.argmax([x.max(), x.mean(), x[2]]))
    mixed = np.array([x.max(), 1.0]), np.array([x.argmax(), 2]), np.mean([x[0], x[1]])
    rows = np.array([x, x * 2]), x.numpy() * [x[0], x[1], x[2]]
    return best, mixed, rows, np.array([x[0], True], dtype=np.float32)
