# SPDX-License-Identifier: Apache-2.0
"""Sizes known at run time only: what is computed of them, what eager does at 0, 1, 2 and many."""

import itertools
import pickle

import pytest
import torch
from dycl._core import (
    LARGEST_SIZE,
    SizeExpr,
    SizeSymbols,
    max_of_sizes,
    min_of_sizes,
    size_relation_holds,
    size_relation_splits,
)
from dycl.errors import UsageError
from dycl.frontend.capture import Capture, Declared, LeafRefused, ScalarSlot, TensorSlot
from dycl.frontend.sizes.sizes import range_of, symbols_of
from dycl.frontend.sizes.sizing import Sizing
from dycl.frontend.sizes.values import (
    SizeSplit,
    contiguous_stride,
    requirement_at,
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


@pytest.fixture
def fresh(capture):
    return capture.size_symbols.fresh


def test_arithmetic_is_canonical(fresh):
    n = fresh()
    assert n + 3 - 3 == n
    assert n - n == 0
    assert type(n - n) is int
    assert (n + 1) * 2 == 2 + 2 * n
    assert hash((n + 1) * 2) == hash(2 + 2 * n)
    assert (-n + 7) % 7 == -n % 7
    assert (4 * n + 2) // 2 == 2 * n + 1
    assert max_of_sizes([n, n + 1]) == n + 1
    assert min_of_sizes([n, 0]) == 0
    assert str(max_of_sizes([2 * n, 3])) == f"max(3,2*{n})"


def test_sizes_beyond_64_bits_are_refused_where_they_are_computed(fresh):
    n = fresh()
    for compute in (
        lambda: n * LARGEST_SIZE * LARGEST_SIZE,
        lambda: 2**64 * n,
        lambda: n + 2**64,
        lambda: contiguous_stride((n, 2**40, 2**40, 2)),
    ):
        with pytest.raises(OverflowError):
            compute()


def test_a_size_is_pickled_by_its_text_and_its_symbols(fresh):
    n, k = fresh(2, 8), fresh()
    size = max_of_sizes([n * n - k, 3]) // 2
    read = pickle.loads(pickle.dumps(size, protocol=5))
    assert read == size
    assert [symbol.range for symbol in read.symbols] == [(2, 8), (0, LARGEST_SIZE)]
    for text in ("4", "s9", "s1 +", ""):
        with pytest.raises(ValueError, match="open size"):
            SizeExpr(text, [(1, 0, 4)])


@pytest.mark.parametrize(
    ("relation", "number", "answer"),
    [("<", 9, True), ("<=", 8, True), (">", 1, True), (">=", 2, True), ("==", 1, False), ("!=", 9, True)],
)
def test_ranges_decide_comparisons(relation, number, answer):
    n = SizeSymbols().fresh(2, 8)
    assert size_relation_holds(relation, n, number) is answer
    assert size_relation_holds(relation, n, 5) is None


def test_a_comparison_splits_paths_that_learn_from_it(fresh):
    assert size_relation_splits("<", fresh(0, 20), 7)
    assert not size_relation_splits("!=", fresh(0, 20), 7)  # a hole in the range


def test_torch_knows_the_sizes_that_are_given_to_it(fresh):
    n, k = fresh(2), fresh(-LARGEST_SIZE)
    sizing = Sizing(None, [n, k])
    for size in (
        n,
        2 * n * n - k + 7,
        (n + 1) // 3,
        n % 5,
        k % 5,
        max_of_sizes([n, k, 4]),
        min_of_sizes([3 * n, 2 * k]),
    ):
        assert sizing.size(sizing.value(size)) == size
    given = sizing.value(n)
    assert sizing.size(-(-given // 2)) == -(-n // 2)
    assert sizing.size(torch.sym_max(given, 9)) == max_of_sizes([n, 9])


def test_a_size_that_torch_computes_in_a_way_of_its_own_is_any_size(fresh):
    n = fresh(2)
    sizing = Sizing(None, [n])
    made = sizing.size(sizing.value(n) & 3)
    assert symbols_of(made) == (made,)
    assert made != n


def test_a_size_in_the_place_of_a_symbol(fresh):
    n = fresh()
    old = spec(torch.float32, (n, 4), contiguous_stride((n, 4)), CPU)
    assert substituted(old, {n: 0}) is spec(torch.float32, (0, 4), contiguous_stride((0, 4)), CPU)


def test_equal_sizes_share_fragments(capture, fresh):
    calls = []
    for _ in range(2):
        n = fresh()
        calls.append(capture.call(torch.add, (slot(n, 4), slot(n, 4)), {}))
        assert calls[-1].result.spec.shape == (n, 4)
    assert calls[0].fragment is calls[1].fragment


def test_results_have_expressions_for_sizes(capture, fresh):
    n, k = fresh(2), fresh(2)
    assert capture.call(torch.cat, ([slot(n, 4), slot(k, 4)],), {}).result.spec.shape == (n + k, 4)
    assert capture.call(torch.Tensor.reshape, (slot(n, 2, 3), -1), {}).result.spec.shape == (6 * n,)


def test_a_mask_makes_a_size_of_its_own(capture):
    first, second = (capture.call(torch.nonzero, (slot(6),), {}).result.spec.shape for _ in range(2))
    assert first[1] == second[1] == 1
    assert first[0] != second[0]
    assert range_of(first[0])[0] == 0


def test_sizes_that_eager_broadcasts_split_the_path(capture, fresh):
    with pytest.raises(SizeSplit, match="< 2"):
        capture.call(torch.add, (slot(fresh(), 4), slot(fresh(), 4)), {})
    n, k = fresh(2), fresh(2)
    (requirement,) = capture.call(torch.add, (slot(n, 4), slot(k, 4)), {}).requirements
    assert (requirement.relation, {requirement.left, requirement.right}) == ("==", {n, k})
    assert requirement.message.startswith("The size of tensor a ({}) must match the size of tensor b ({})")
    assert requirement.fields == [n, k]


def _at(requirement, symbol, *values):
    return [requirement_at(requirement, {symbol: value}) for value in values]


def test_what_eager_refuses_for_small_sizes_is_checked(capture, fresh):
    n = fresh()
    (requirement,) = capture.call(torch.max, (slot(n, 4), 0), {}).requirements
    assert (requirement.relation, requirement.left, requirement.right) == (">=", n, 1)
    assert requirement.exception == "IndexError"
    (requirement,) = capture.call(torch.nn.MaxPool2d(4), (slot(2, 3, n, 8),), {}).requirements
    holds = [size_relation_holds(r.relation, r.left, r.right) for r in _at(requirement, n, 3, 4)]
    assert holds == [False, True]
    assert requirement.fields[0] == n


def test_a_size_may_be_a_number_of_any_sign(capture, fresh):
    number = ScalarSlot("int", fresh(-LARGEST_SIZE))
    (requirement,) = capture.call(torch.zeros, (number, 3), {}).requirements
    assert (requirement.relation, requirement.left) == ("<=", 0)


def test_memory_that_is_shared_at_some_sizes_may_be_shared(capture, fresh):
    n = fresh(1)
    x = TensorSlot(spec(torch.float32, (4, n), (1, 4), CPU), next(STORAGES), 0)
    result = capture.call(torch.Tensor.reshape, (x, -1), {}).result
    assert result.view_of == [x]
    assert result.at is None


def test_an_operation_that_needs_a_size_is_refused(capture, fresh):
    with pytest.raises(LeafRefused, match="known at run time only"):
        capture.call(torch.Tensor.unbind, (slot(fresh(), 4),), {})


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
