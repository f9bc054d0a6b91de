# SPDX-License-Identifier: Apache-2.0
"""What is declared as dynamic is checked at each call; what is not stays as in the example."""

import dycl
import pytest
import torch
from torch import nn
from torch.export import Dim

MODEL = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
X = torch.ones(3, 4)


def forward(x):
    return MODEL(x)


@pytest.fixture(scope="module")
def ranged():
    return dycl.compile(forward, X, dynamic_shapes={"x": {0: Dim("batch", min=1, max=8)}})


@pytest.mark.parametrize("size", [1, 2, 8])
def test_sizes_in_the_range_run(ranged, size):
    x = torch.randn(size, 4)
    torch.testing.assert_close(ranged(x), forward(x))


@pytest.mark.parametrize("size", [0, 9])
def test_sizes_outside_of_the_range_are_refused_at_the_call(ranged, size):
    with pytest.raises(dycl.UsageError, match="batch") as caught:
        ranged(torch.ones(size, 4))
    assert "1..8" in str(caught.value)


def test_sizes_that_are_not_declared_stay_those_of_the_example(ranged):
    with pytest.raises(dycl.UsageError):
        ranged(torch.ones(3, 5))


def test_one_name_is_one_size():
    n = Dim("n")
    program = dycl.compile(lambda x, y: x * y, (X, X), dynamic_shapes={"x": {0: n}, "y": {0: n}})
    with pytest.raises(dycl.UsageError):
        program(torch.ones(2, 4), torch.ones(3, 4))


def test_without_a_declaration_no_size_is_open():
    program = dycl.compile(forward, X)
    assert str(program.inputs[0].type) == "f32[3,4]"


def test_the_interface_shows_the_names(ranged):
    assert str(ranged.inputs[0].type) == "f32[batch=1..8,4]"


def test_a_saved_program_keeps_its_ranges(ranged, tmp_path):
    ranged.save(tmp_path / "m.dycl")
    loaded = dycl.load(tmp_path / "m.dycl")
    torch.testing.assert_close(loaded(torch.ones(5, 4)), forward(torch.ones(5, 4)))
    with pytest.raises(dycl.UsageError, match="batch"):
        loaded(torch.ones(9, 4))


def test_a_derived_size():
    n = Dim("n")
    program = dycl.compile(
        lambda x, y: torch.cat([x, x]) + y,
        (X, torch.ones(6, 4)),
        dynamic_shapes={"x": {0: n}, "y": {0: 2 * n}},
    )
    for size in (0, 1, 2, 5):
        x, y = torch.ones(size, 4), torch.ones(2 * size, 4)
        torch.testing.assert_close(program(x, y), torch.cat([x, x]) + y)
    with pytest.raises(dycl.UsageError):
        program(torch.ones(2, 4), torch.ones(3, 4))


BATCH = torch.export.Dim("batch", min=5, max=9)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"x": {0: BATCH}}, r"'batch' is declared as 5 to 9; the example has 3 \(size 0 of 'x'\)"),
        ({"x": {0: torch.export.Dim("n", min=4)}}, "'n' is declared as at least 4; the example has 3"),
        (
            {"x": {0: torch.export.Dim("m")}, "y": {0: 2 * torch.export.Dim("m")}},
            r"size 0 of 'y' is declared as 2\*m, which 3 in the example cannot be",
        ),
        (
            {"x": {0: torch.export.Dim("m")}, "y": {0: torch.export.Dim("m") + 1}},
            "'m' is 3 as size 0 of 'x' and 2 as size 0 of 'y'",
        ),
        ({"z": {0: BATCH}}, "dynamic_shapes names 'z'; the example has x, y"),
        ({"x": {3: BATCH}}, "'x' has 1 dims; dynamic_shapes names number 3"),
    ],
)
def test_shapes_that_the_example_contradicts_are_refused(shapes, message):
    with pytest.raises(dycl.UsageError, match=message):
        dycl.compile(lambda x, y: x.sum() + y.sum(), (torch.ones(3), torch.ones(3)), dynamic_shapes=shapes)
