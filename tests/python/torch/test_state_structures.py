# SPDX-License-Identifier: Apache-2.0
"""state=True: what lives in containers and plain objects, and may change its size or kind between calls."""

import copy

import dycl
import numpy
import pytest
import torch
from python.torch.state_models import MODELS
from torch import nn

STEPS = [
    torch.tensor(values)
    for values in ([1.0, 2.0], [-3.0, 1.0], [0.5, 0.5], [4.0, -9.0], [2.0, 2.0], [1.0, 1.0], [-1.0, -1.0])
]


def same(given, wanted):
    torch.testing.assert_close(given, wanted, check_stride=False)


def calls(callee, steps):
    with torch.no_grad():
        return [copy.deepcopy(callee(x.clone())) for x in steps]


def compiled(source, **options):
    torch.manual_seed(0)
    return dycl.compile(source().eval(), (STEPS[0].clone(),), state=True, threads=1, **options)


def eager(source):
    torch.manual_seed(0)
    return source().eval()


@pytest.mark.parametrize("source", MODELS, ids=lambda source: source.__name__)
def test_sequences_of_calls_equal_eager_also_after_reset_and_from_the_file(source, tmp_path):
    program = compiled(source)
    wanted, backwards = calls(eager(source), STEPS), calls(eager(source), STEPS[::-1])
    same(calls(program, STEPS), wanted)
    program.reset()
    same(calls(program, STEPS[::-1]), backwards)
    program.save(tmp_path / "kept.dycl")  # in the middle of a sequence
    loaded = dycl.load(tmp_path / "kept.dycl", threads=1)
    same(calls(loaded, STEPS), wanted)
    loaded.reset()
    same(calls(loaded, STEPS[::-1]), backwards)


@pytest.mark.parametrize("name", ["NoneAtFirst", "KeysByThePath", "KeysAndValues", "GrowingLists", "Window"])
def test_verify_compares_sequences(name):
    source = next(source for source in MODELS if source.__name__ == name)
    program = compiled(source)
    report = dycl.verify(program, eager(source), [(x,) for x in STEPS], search=1.0)
    report.check()


def test_what_is_no_state_is_not_kept():
    for name in ("WrittenBeforeItIsRead", "LeftAsItWas"):
        source = next(source for source in MODELS if source.__name__ == name)
        assert not compiled(source).states
        same(calls(dycl.compile(eager(source), (STEPS[0],), threads=1), STEPS), calls(eager(source), STEPS))


def test_states_are_named_as_the_model_reaches_them():
    names = {source.__name__: source for source in MODELS}
    assert [port.name for port in compiled(names["DictOfOneShape"]).states] == [
        "cache['sum']",
        "cache['count']",
    ]
    assert [port.name for port in compiled(names["PlainObject"]).states] == ["sums.count", "sums.sum"]
    assert [port.name for port in compiled(names["NoneAtFirst"]).states] == ["<variant>", "last"]


def test_the_model_is_not_touched():
    names = {source.__name__: source() for source in MODELS}
    for name in ("FilledDict", "GrowingLists", "PlainObject", "Window"):
        calls(dycl.compile(names[name].eval(), (STEPS[0].clone(),), state=True, threads=1), STEPS[:2])
    assert names["FilledDict"].cache == {}
    assert names["GrowingLists"].tensors == names["GrowingLists"].numbers == []
    assert names["PlainObject"].sums.count == 0
    assert len(names["Window"].short) == 0


def counting():
    count, total = 0, None

    def step(x):
        nonlocal count, total
        count += 1
        total = x * 1 if total is None else total + x
        return total * count

    return step


def test_variables_of_an_enclosing_function_are_kept():
    program = dycl.compile(counting(), (STEPS[0],), state=True, threads=1)
    same(calls(program, STEPS), calls(counting(), STEPS))
    assert {port.name for port in program.states} == {"<variant>", "count", "total"}


class AddsTheLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        y = x * 1 if self.last is None else x + self.last
        self.last = x * 1
        return y


def test_sizes_of_a_state_are_not_those_of_the_next_call_and_a_call_that_fails_leaves_the_state():
    sizes = {"x": {0: torch.export.Dim("n")}}
    program = compiled(AddsTheLast, dynamic_shapes=sizes)
    model = AddsTheLast()
    for count in (2, 2, 1, 4, 4, 3, 2, 4):
        x = torch.arange(float(count))
        try:
            wanted = model(x)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                program(x)
        else:
            same(program(x), wanted)


class Raises(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}

    def forward(self, x):
        if x.sum() < 0:
            raise ValueError("below zero")
        self.kept["sum"] = self.kept.get("sum", 0) + x
        return self.kept["sum"] * 1


def test_a_call_that_raises_leaves_the_state():
    program, model = compiled(Raises), Raises()
    for x in STEPS + STEPS:
        if x.sum() < 0:
            with pytest.raises(ValueError, match="below zero"):
                program(x)
        else:
            same(program(x), model(x))


def test_results_are_not_the_state():
    class Returns(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept = []

        def forward(self, x):
            self.kept.append(x + 1)
            return self.kept

    program = compiled(Returns)
    program(STEPS[0])[0].fill_(1000)
    same(program(STEPS[1]), [STEPS[0] + 1, STEPS[1] + 1])


# ---- what is refused


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.count, self.rows = None, 0, [torch.zeros(2) for _ in range(3)]


class Linked(Kept):
    def forward(self, x):
        self.kept = (x * 1, self.kept)
        return x * len(self.kept)


class EndlessText(Kept):
    def forward(self, x):
        self.kept = (self.kept or "") + "a"
        return x * len(self.kept)


class CountsPlaces(Kept):
    def forward(self, x):
        self.rows[self.count % 3] = x * 1
        self.count += 1
        return torch.stack(self.rows).sum(0)


class KeepsAnIterator(Kept):
    def forward(self, x):
        if self.kept is None:
            self.kept = iter([1, 2, 3])
        return x * next(self.kept)


class KeepsAnArray(Kept):
    def forward(self, x):
        self.kept = numpy.zeros(2) if self.kept is None else self.kept + 1
        return x * float(self.kept[0])


class KeepsAText(Kept):
    def forward(self, x):
        length = len(self.kept or "")
        self.kept = f"{x.sum().item()}"
        return x * length


class KeepsAWrittenInput(Kept):
    def forward(self, x):
        y = x * 1 if self.kept is None else x - self.kept
        self.kept = x
        x.add_(1)
        return y


class WritesThenRaises(Kept):
    def forward(self, x):
        self.count += 1
        if x.sum() < 0:
            raise ValueError("below zero")
        return x * self.count


class WritesToAnElement(Kept):
    def forward(self, x):
        self.rows.append(x * 1)
        self.rows[-1].add_(1)
        return torch.stack(self.rows).sum(0)


class KeepsABufferInAList(Kept):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(2))

    def forward(self, x):
        self.sum.mul_(0.5).add_(x)
        self.rows.append(self.sum)
        return torch.stack(self.rows).sum(0)


class AsksForTheObjectOfTheCaller(Kept):
    def forward(self, x):
        same_as_before = self.kept is x
        self.kept = x
        return same_as_before, x * 1


TABLE = {"count": 0}


class WritesToAGlobal(Kept):
    def forward(self, x):
        TABLE["count"] += 1
        return x * TABLE["count"]


REFUSED = {
    Linked: ("more than 8 variants.*kept", "variants_limit"),
    EndlessText: ("more than 8 variants.*kept", "variants_limit"),
    CountsPlaces: ("more than 8 variants.*count", "variants_limit"),
    KeepsAnIterator: (r"self\.kept is to be kept .* an iterator", "keep tensors"),
    KeepsAnArray: (r"self\.kept is to be kept .* a numpy array", "keep tensors"),
    KeepsAText: (r"self\.kept is to be kept .* a text that depends on the input", "pass it in"),
    KeepsAWrittenInput: (r"self\.kept is to be kept .* a tensor of the caller's", "clone"),
    WritesToAnElement: ("more than 8 variants.*rows", "variants_limit"),
    KeepsABufferInAList: ("writes to a tensor that is, or may be, an element of a list", "clone"),
    AsksForTheObjectOfTheCaller: ("`is` compares two inputs of the model", "one object twice"),
    WritesToAGlobal: ("a dict that exists before the call is changed here", "hold it in the model"),
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda source: source.__name__)
def test_what_cannot_be_kept_is_refused_with_its_place_and_a_way_out(source):
    message, hint = REFUSED[source]
    with pytest.raises(dycl.UnsupportedError, match=message) as refused:
        compiled(source)
    assert refused.value.file == __file__
    assert refused.value.line > 0
    assert hint in refused.value.hint


def test_a_call_that_raises_leaves_the_state_as_it_was_and_the_compiler_warns():
    with pytest.warns(UserWarning, match="the state then stays as it was before the call"):
        program = compiled(WritesThenRaises)
    assert torch.equal(program(torch.ones(2)), torch.ones(2))
    with pytest.raises(ValueError, match="below zero"):
        program(-torch.ones(2))
    assert torch.equal(program(torch.ones(2)), torch.full((2,), 2.0))


def test_without_the_option_the_part_that_is_written_is_named():
    names = {source.__name__: source for source in MODELS}
    for name, message in {
        "FilledDict": r"self\.cache\['r'\] is changed here",
        "PlainObject": r"self\.sums\.count is read here and written",
        "GrowingLists": r"self\.tensors is changed here",
    }.items():
        with pytest.raises(dycl.UnsupportedError, match=message) as refused:
            dycl.compile(names[name]().eval(), (STEPS[0],), threads=1)
        assert "state=True" in refused.value.hint


def test_the_limit_of_variants_can_be_raised():
    class Twelve(nn.Module):
        def __init__(self):
            super().__init__()
            self.turn = 0
            self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(12))

        def forward(self, x):
            y = self.layers[self.turn](x)
            self.turn = (self.turn + 1) % 12
            return y

    with pytest.raises(dycl.UnsupportedError, match="more than 8 variants"):
        compiled(Twelve)
    steps = STEPS + STEPS
    same(calls(compiled(Twelve, limits={"variants_limit": 12}), steps), calls(eager(Twelve), steps))
