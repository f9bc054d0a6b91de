# SPDX-License-Identifier: Apache-2.0
"""Strides and offsets of inputs: what depends on them equals eager, or calls are held to the example's."""

import copy

import dycl
import pytest
import torch
from torch import nn
from torch.export import Dim

SQUARE = torch.arange(4.0).reshape(2, 2)
WIDE = torch.arange(12.0).reshape(3, 4)
# Of shape (2, 2), in many layouts.
LAYOUTS = {
    "contiguous": SQUARE.clone(),
    "transposed": SQUARE.clone().t(),
    "sliced": torch.arange(16.0).reshape(4, 4)[1:3, ::2],
    "expanded": torch.ones(2, 1).expand(2, 2),
    "shifted": torch.arange(9.0)[3:7].reshape(2, 2),
}


def outcome(function, x):
    """What a call gives, and what it leaves in its argument; an exception is an outcome, too."""
    moved = copy.deepcopy(x)  # with its strides and all of its memory
    try:
        with torch.no_grad():
            result = function(moved)
    except dycl.UsageError as error:
        return error.code, None, None
    except Exception as error:
        return type(error).__name__, None, None
    return "", result, moved.clone()


def compiled(function, example):
    """None where it is refused, with a place."""
    refused = 0
    try:
        return dycl.compile(function, (example,), threads=1)
    except dycl.UnsupportedError as refusal:
        refused = refusal.line
    assert refused
    return None


def same(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and torch.equal(a, b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a == b


def viewed(x):
    return x.view(-1)


def viewed_after_arithmetic(x):
    return (x + 1).view(4)


def viewed_like_another(x):
    return x.view_as(torch.zeros(4))


def bits_of_a_view(x):
    return x.view(torch.int32)


def split_in_place_by_unflatten(x):
    return x.t().unflatten(0, (1, 2)), x.view(2, 2, 1)


def transposed_then_viewed(x):
    return x.t().view(-1)


def tried(x):
    try:
        return x.view(-1)
    except RuntimeError:
        return -x.reshape(-1)


def reshaped(x):
    return x.reshape(-1) * 2, x.flatten(), x.ravel(), torch.flatten(x)


def written_after_reshape(x):
    y = x.reshape(-1)
    y[0] = 9.0
    return y.clone(), x * 1


def written_after_flatten(x):
    y = x.flatten()
    y.add_(1)
    return y, x + 0


def written_before_it_is_read_through_reshape(x):
    y = x.reshape(4)
    x[0, 0] = 7.0
    return y + 0


def made_contiguous_and_written(x):
    y = x.contiguous()
    y.mul_(2)
    return y + 0, x + 0


def made_contiguous_and_viewed(x):
    return x.contiguous().view(-1)


def multiplied_and_viewed(x):
    return nn.functional.linear(x, SQUARE).view(-1)


def asked_for_strides(x):
    return x * 2 if x.stride() == (2, 1) else x


def asked_whether_contiguous(x):
    return x.sum() if x.is_contiguous() else x


def asked_where_it_begins(x):
    return x + x.storage_offset()


def asked_where_a_view_begins(x):
    y = (x + 1)[1:]
    return y.storage_offset(), x[1].storage_offset()


def layer_that_views(x):
    return nn.Unflatten(0, (1, 2))(x.t())


FUNCTIONS = [
    viewed,
    viewed_after_arithmetic,
    viewed_like_another,
    bits_of_a_view,
    split_in_place_by_unflatten,
    transposed_then_viewed,
    tried,
    reshaped,
    written_after_reshape,
    written_after_flatten,
    written_before_it_is_read_through_reshape,
    made_contiguous_and_written,
    made_contiguous_and_viewed,
    multiplied_and_viewed,
    asked_for_strides,
    asked_whether_contiguous,
    asked_where_it_begins,
    asked_where_a_view_begins,
]


@pytest.mark.parametrize("example", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_layout_is_equal_or_refused(function, example):
    program = compiled(function, LAYOUTS[example])
    if program is None:
        return
    wanted = outcome(function, LAYOUTS[example])
    assert same(outcome(program, LAYOUTS[example]), wanted)
    for x in LAYOUTS.values():
        given = outcome(program, x)
        assert given == ("call.layout", None, None) or same(given, outcome(function, x))


INDEPENDENT = [reshaped, made_contiguous_and_viewed, multiplied_and_viewed]


@pytest.mark.parametrize("function", INDEPENDENT, ids=lambda function: function.__name__)
def test_what_does_not_depend_on_strides_takes_them_all(function):
    program = dycl.compile(function, (LAYOUTS["contiguous"],), threads=1)
    for x in LAYOUTS.values():
        assert same(outcome(program, x), outcome(function, x))


def test_a_call_with_other_strides_is_told_so():
    program = dycl.compile(viewed, (SQUARE,), threads=1)
    with pytest.raises(
        dycl.UsageError, match=r"'x' with the strides \(2, 1\); called with strides \(1, 2\)"
    ) as e:
        program(SQUARE.t())
    assert "x.contiguous()" in e.value.hint


def test_a_call_with_another_offset_is_told_so():
    program = dycl.compile(asked_where_it_begins, (SQUARE,), threads=1)
    with pytest.raises(dycl.UsageError, match=r"'x' with storage_offset\(\) 0; called with 3"):
        program(LAYOUTS["shifted"])


def test_strides_of_sizes_of_1_are_no_layout():
    row = torch.arange(8.0).reshape(2, 4)[:1, :2]  # strides (4, 1)
    program = dycl.compile(lambda x: x.view(-1), (row.clone(),), threads=1)
    assert torch.equal(program(row), row.reshape(-1))


def test_a_transposed_example_makes_view_raise():
    with pytest.raises(dycl.UnsupportedError, match="view size is not compatible") as caught:
        dycl.compile(viewed, (SQUARE.t(),))
    assert caught.value.code == "python.always_raises"


def test_open_sizes_must_be_contiguous_where_it_matters():
    program = dycl.compile(
        lambda x: x.view(-1) + 1, (WIDE,), dynamic_shapes={"x": {0: Dim("n", min=2, max=9)}}, threads=1
    )
    assert torch.equal(program(WIDE[:2]), WIDE[:2].reshape(-1) + 1)
    with pytest.raises(dycl.UsageError, match="contiguous"):
        program(torch.arange(12.0).reshape(4, 3).t())


def test_a_package_keeps_what_each_call_must_have(tmp_path):
    dycl.compile(viewed, (SQUARE,), threads=1).save(tmp_path / "viewed.dycl")
    loaded = dycl.load(tmp_path / "viewed.dycl")
    assert torch.equal(loaded(SQUARE), SQUARE.view(-1))
    with pytest.raises(dycl.UsageError, match="strides"):
        loaded(SQUARE.t())
    assert (loaded(SQUARE.numpy()) == SQUARE.view(-1).numpy()).all()
    with pytest.raises(dycl.UsageError, match="strides"):
        loaded(SQUARE.numpy().T)


def identity_by_strides(x):
    return x * 2 if x.contiguous() is x else x


def test_identity_that_depends_on_strides_is_refused():
    with pytest.raises(dycl.UnsupportedError, match="contiguous"):
        dycl.compile(identity_by_strides, (SQUARE,))


def grows_and_is_viewed(x, y):
    while y.sum() < 10:
        y = y + x
    return y.view(-1)


def test_a_layout_that_comes_in_a_loop_is_checked():
    program = dycl.compile(grows_and_is_viewed, (SQUARE, torch.ones(2, 2)), threads=1)
    assert torch.equal(program(SQUARE, torch.ones(2, 2)), grows_and_is_viewed(SQUARE, torch.ones(2, 2)))
    with pytest.raises(dycl.UsageError, match="strides"):
        program(SQUARE.t(), torch.ones(2, 2))
