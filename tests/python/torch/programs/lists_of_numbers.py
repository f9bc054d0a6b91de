# SPDX-License-Identifier: Apache-2.0
"""Lists of numbers of the input as indices, as groups, and as tensors."""

import itertools

import torch
from python.torch.case import case, m, v
from torch import nn

RUNS = [v(4, 4, 1, 2, 2, -1, 1), -torch.ones(7).long(), torch.ones(7).long(), v(1, 2, 1, 2, 1, 2, 1)]
ROWS = m((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))


@case(v(3, 1, 0, 2), v(0, 0, 0, 0), v(-1, 2, -2, 0), v(9, 0, 1, 1), v(1, 1, -5, 1))
def indices_that_a_loop_picks(x):
    picked = []
    for n in x.tolist():
        if n != 0:
            picked.append(n)
    try:
        return x[picked]
    except IndexError:
        return picked


@case(v(3, 1, 2), v(0, 1, 2), v(1, 1, 1))
def as_many_as_the_input_says(x):
    picked = []
    n = 0
    while n < x[0]:
        picked.append(n % 3)
        n += 1
    return ROWS[picked], ROWS[:, [int(x[1]) - 1, 0]], ROWS[picked, 1]


@case(v(1, 2), v(0, 0), v(-1, 1))
def rows_are_set_by_a_list(x):
    y = ROWS * 2
    y[[int(x[0]), 1]] = 7.0
    y[[0, int(x[1])], 1] += 1.0
    return y


@case(*RUNS)
def groups_of_a_list_of_any_length(x):
    kept = x[x > 0].tolist()
    without = [group[0] for group in itertools.groupby(kept)]
    return without, list(filter(lambda n: n != 2, without))


@case(*RUNS, unreachable=8)
def members_of_groups(x):
    return [(key, len(list(members))) for key, members in itertools.groupby(x[x > 0].tolist())]


def _runs(numbers):
    end = object()
    iterator, ended = iter(numbers), False
    number = next(iterator, end)
    while not ended and number is not end:
        wanted = number
        yield wanted
        while not ended and number == wanted:
            given = next(iterator, end)
            if given is end:
                ended = True
            else:
                number = given


@case(*RUNS)
def a_generator_with_a_loop_behind_its_yield(x):
    found = []
    for number in _runs(x[x > 0].tolist()):
        found.append(number)
    return found


@case(v(3.0, 1.0), v(0.0, 1.0), v(1.0, 1.0))
def a_tensor_on_the_same_device(x):
    numbers, rows = [1.5], [x]
    n = 0
    while n < x[0]:
        numbers.append(float(n))
        rows.append(x + n)
        n += 1
    made = torch.tensor(numbers, device=x.device), torch.tensor([], device=x.device)
    return made, torch.cat(rows, axis=0), torch.stack(rows, axis=1), torch.concat(rows, dim=-1)


@case(m((1.0, -1.0, 2.0), (1.0, 1.0, 1.0)), m((1.0, -1.0, -2.0), (-1.0, -1.0, 1.0)))
def places_given_by_two_tensors(x):
    counts = (x > 0).sum(-1)
    marked = torch.zeros(2, 4)
    marked[torch.arange(2), counts - 1] = 1
    marked[0, torch.arange(2), None] = 2
    return marked


@case(v(1.0, -1.0), v(-1.0, 1.0), v(1.0, 2.0), v(-1.0, -2.0))
class RowsForACellThatMustKnowTheirNumber(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.rnn = nn.GRU(4, 2, batch_first=True)

    def forward(self, x):
        chosen = []
        for place in range(2):
            if x[place] > 0:
                chosen.append(place)
        if not chosen:
            return x
        return self.rnn((torch.ones(2, 3, 4) * x[:, None, None])[chosen])[0]


@case(v(1.0, -1.0, 2.0), v(-1.0, -1.0, 1e39), v(0.5, float("nan"), 1.0), may_raise=True)
def a_number_at_a_place_of_a_table(x):
    table, whole = torch.zeros(2, 3, 2), x.view(1, 3) * 1
    row = table[1]
    table[1, 2, 0] = float(x[0].double() * x[2].double())
    table[-1, :, 1] = x[1].item()
    whole[0, int(x.sum() > 1)] = x[0].item() + 1
    return table, row, whole
