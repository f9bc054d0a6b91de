# SPDX-License-Identifier: Apache-2.0
"""state=True: what a call leaves in the model, the next one finds; reset() begins again."""

import copy

import dycl
import pytest
import torch
from python.torch.hazards import CountsCalls
from torch import nn

STEPS = [
    torch.tensor([1.0, 2.0]),
    torch.tensor([-3.0, 1.0]),
    torch.tensor([0.5, 0.5]),
    torch.tensor([4.0, -9.0]),
]


class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.count += 1
        if x.sum() > 0:
            self.mean += (x - self.mean) / self.count
        return x - self.mean


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 2))
        self.length = 0

    def forward(self, x):
        self.rows[self.length % 4] = x
        self.length += 1
        return self.rows.sum(0), self.length


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 3)
        self.hidden = torch.zeros(1, 3)

    def forward(self, x):
        self.hidden = self.cell(x[None], self.hidden)
        return self.hidden.sum()


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.ModuleList([RunningMean(), RunningMean()])
        self.scale = 1.0
        self.warm = False

    def forward(self, x):
        for layer in self.inner:
            x = layer(x)
        if x.sum() > 0:
            self.scale = self.scale * 0.5
            self.warm = True
        return x * self.scale, self.warm


class Slices(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 3))

    def forward(self, x):
        column = self.cache[:, 1]
        column.add_(x)
        if x.sum() > 0:
            self.cache[:, 0] = column
        return self.cache * 1


class WritesToLayers(nn.Module):
    """Their own calls see what was written to their weights and buffers."""

    def __init__(self):
        super().__init__()
        self.linear, self.tied, self.norm = nn.Linear(2, 2), nn.Linear(2, 2), nn.BatchNorm1d(2)
        self.tied.weight = self.linear.weight
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.table = nn.Embedding(3, 2)

    def forward(self, x):
        before = self.linear(x)
        self.linear.weight.data.mul_(0.5)
        if x.sum() > 0:
            self.layers[0].bias.add_(1)
        self.norm.running_mean.add_(x)
        self.table.weight[1] += x
        seen = self.tied(x), self.tied.forward(x), self.layers(x), self.table(torch.tensor([0, 1]))
        return before, self.linear(x), self.norm(x[None]), seen


class Rebinds(nn.Module):
    """The tensor that an attribute held at first has another name, which goes on to hold it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("begin", torch.zeros(2))
        self.register_buffer("hidden", self.begin)
        self.listed = [self.begin]

    def forward(self, x):
        self.hidden = self.hidden + x if x.sum() > 0 else self.begin + 1
        return self.hidden * 1, self.begin + self.listed[0]


class Swaps(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("one", torch.zeros(2))
        self.register_buffer("other", torch.ones(2))

    def forward(self, x):
        self.one, self.other = self.other, self.one
        self.one.add_(x)
        return self.one * 1, self.other * 1


class Transposes(nn.Module):
    """Nothing asks for the strides, so they may change."""

    def __init__(self):
        super().__init__()
        self.register_buffer("square", torch.zeros(2, 2))
        self.register_buffer("wide", torch.zeros(3, 2))

    def forward(self, x):
        seen = self.wide * 1
        self.square = (self.square + x).t()
        self.wide = x.expand(3, 2)
        return self.square @ x, seen


MODELS = [
    CountsCalls,
    RunningMean,
    Cache,
    Recurrent,
    Inner,
    Slices,
    WritesToLayers,
    Rebinds,
    Swaps,
    Transposes,
]


def same(given, wanted):
    torch.testing.assert_close(given, wanted, check_stride=False)


@pytest.mark.parametrize("source", MODELS, ids=lambda source: source.__name__)
def test_a_sequence_of_calls_equals_eager(source):
    torch.manual_seed(0)
    model = source().eval()
    before = copy.deepcopy(model)
    program = dycl.compile(model, (STEPS[0].clone(),), state=True, threads=1)
    eager = copy.deepcopy(model)
    with torch.no_grad():
        for x in STEPS:
            same(program(x.clone()), eager(x.clone()))
        program.reset()
        for x in reversed(STEPS):
            same(program(x.clone()), before(x.clone()))
    for held, wanted in zip(model.state_dict().values(), source().state_dict().values(), strict=True):
        assert held.shape == wanted.shape  # the model itself is as it was
    assert model.state_dict().keys() == before.state_dict().keys()


def test_the_model_is_not_touched():
    model = Cache()
    program = dycl.compile(model, (STEPS[0],), state=True, threads=1)
    program(STEPS[0])
    assert model.length == 0
    assert not model.rows.any()
    assert {port.name for port in program.states} == {"length", "rows"}


def test_a_saved_program_begins_as_the_model_was(tmp_path):
    program = dycl.compile(RunningMean(), (STEPS[0],), state=True, threads=1)
    first = [program(x) for x in STEPS]
    program.save(tmp_path / "mean.dycl")
    loaded = dycl.load(tmp_path / "mean.dycl", threads=1)
    for x, wanted in zip(STEPS, first, strict=True):
        same(loaded(x), wanted)
    loaded.reset()
    same(loaded(STEPS[0]), first[0])


def test_results_are_not_the_state():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("sum", torch.zeros(2))

        def forward(self, x):
            self.sum += x
            return self.sum

    program = dycl.compile(Sum(), (STEPS[0],), state=True, threads=1)
    program(STEPS[0]).fill_(1000)
    same(program(STEPS[0]), STEPS[0] * 2)


def test_without_the_option_state_is_refused_with_the_way_out():
    for source in (CountsCalls, RunningMean):
        with pytest.raises(dycl.UnsupportedError) as refused:
            dycl.compile(source(), (STEPS[0],), threads=1)
        assert "state=True" in refused.value.hint


def test_inputs_that_share_memory_are_refused_where_one_is_written():
    def write(x, y):
        x.add_(1)
        return x + y

    memory = torch.ones(4)
    program = dycl.compile(write, (torch.ones(2), torch.ones(2)), threads=1)
    same(program(memory[:2], memory[2:]), torch.full((2,), 3.0))
    same(memory, torch.tensor([2.0, 2.0, 1.0, 1.0]))
    with pytest.raises(dycl.UsageError, match="shares") as refused:
        program(memory[:2], memory[1:3])
    assert refused.value.code == "run.inputs_overlap"


def test_an_expanded_input_that_is_written_to_is_refused():
    def write(x):
        x[0] = 5
        return x * 2

    program = dycl.compile(write, torch.ones(2))
    with pytest.raises(dycl.UsageError, match="several of whose elements lie in one place") as refused:
        program(torch.ones(1).expand(2))
    assert refused.value.code == "run.inputs_overlap"


def test_numpy_arrays_are_written_too():
    import numpy

    def write(x):
        x[0] = 7
        return x.sum()

    program = dycl.compile(write, (torch.ones(3),), threads=1)
    array = numpy.arange(6, dtype=numpy.float32)[::2]
    program(array)
    assert array.tolist() == [7, 2, 4]


class Sharing(nn.Module):
    """A buffer, and a view of it that was made before the first call."""

    def __init__(self):
        super().__init__()
        self.register_buffer("whole", torch.zeros(4))
        self.register_buffer("kept", torch.zeros(2))
        self.part, self.array = self.whole[:2], self.whole.numpy()
        self.square = torch.zeros(2, 2)


class ReadsAView(Sharing):
    def forward(self, x):
        self.whole.add_(1)
        return x + self.part


class ReadsAnArray(Sharing):
    def forward(self, x):
        self.whole.add_(1)
        return x + float(self.array[0])


class WritesToAConstant(Sharing):
    def forward(self, x):
        self.kept.add_(x)
        if x.sum() < 0:
            self.kept = ZEROS
        return self.kept * 1


ZEROS = torch.zeros(2)
SHARING = {
    ReadsAView: "shares its memory with one which is kept",
    ReadsAnArray: "shares its memory with one which is kept",
    WritesToAConstant: "writes to a parameter, a buffer or a constant",
}


@pytest.mark.parametrize("source", SHARING, ids=lambda source: source.__name__)
def test_memory_that_a_copied_state_would_not_share_is_refused_with_its_place(source):
    with pytest.raises(dycl.UnsupportedError, match=SHARING[source]) as refused:
        dycl.compile(source().eval(), (STEPS[0],), state=True, threads=1)
    assert refused.value.file == __file__
    assert refused.value.line > 0
    assert refused.value.hint
