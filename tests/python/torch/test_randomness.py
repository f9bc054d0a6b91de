# SPDX-License-Identifier: Apache-2.0
"""randomness="inputs": what a model draws are inputs; eager with the same numbers gives the same."""

import copy
from pathlib import Path

import dycl
import numpy
import pytest
import torch
from python.torch.case import m, v
from python.torch.harness import check
from torch import nn
from torch.nn import functional, init


def on_a_branch(x):
    noise = torch.rand(3)
    if (noise + x).sum() > 1.5:
        return noise + torch.randn(3)
    return noise - torch.rand_like(x)


def in_an_unrolled_loop(x):
    for _ in range(3):
        x = x + torch.rand(3)
        if x.sum() > 3:
            x = x * torch.randn(())
    return x


def in_a_cycle(x):
    count = 0
    while x.sum() < 4:
        x = x + torch.rand(3)
        if x[0] > 1:
            x = x + torch.empty(3).exponential_(2.0)
        count += 1
    return x, count, torch.rand(3)


def before_in_and_behind_a_cycle(x):
    def draw():
        return torch.rand(3)

    x = x + draw()
    while x.sum() < 5:
        x = x + draw()
    return x + draw()


def one_line_draws_twice(x):
    return torch.rand(3) - torch.rand(3) * x, torch.rand(2), torch.randn(3)


def in_place(x):
    y = torch.empty(2, 3)
    y[0].uniform_(-1, 1)
    y[1].normal_(2.0, 0.5)
    z = x.clone()
    row = z[1:]
    row.bernoulli_(0.25)
    z[0].exponential_()
    if y.sum() > 4:
        y.random_(5)
    return y, z, row


def into_the_argument(x):
    x.uniform_(2, 3)
    return x * 2


def whole_numbers(x):
    numbers = torch.randint(10, (4,))
    others = torch.randint(-3, 4, (2, 2), dtype=torch.int32)
    like = torch.randint_like(x, 5)
    return numbers, others, like, torch.randint(low=2, high=3, size=(2,)), x[numbers % 3]


def indexes_at_run_time(x):
    numbers = torch.randint(2, 5, ())
    total = x
    for _ in range(int(numbers)):
        total = total + torch.rand(3)
    return total


def permutation(x):
    order = torch.randperm(3)
    return order, x[order], torch.randperm(0), torch.randperm(4, dtype=torch.int32)


def chances(x):
    chosen = torch.bernoulli(torch.sigmoid(x))
    if chosen[0] == 1:
        return chosen, x.sigmoid().bernoulli(), torch.bernoulli(x, p=0.3)
    return chosen, torch.zeros(3).bernoulli_(torch.full((3,), 0.5)), chosen


def normal_of_tensors(x):
    return (
        torch.normal(x, x.abs()),
        torch.normal(0.5, x.abs()),
        torch.normal(x, 2.0),
        torch.normal(1.0, 2.0, (2, 2)),
        torch.normal(x, torch.ones(2, 1)),
    )


def drops(x):
    y = functional.dropout(x, 0.5)
    z = functional.dropout(y, 0.2, inplace=True)
    pictures = functional.dropout2d(torch.ones(2, 3, 4, 4), 0.5)
    selu = functional.alpha_dropout(x, 0.3, training=True)
    nothing = functional.dropout(x, 0.0), functional.dropout(x, 1.0), functional.dropout(x, 0.5, False)
    known = functional.feature_alpha_dropout(m([1.0, 2.0], [3.0, 4.0]), 0.5, True)
    return y, z, pictures, selu, known, nothing


class Trains(nn.Module):
    def __init__(self):
        super().__init__()
        layers = nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.4), nn.Linear(8, 3), nn.Dropout1d(0.5)
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        for _ in range(2):
            x = self.body(x[None])[0]
            if x.sum() > 0.25:  # not 0, which all are that are dropped
                x = x - 1
        return x


class Decoder(nn.Module):
    """Samples tokens until one of them ends the text."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(5, 4), nn.Linear(4, 5)

    def forward(self, token):
        tokens = [token]
        while len(tokens) < 12:
            scores = self.head(self.table(tokens[-1]))
            chosen = torch.multinomial(scores.softmax(-1), num_samples=1)
            tokens.append(chosen.squeeze(-1))
            if int(chosen) == 0:
                break
        return torch.stack(tokens)


def multinomials(x):
    chances = x.abs() + 0.1
    chances[0] = 0
    return (
        torch.multinomial(chances, 1),
        torch.multinomial(chances, 2),
        torch.multinomial(chances.expand(4, 3), 5, replacement=True),
        chances.multinomial(4, True),
        torch.multinomial(torch.stack([chances, chances]), 2),
    )


def distributions(x):
    some = torch.distributions.Categorical(logits=x, validate_args=False).sample()
    normal = torch.distributions.Normal(x, 1.0, validate_args=False)
    return some, normal.sample((2,)), normal.rsample(), functional.gumbel_softmax(x, hard=True)


def other_types(x):
    return (
        torch.rand(2, dtype=torch.float64),
        torch.randn(2, dtype=torch.float16),
        torch.rand((2, 2), dtype=torch.bfloat16),
        torch.rand(size=[2]),
        torch.rand(torch.Size([1, 2]), device="cpu"),
        torch.randn(0),
        x.new_empty(2).normal_(),
    )


def caught(x):
    try:
        return torch.multinomial(x, 1)
    except RuntimeError as error:
        return torch.rand(1), str(error)


def not_caught(x):
    if x.sum() > 5:
        return torch.multinomial(x, 1)
    return torch.bernoulli(x)


def not_used(x):
    torch.rand(2)
    return x + 1


def drawn_by_a_helper():
    return torch.rand(3)


def counts_that_meet(x):
    if x.sum() > 0:
        first, second = drawn_by_a_helper(), drawn_by_a_helper()
    else:
        first = second = drawn_by_a_helper()
    return first, second, drawn_by_a_helper()


def in_nested_cycles(x):
    trips = 0
    while x.sum() < 4:
        x = x + torch.rand(3)
        while x[0] < 1:
            x = x + drawn_by_a_helper()
            trips += 1
        x = x + drawn_by_a_helper()
    return x, trips


def in_a_generator(x):
    def numbers():
        while True:
            yield torch.rand(3)

    source = numbers()
    return [x + next(source) for _ in range(3)], [x - drawn for drawn, _ in zip(numbers(), range(2))]


def stochastic_depth(x):
    for layer in range(3):
        if torch.rand(1).item() < 0.5:
            x = x * 2 + layer
    return x


def over_several_lines(x):
    return (
        x
        .clone()
        .uniform_(),
        torch.rand(
            3,
        ),
    )  # fmt: skip


def initialized(x):
    wide = init.xavier_uniform_(torch.empty(3, 3))
    return x + init.normal_(torch.empty(3), 1.0, 2.0), wide, init.kaiming_uniform_(torch.empty(2, 3))


def ends_at_run_time(x):
    low, high = x[0].item(), x[1].item()
    return torch.empty(3).uniform_(low, high), torch.randint(len(x), int(x[2]), (3,))


def strides_of_the_argument(x):
    turned = x.expand(2, 3).t().clone(memory_format=torch.preserve_format)
    drawn = torch.rand_like(turned)
    return drawn, drawn.stride(), torch.rand_like(turned, memory_format=torch.contiguous_format).stride()


def never_both(x):
    """The two lines draw on paths that exclude each other."""
    if x.sum() > 0:
        return torch.rand(3)
    return torch.rand(3) + 1


XS = [v(0.5, -1.0, 2.0), v(-4.0, 0.25, 0.0), v(3.0, 1.0, 1.5)]
CHANCES = [v(1.0, 2.0, 0.0), v(-1.0, 1.0, 0.0), v(0.0, 0.0, 0.0)]
MIXED = [v(1.0, 8.0, 0.0), v(0.0, 0.5, 1.0), v(-1.0, 8.0, 1.0), v(0.5, 2.0, 0.0)]
MODELS = [
    on_a_branch, in_an_unrolled_loop, in_a_cycle, before_in_and_behind_a_cycle, one_line_draws_twice,
    in_place, into_the_argument, whole_numbers, indexes_at_run_time, permutation, chances, drops,
    normal_of_tensors, multinomials, distributions, other_types, caught, not_caught, not_used,
    counts_that_meet, in_nested_cycles, in_a_generator, stochastic_depth, over_several_lines, initialized,
    strides_of_the_argument, never_both,
]  # fmt: skip
INPUTS = {caught: CHANCES, not_caught: MIXED}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_program_with_the_numbers_of_eager_equals_it(model):
    inputs = [x.clone() for x in INPUTS.get(model, XS) for _ in range(4)]
    check(model, inputs, randomness="inputs", threads=1)


def test_ends_known_at_run_time_are_checked_as_torch_does():
    infinity = float("inf")
    ends = [(0.5, 2.0), (2.0, 0.5), (-3e38, 3e38), (float("nan"), 1.0), (0.0, infinity), (-infinity, 0.0)]
    xs = [v(low, high, size) for low, high in ends for size in (2.0, 3.0, 9.0)]
    check(ends_at_run_time, xs, randomness="inputs", every_path=False, threads=1)


def in_a_container():
    return nn.Sequential(nn.Dropout(0.1))


@pytest.mark.parametrize("source", [Trains, nn.Dropout, nn.AlphaDropout, in_a_container])
def test_dropout_layers_may_be_in_training_mode(source):
    torch.manual_seed(0)
    check(source().train(), [x.clone() for x in XS for _ in range(4)], randomness="inputs", threads=1)


def test_a_sampling_decoder_equals_eager():
    torch.manual_seed(0)
    tokens = [torch.tensor(number) for number in range(5) for _ in range(6)]
    program = check(Decoder().eval(), tokens, randomness="inputs", every_path=False, threads=1)
    (draw,) = program.draws
    assert draw.kind == "exponential"
    assert len({len(program(tokens[0])) for _ in range(40)}) > 2  # texts of several lengths


def dynamic_sizes(x):
    noise = torch.randn_like(x)
    kept = functional.dropout(x, 0.25)
    order = torch.randperm(x.shape[0])
    twice = torch.rand(x.shape[0] * 2 + 1, 3)
    while x.sum() < 6:
        x = x + torch.rand_like(x)
    return noise, kept, order, twice, x, torch.multinomial(x.abs() + 1, 2)


def test_sizes_declared_as_dynamic_are_those_of_the_draws():
    sizes = {"x": {0: torch.export.Dim("batch", min=2, max=8)}}
    xs = [torch.zeros(3), torch.ones(8), -torch.ones(2), torch.arange(5.0)]
    program = check(dynamic_sizes, xs, randomness="inputs", dynamic_shapes=sizes, threads=1)
    shapes = {port.name.split(":", 2)[2]: port.shape for port in program.inputs[1:]}
    assert ("batch",) in [shape[1:] for shape in shapes.values()]
    assert (1, "2*batch+1", 3) in shapes.values()
    numbers = program.draw(torch.zeros(4))
    assert {tuple(rows.shape[1:]) for rows in numbers.values()} == {(4,), (9, 3), (2, 4)}


class Wanders(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("place", torch.zeros(3))

    def forward(self, x):
        self.place += torch.randn(3)
        if self.place.sum() > 0:
            self.place.mul_(torch.rand(3))
        return x + self.place


class StaysUntil(nn.Module):
    """Writes its state, and then draws in a loop."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        x = self.inner(x)
        while x.sum() < 9:
            x = x + torch.rand(3)
        return x

    LINE = forward.__code__.co_firstlineno + 3


def test_state_goes_on_with_the_numbers_of_each_call():
    model = Wanders().eval()
    program = dycl.compile(model, XS[0], randomness="inputs", state=True, threads=1)
    dycl.verify(program, copy.deepcopy(model), [*XS, *XS], search=2).check()


# --- the inputs ---------------------------------------------------------------------------------------------


def wanders(x):
    while x.sum() < 4:
        x = x + torch.rand(3)
    return x + torch.randn(3)


FILE = Path(__file__).name
FIRST = wanders.__code__.co_firstlineno
IN_CYCLE, BEHIND = f"draws:{FILE}:{FIRST + 2}:uniform", f"draws:{FILE}:{FIRST + 3}:normal"


@pytest.fixture(scope="module")
def program():
    return dycl.compile(wanders, XS[0], randomness="inputs", draws={f"{FILE}:{FIRST + 2}": 50}, threads=1)


def test_the_inputs_are_named_by_their_lines(program):
    assert [port.name for port in program.inputs] == ["x", IN_CYCLE, BEHIND]
    assert [port.type for port in program.inputs[1:]] == ["f32[rows=1..50,3]", "f32[1,3]"]
    assert [(draw.kind, draw.file, draw.line) for draw in program.draws] == [
        ("uniform", __file__, FIRST + 2),
        ("normal", __file__, FIRST + 3),
    ]


def test_the_limit_bounds_lines_without_a_bound_of_their_own():
    for limit, rows in ((7, "rows=1..7"), (0, "rows=1")):
        limited = dycl.compile(wanders, XS[0], randomness="inputs", limits={"draws_limit": limit}, threads=1)
        assert limited.inputs[1].type == f"f32[{rows},3]"


def test_a_call_that_uses_up_its_rows_leaves_the_state():
    model = Wanders().eval()
    walks = dycl.compile(StaysUntil(model), XS[0], randomness="inputs", state=True, threads=1)
    numbers = walks.draw(XS[0])
    (name,) = [draw.name for draw in walks.draws if draw.line == StaysUntil.LINE]
    first = walks.replay(numbers, XS[0])
    with pytest.raises(dycl.UsageError, match="has rows"):
        walks.replay({**numbers, name: torch.zeros(1, 3)}, XS[1])
    second = walks.replay(numbers, XS[0])
    walks.reset()
    assert torch.equal(walks.replay(numbers, XS[0]), first)
    assert torch.equal(walks.replay(numbers, XS[0]), second)


def test_a_call_draws_with_the_generator_of_torch(program):
    torch.manual_seed(3)
    first = program(XS[0])
    assert not torch.equal(program(XS[0]), first)
    torch.manual_seed(3)
    assert torch.equal(program(XS[0]), first)


def test_numbers_can_be_drawn_apart_from_the_call(program):
    numbers = program.draw(XS[0], generator=torch.Generator().manual_seed(1))
    assert numbers[IN_CYCLE].shape == (50, 3)
    before = {name: rows.clone() for name, rows in numbers.items()}
    result = program.replay(numbers, XS[0])
    assert torch.equal(program.replay(numbers, x=XS[0]), result)
    result.add_(1)
    assert all(torch.equal(rows, before[name]) for name, rows in numbers.items())
    trace = program.trace(XS[0])
    assert torch.equal(program.replay(trace.draws, XS[0]), trace.result)


def test_the_numbers_do_not_decide_what_the_results_are(program):
    assert isinstance(program(XS[0].numpy()), numpy.ndarray)
    assert isinstance(program(XS[0]), torch.Tensor)


def test_a_loop_stops_where_its_rows_are_used_up(program):
    numbers = program.draw(XS[0])
    numbers[IN_CYCLE] = torch.ones(2, 3)
    program.replay(numbers, v(-1.0, 0.0, 0.0))
    with pytest.raises(dycl.UsageError, match=r"more often than the input .* has rows") as caught:
        program.replay(numbers, v(-9.0, 0.0, 0.0))
    assert caught.value.code == "run.draws_used_up"
    assert (caught.value.file, caught.value.line) == (__file__, FIRST + 2)
    assert "draws=" in caught.value.hint
    numbers[IN_CYCLE] = torch.ones(51, 3)
    with pytest.raises(dycl.UsageError, match=r"rows' must be in 1\.\.50"):
        program.replay(numbers, XS[0])


def test_draws_that_do_not_fit_are_named(program):
    numbers = program.draw(XS[0])
    for wrong, said in [
        ({}, "lack"),
        ({**numbers, "other": torch.zeros(1)}, "have no input 'other'"),
        ({**numbers, BEHIND: torch.zeros(1, 4)}, "size 4 in dim 1"),
        ({**numbers, BEHIND: torch.zeros(1, 3, dtype=torch.float64)}, "dtype f64"),
    ]:
        with pytest.raises(dycl.UsageError, match=said):
            program.replay(wrong, XS[0])


def test_a_package_keeps_what_the_inputs_are(program, tmp_path):
    program.save(tmp_path / "wanders.dycl")
    loaded = dycl.load(tmp_path / "wanders.dycl", threads=1)
    assert loaded.draws == program.draws
    numbers = program.draw(XS[0])
    assert torch.equal(loaded.replay(numbers, XS[0]), program.replay(numbers, XS[0]))
    dycl.verify(loaded, wanders, XS, search=1).check()


def test_explain_lists_the_lines_that_draw():
    explanation = dycl.explain(wanders, XS[0], randomness="inputs")
    drawn = [(site.line, site.outcome) for site in explanation.sites if site.kind == "draw"]
    assert drawn == [
        (FIRST + 2, f"a row of the input {IN_CYCLE}"),
        (FIRST + 3, f"a row of the input {BEHIND}"),
    ]


def test_verify_compares_with_the_numbers_of_the_call(program):
    numbers = program.draw(XS[0])
    numbers[IN_CYCLE] = torch.zeros(50, 3)  # the walk stays where it is
    report = dycl.verify(program, wanders, [dycl.Call((v(4.0, 4.0, 4.0),), {}, numbers)], search=None)
    report.check()

    def differs(x):
        return x + torch.randn(3)

    report = dycl.verify(program, differs, XS, search=None)
    assert "where the program has none" in report.inputs[0].problems[0]
