# SPDX-License-Identifier: Apache-2.0
"""Packed sequences, and recurrent cells on as many sequences as the input says."""

import torch
from python.torch.case import call, case, v
from torch import nn
from torch.nn.utils import rnn

torch.manual_seed(3)
STEPS = torch.randn(3, 4, 2)
SORTED = [call(STEPS, v(4, 2, 1)), call(-STEPS, v(2, 2, 2)), call(STEPS, v(1, 1, 1))]
WRONG = [call(STEPS, v(2, 3, 1)), call(STEPS, v(3, 1, 0)), call(STEPS, v(6, 2, 1))]
ANY = [call(STEPS, v(4, 2, 1)), call(-STEPS, v(1, 2, 4)), call(STEPS, v(1, 1, 1)), call(STEPS, v(3, 0, 2))]


@case(*SORTED, *WRONG[:2], may_raise=True, every_path=False)
def packed_and_padded(x, lengths):
    packed = rnn.pack_padded_sequence(x, lengths, batch_first=True)
    padded, again = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0)
    if padded.sum() > 0:
        padded = padded * 2
    return packed, padded, again


@case(*SORTED, every_path=False)
def padded_to_a_length(x, lengths):
    packed = rnn.pack_padded_sequence((x * 9).long().transpose(0, 1), lengths.tolist())
    return rnn.pad_packed_sequence(packed, total_length=6, padding_value=2.5), packed.batch_sizes.tolist()


class OfLayer(nn.Module):
    """The sequences through a recurrent layer, and a decision on what comes out."""

    def __init__(self, kind, enforce_sorted=True, **options):
        super().__init__()
        self.layer, self.enforce_sorted = kind(2, 3, batch_first=True, **options), enforce_sorted

    def forward(self, x, lengths, *state):
        packed = rnn.pack_padded_sequence(x, lengths, True, self.enforce_sorted)
        outputs, last = self.layer(packed, *state)
        padded, _ = rnn.pad_packed_sequence(outputs, batch_first=True)
        if padded.sum() > 0:
            padded = -padded
        return padded, last, outputs.data


@case(*SORTED, *WRONG, may_raise=True, every_path=False)
class Lstm(OfLayer):
    def __init__(self):
        super().__init__(nn.LSTM)


@case(*ANY, may_raise=True, every_path=False)
class DeepLstmInBothDirections(OfLayer):
    def __init__(self):
        super().__init__(nn.LSTM, False, num_layers=2, bidirectional=True, bias=False)


@case(*ANY, may_raise=True, every_path=False)
class ProjectedLstm(OfLayer):
    def __init__(self):
        super().__init__(nn.LSTM, False, proj_size=2, num_layers=2)


@case(*SORTED, *WRONG, may_raise=True, every_path=False)
class DeepGru(OfLayer):
    def __init__(self):
        super().__init__(nn.GRU, num_layers=2)


@case(*ANY, may_raise=True, every_path=False)
class RnnInBothDirections(OfLayer):
    def __init__(self):
        super().__init__(nn.RNN, False, bidirectional=True)


@case(*SORTED, may_raise=True, every_path=False)
class ReluRnn(OfLayer):
    def __init__(self):
        super().__init__(nn.RNN, nonlinearity="relu")


BATCH, TIME = torch.export.Dim("batch"), torch.export.Dim("time")
OTHERS = [call(torch.ones(2, 6, 2), v(6, 1)), call(torch.ones(2, 6, 2), v(1, 6))]


@case(*SORTED, *OTHERS, may_raise=True, every_path=False, dynamic_shapes=({0: BATCH, 1: TIME}, {0: BATCH}))
class LstmOfAnyBatch(OfLayer):
    def __init__(self):
        super().__init__(nn.LSTM)


@case(*[call(*one.args, torch.ones(1, 3, 3) / 2) for one in ANY], may_raise=True, every_path=False)
class GruWithAState(OfLayer):
    """The state is in the order of the batch, not in that of the lengths."""

    def __init__(self):
        super().__init__(nn.GRU, False)


@case(*ANY[:3], every_path=False)
class ChangedInBetween(nn.Module):
    """A packed sequence made of another one's parts, as dropout is put in between."""

    def __init__(self):
        super().__init__()
        self.layer, self.dropout = nn.LSTM(2, 3, bidirectional=True), nn.Dropout()

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, True, False)
        data = self.dropout(packed.data) * 2
        packed = rnn.PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        outputs, (hidden, cells) = self.layer(packed._replace(data=packed[0] + 1))
        return rnn.unpack_sequence(outputs)[1], hidden, cells, packed.is_cuda, isinstance(packed, tuple)


@case(*SORTED, every_path=False)
class CaptionsAndTargets(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.words = nn.LSTM(2, 3, batch_first=True), nn.Linear(3, 5)

    def forward(self, x, lengths):
        hidden, _ = self.layer(rnn.pack_padded_sequence(x, lengths.tolist(), True))
        targets = rnn.pack_padded_sequence(x.argmax(-1), lengths, True)[0]
        return nn.functional.cross_entropy(self.words(hidden[0]), targets)


@case(call(STEPS[0], STEPS[1, :2]), call(STEPS[1], STEPS[2, :2]), every_path=False)
class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(2, 3)

    def forward(self, first, second):
        outputs, last = self.layer(rnn.pack_sequence([second, first], enforce_sorted=False))
        return rnn.unpack_sequence(outputs), last


class StepByStep(nn.Module):
    """A cell on the sequences that have this step."""

    def __init__(self, kind):
        super().__init__()
        self.cell = kind(2, 3)

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, True)
        state = torch.zeros(x.size(0), 3)
        start = 0
        for size in packed.batch_sizes.tolist():
            state = torch.cat([self.cell(packed.data[start : start + size], state[:size]), state[size:]])
            start += size
        return state


@case(*SORTED, every_path=False)
class GruStepByStep(StepByStep):
    def __init__(self):
        super().__init__(nn.GRUCell)


@case(*SORTED, every_path=False)
class RnnStepByStep(StepByStep):
    def __init__(self):
        super().__init__(nn.RNNCell)


@case(STEPS[0], -STEPS[0], STEPS[1], every_path=False, may_raise=True)
class LstmOfChosenRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(2, 3)

    def forward(self, x):
        chosen = x[x[:, 0] > 0]
        state = torch.zeros(int((x[:, 1] > -9).sum()), 3)[: chosen.size(0)]
        hidden, cells = self.cell(chosen, (state, state))
        return self.cell(chosen, (hidden, cells[: int((x[:, 1] > 0).sum())]))


ROWS = torch.randn(4, 2)


@case(
    call(ROWS, v(2, 1)),
    call(ROWS, v(2, 2)),
    call(ROWS, v(3, 2)),
    call(ROWS, v(2, -1)),
    may_raise=True,
    every_path=False,
)
class MadeByHand(nn.Module):
    """C takes the rows of the second direction from the end."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(2, 3, bidirectional=True)

    def forward(self, rows, batch_sizes):
        return self.layer(rnn.PackedSequence(rows, batch_sizes))


@case(v(0, 2, 1), v(2, 1, 0))
def inverted(order):
    return rnn.invert_permutation(order)


@case(ROWS, -ROWS, every_path=False)
def what_does_not_fit_is_told(rows):
    chosen = rows[rows[:, 0] > 0]
    told = []
    for weights, state in ((torch.ones(3, 2), chosen), (torch.ones(6, 2), chosen[:, 0])):
        try:
            told.append(torch.gru_cell(chosen, state, weights, torch.ones(6, 2)))
        except RuntimeError as error:
            told.append(str(error))
    packed = rnn.PackedSequence(rows[:1].half(), v(1))
    for value, length in ((1e6, None), (0.0, True)):
        try:
            told.append(rnn.pad_packed_sequence(packed, padding_value=value, total_length=length)[0])
        except (RuntimeError, TypeError) as error:
            told.append(str(error))
    return told
