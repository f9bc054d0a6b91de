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


MODELS = [CountsCalls, RunningMean, Cache, Recurrent, Inner, Slices]


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
    assert [port.name for port in program.states] == ["length", "rows"]


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


def test_a_state_that_begins_as_none_is_refused_by_name():
    class Lazy(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x):
            y = x if self.last is None else x + self.last
            self.last = x * 1
            return y

    with pytest.raises(dycl.UnsupportedError, match=r"Lazy\.last.*begins as None"):
        dycl.compile(Lazy(), (STEPS[0],), state=True, threads=1)


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


def test_numpy_arrays_are_written_too():
    import numpy

    def write(x):
        x[0] = 7
        return x.sum()

    program = dycl.compile(write, (torch.ones(3),), threads=1)
    array = numpy.arange(6, dtype=numpy.float32)[::2]
    program.run(None, {"x": array}) if program.outputs else program(array)
    assert array.tolist() == [7, 2, 4]
