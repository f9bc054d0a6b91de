# SPDX-License-Identifier: Apache-2.0
"""Sizes known at run time only: what is computed of them, what eager does at 0, 1, 2 and many."""

import itertools

import pytest
import torch
from dycl.errors import UsageError
from dycl.frontend.capture import Capture, Declared, LeafRefused, ScalarSlot, TensorSlot
from dycl.frontend.sizes import sizes as s
from dycl.frontend.sizes.values import (
    SizeSplit,
    SpecJoins,
    contiguous_stride,
    requirement_at,
    settles,
    spec,
    substituted,
)
from torch.export import Dim

STORAGES = itertools.count(1)
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def capture():
    with Capture() as made:
        yield made


def slot(*shape, dtype=torch.float32):
    return TensorSlot(spec(dtype, shape, contiguous_stride(shape), CPU), next(STORAGES), 0)


def test_arithmetic_is_canonical():
    n = s.fresh()
    assert s.arithmetic("-", s.arithmetic("+", n, 3), 3) == n
    assert s.arithmetic("-", n, n) == 0
    assert s.arithmetic("*", s.arithmetic("+", n, 1), 2) == s.arithmetic("+", s.arithmetic("*", n, 2), 2)
    assert s.arithmetic("//", n, 0) is None


@pytest.mark.parametrize(
    ("relation", "number", "answer"),
    [("<", 9, True), ("<=", 8, True), (">", 1, True), (">=", 2, True), ("==", 1, False), ("!=", 9, True)],
)
def test_ranges_decide_comparisons(relation, number, answer):
    n = s.fresh(2, 8)
    assert s.comparison(relation, n, number) is answer
    assert s.comparison(relation, n, 5) is None


@pytest.mark.parametrize(
    ("relation", "left", "right", "truth", "limits"),
    [
        ("<", 1, 5, True, (0, 4)),
        ("<", 1, 5, False, (5, 20)),
        (">=", 1, 3, True, (3, 20)),
        ("<=", 2, 9, True, (0, 4)),
        (">", 2, 9, True, (5, 20)),
        ("!=", 1, 0, True, (1, 20)),
        ("<", -1, -5, True, (6, 20)),
    ],
)
def test_a_path_learns_from_a_comparison(relation, left, right, truth, limits):
    n = s.fresh(0, 20)
    (learnt,) = s.consequence(relation, s.arithmetic("*", n, left), right, truth).values()
    assert s.range_of(learnt) == limits


def test_a_path_learns_nothing_from_a_hole_in_the_range():
    assert s.consequence("!=", s.fresh(0, 20), 7, True) == {}


def test_sizes_that_differ_alike_are_one_where_paths_meet():
    n, joins = s.fresh(), SpecJoins()
    one = joins.size([n, s.arithmetic("+", n, 1)], 5)
    assert joins.size([n, s.arithmetic("+", n, 1)], 5) == one
    assert joins.size([s.arithmetic("+", n, 2), s.arithmetic("+", n, 3)], 5) == s.arithmetic("+", one, 2)
    assert joins.size([7, 7], 5) == 7
    assert s.origins(one) == {5}
    assert s.range_of(joins.size([2, 4], 6))[0] == 2


def test_a_size_in_the_place_of_a_symbol():
    n = s.fresh()
    old = spec(torch.float32, (n, 4), contiguous_stride((n, 4)), CPU)
    assert substituted(old, {n: 0}) is spec(torch.float32, (0, 4), contiguous_stride((0, 4)), CPU)


def test_equal_sizes_share_fragments(capture):
    calls = []
    for _ in range(2):
        n = s.fresh()
        calls.append(capture.call(torch.add, (slot(n, 4), slot(n, 4)), {}))
        assert calls[-1].result.spec.shape == (n, 4)
    assert calls[0].fragment is calls[1].fragment


def test_results_have_expressions_for_sizes(capture):
    n, k = s.fresh(2), s.fresh(2)
    assert capture.call(torch.cat, ([slot(n, 4), slot(k, 4)],), {}).result.spec.shape == (n + k, 4)
    assert capture.call(torch.Tensor.reshape, (slot(n, 2, 3), -1), {}).result.spec.shape == (6 * n,)


def test_a_mask_makes_a_size_of_its_own(capture):
    first, second = (capture.call(torch.nonzero, (slot(6),), {}).result.spec.shape for _ in range(2))
    assert first[1] == second[1] == 1
    assert first[0] != second[0]
    assert s.range_of(first[0])[0] == 0


def test_sizes_that_eager_broadcasts_split_the_path(capture):
    with pytest.raises(SizeSplit, match="< 2"):
        capture.call(torch.add, (slot(s.fresh(), 4), slot(s.fresh(), 4)), {})
    n, k = s.fresh(2), s.fresh(2)
    (requirement,) = capture.call(torch.add, (slot(n, 4), slot(k, 4)), {}).requirements
    assert (requirement.relation, {requirement.left, requirement.right}) == ("==", {n, k})
    assert requirement.message.startswith("The size of tensor a ({}) must match the size of tensor b ({})")
    assert requirement.fields == [n, k]
    assert settles(requirement)


def _at(requirement, symbol, *values):
    return [requirement_at(requirement, {symbol: value}) for value in values]


def test_what_eager_refuses_for_small_sizes_is_checked(capture):
    n = s.fresh()
    (requirement,) = capture.call(torch.max, (slot(n, 4), 0), {}).requirements
    assert (requirement.relation, requirement.left, requirement.right) == (">=", n, 1)
    assert requirement.exception == "IndexError"
    (requirement,) = capture.call(torch.nn.MaxPool2d(4), (slot(2, 3, n, 8),), {}).requirements
    holds = [s.comparison(r.relation, r.left, r.right) for r in _at(requirement, n, 3, 4)]
    assert holds == [False, True]
    assert requirement.fields[0] == n


def test_a_size_may_be_a_number_of_any_sign(capture):
    number = ScalarSlot("int", s.unlimited())
    (requirement,) = capture.call(torch.zeros, (number, 3), {}).requirements
    assert (requirement.relation, requirement.left) == ("<=", 0)


def test_memory_that_is_shared_at_some_sizes_may_be_shared(capture):
    n = s.fresh(1)
    x = TensorSlot(spec(torch.float32, (4, n), (1, 4), CPU), next(STORAGES), 0)
    result = capture.call(torch.Tensor.reshape, (x, -1), {}).result
    assert result.view_of == [x]
    assert result.at is None


def test_an_operation_that_needs_a_size_is_refused(capture):
    with pytest.raises(LeafRefused, match="known at run time only"):
        capture.call(torch.Tensor.unbind, (slot(s.fresh(), 4),), {})


def model(x, y=None, *, mode="a"):
    return x


X = torch.zeros(2, 3)


@pytest.mark.parametrize(
    ("entry", "open_axes"),
    [
        ({"x": {0: Dim("b")}}, (0,)),
        (({0: Dim("b"), 1: Dim.AUTO},), (0, 1)),
        ({"x": (Dim("b", min=1, max=8), None)}, (0,)),
        ({"x": (Dim.STATIC, Dim.DYNAMIC(min=3))}, (1,)),
        ({"x": {-1: Dim("c")}}, (1,)),
        ({"x": None}, ()),
        ({"x": {0: 2}}, ()),
    ],
)
def test_notations(entry, open_axes):
    found = Declared(model, (X,), {}, entry).spec(X, "x")
    assert tuple(i for i, size in enumerate(found.shape) if not isinstance(size, int)) == open_axes


def test_declared_ranges_and_names():
    batch = Dim("batch", min=1, max=8)
    declared = Declared(model, (X,), {}, {"x": {0: batch}})
    found = declared.facts(declared.spec(X, "x").shape[0])
    assert (found.name, found.smallest, found.largest, found.factor, found.rest) == ("batch", 1, 8, 1, 0)


@pytest.mark.parametrize(
    ("args", "entry", "message"),
    [
        ((X,), {"z": {0: Dim("b")}}, "names 'z'"),
        ((X,), ({0: Dim("b")}, None), "1 arguments"),
        ((X,), {"x": {5: Dim("b")}}, "number 5"),
        ((X,), {"x": (Dim("b"),)}, "2 sizes"),
        ((X,), {"x": {0: 7}}, "declared as 7"),
        ((X,), {"x": 3}, "cannot be 3"),
        ((X, torch.zeros(5)), {"x": {0: Dim("b")}, "y": {0: Dim("b")}}, "'b' is 2"),
        ((X, 4), {"x": None, "y": {0: Dim("b")}}, "no tensor"),
    ],
)
def test_wrong_declarations(args, entry, message):
    with pytest.raises(UsageError, match=message):
        Declared(model, args, {}, entry)
