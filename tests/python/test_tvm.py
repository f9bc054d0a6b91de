# SPDX-License-Identifier: Apache-2.0
"""The backend `tvm`: compiled in a worker process, run without Python."""

import os
import pty
import subprocess
import sys
import zipfile

import dycl
import numpy as np
import onnx
import onnx.reference
import pytest
import torch
from dycl import workers
from torch.nn import functional

from python import models


def entries_in(path, ending):
    """hash of a sub-DNN -> what the package says of it"""
    with zipfile.ZipFile(path) as package:
        names = [name for name in package.namelist() if name.endswith(ending)]
        return {name.split("/")[1]: package.read(name) for name in names}


def blobs_in(path):
    return entries_in(path, "/tvm/blob")


def with_operator(path, name):
    """hashes of the sub-DNNs that use it"""
    return {key for key, graph in entries_in(path, "/graph.onnx").items() if name in graph}


def test_a_branch_and_open_sizes(tmp_path, command):
    """The package then runs from the native command, in an environment without Python."""
    program = dycl.compile(models.choose(), backend="tvm", threads=1)
    for length in (1, 3):
        x = np.arange(length, dtype=np.float32) + 1
        np.testing.assert_array_equal(program(x), x + x)
        np.testing.assert_array_equal(program(-x), x)
    program.save(tmp_path / "m.dycl")
    with pytest.raises(dycl.Error, match="machine code"):
        dycl.load(tmp_path / "m.dycl")
    results = tmp_path / "results.npz"
    done = command(
        "run", tmp_path / "m.dycl", "--allow-native", "--input", "x=2xf32=1,2", "--output", results
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(results)["y"], np.array([2, 4], np.float32))


class Gated(torch.nn.Module):
    """Three equal blocks with weights of their own; a gate decides about each."""

    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Conv2d(8, 8, 3, padding=1) for _ in range(3))
        self.scales = torch.nn.ParameterList(torch.rand(1) for _ in range(3))

    def forward(self, x):
        for block, scale in zip(self.blocks, self.scales):
            x = x + torch.relu(block(x)) * scale if x.mean() > 0 else x - 1
        return x


def test_equal_blocks_of_a_pytorch_model_share_one_library(tmp_path):
    torch.manual_seed(0)
    model = Gated().eval()
    x = torch.randn(1, 8, 6, 6)
    program = dycl.compile(model, (x,), backend="tvm", threads=1)
    for inputs in (x.abs(), -x.abs(), x):
        torch.testing.assert_close(program(inputs), model(inputs), rtol=1e-5, atol=1e-5)
    program.save(tmp_path / "m.dycl")
    blobs = blobs_in(tmp_path / "m.dycl")
    convolutions = with_operator(tmp_path / "m.dycl", b"Conv")
    assert len(convolutions) >= 3
    assert len({blobs[key] for key in convolutions if key in blobs}) == 1


class Chosen(torch.nn.Module):
    """Decisions that differ in an index only."""

    def forward(self, x, policy):
        for index in range(4):
            x = x * 2 if policy[:, index].sum() == 0 else x - 1
        return x


def test_decisions_that_differ_in_an_index_share_one_library(tmp_path):
    x, policy = torch.randn(2, 3), torch.tensor([[1.0, 0, 0, 1], [0, 0, 0, 1]])
    program = dycl.compile(Chosen(), (x, policy), backend="tvm", threads=1)
    for given in (policy, 1 - policy, policy.flip(1)):
        torch.testing.assert_close(program(x, given), Chosen()(x, given), rtol=0, atol=0)
    program.save(tmp_path / "m.dycl")
    decisions = with_operator(tmp_path / "m.dycl", b"Gather")
    assert len(decisions) == 4
    assert len(decisions & blobs_in(tmp_path / "m.dycl").keys()) == 1


def test_what_tvm_lacks_is_refused_by_name():
    with pytest.raises(dycl.BackendError, match=r"TfIdfVectorizer.*TVM") as caught:
        dycl.compile(
            models.parse("""
            main (int64[6] x) => (float[N] y) {
              y = TfIdfVectorizer <max_gram_length = 1, max_skip_count = 0, min_gram_length = 1, mode = "TF",
                ngram_counts = [0], ngram_indexes = [0], pool_int64s = [2]> (x)
            }"""),
            backend="tvm",
        )
    assert caught.value.code == "backend.refused"


def test_a_wrong_broadcast_is_an_error_while_running():
    program = dycl.compile(
        models.parse("main (float[N] x, float[M] y) => (float[K] z) { z = Add (x, y) }"),
        backend="tvm",
        threads=1,
    )
    two, three = np.ones(2, np.float32), np.ones(3, np.float32)
    np.testing.assert_array_equal(program(two, np.ones(1, np.float32)), two + 1)
    np.testing.assert_array_equal(program(three, three), three + 1)
    with pytest.raises(dycl.Error, match="do not broadcast"):
        program(two, three)


SLICES = [(0, 2), (1, 100), (-100, -1), (3, 1), (-2, 4), (5, 9)]


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_slices_with_bounds_that_are_computed(step):
    model = models.parse(f"""
    main (float[N,2] x, int64[1] start, int64[1] end) => (float[M,2] y)
      <int64[1] axis = {{0}}, int64[1] step = {{{step}}}> {{
      more = Add (start, start)
      from = Sub (more, start)
      y = Slice (x, from, end, axis, step)
    }}""")
    program = dycl.compile(model, backend="tvm", threads=1)
    judge = onnx.reference.ReferenceEvaluator(model)
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    for start, end in SLICES:
        given = {"x": x, "start": np.array([start]), "end": np.array([end])}
        np.testing.assert_array_equal(program.run(None, given)[0], judge.run(None, given)[0])


class Recurrent(torch.nn.Module):
    """TVM's importer knows none of these."""

    def __init__(self, kind, **options):
        super().__init__()
        self.cells = kind(3, 4, **options)

    def forward(self, x):
        y, state = self.cells(x)
        return (y, state) if y.mean() > 0 else (-y, state)


@pytest.mark.parametrize("kind", [torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM])
def test_recurrent_layers_of_known_length(kind):
    torch.manual_seed(0)
    model = Recurrent(kind, bidirectional=True, batch_first=True).eval()
    x = torch.randn(5, 2, 3)
    program = dycl.compile(model, (x,), backend="tvm", threads=1)
    for inputs in (x, -x):
        torch.testing.assert_close(program(inputs), model(inputs), rtol=1e-5, atol=1e-6)


def test_a_recurrent_layer_of_open_length_is_refused_by_name():
    torch.manual_seed(0)
    model = Recurrent(torch.nn.GRU).eval()
    with pytest.raises(dycl.BackendError, match="GRU on float32: its steps are written out"):
        dycl.compile(
            model,
            (torch.randn(5, 2, 3),),
            dynamic_shapes={"x": {0: torch.export.Dim("steps", min=2, max=9)}},
            backend="tvm",
        )


def test_the_largest_of_infinities_is_infinite():
    """TVM's own begin with the largest finite number, and find them at place -1."""
    program = dycl.compile(
        models.parse("""
        main (float[N,4] x)
          => (float[N,1] a, float[N,1] b, int64[N,1] c, int64[N,1] d, int64[N,1] e, float[N,1,4] f)
          <int64[1] one = {1}> {
          a = ReduceMax (x, one)
          b = ReduceMin (x, one)
          c = ArgMax <axis = 1> (x)
          d = ArgMin <axis = -1> (x)
          e = ArgMax <axis = 1, select_last_index = 1> (x)
          rows = Unsqueeze (x, one)
          f = MaxPool <kernel_shape = [3], pads = [1, 1]> (rows)
        }"""),
        backend="tvm",
        threads=1,
    )
    inf = np.inf
    x = np.array([[-inf] * 4, [1, -inf, 3, 3], [inf] * 4], np.float32)
    a, b, c, d, e, f = (value.squeeze() for value in program.run(None, {"x": x}))
    np.testing.assert_array_equal(a, [-inf, 3, inf])
    np.testing.assert_array_equal(b, [-inf, -inf, inf])
    np.testing.assert_array_equal(c, [0, 2, 0])
    np.testing.assert_array_equal(d, [0, 1, 0])
    np.testing.assert_array_equal(e, [3, 3, 3])
    np.testing.assert_array_equal(f, [[-inf] * 4, [1, 3, 3, 3], [inf] * 4])


def test_sums_of_halves_are_not_summed_in_halves():
    model = models.parse("main (float16[1,4096] x) => (float16[1,1] y) { y = ReduceMean <keepdims = 1> (x) }")
    program = dycl.compile(model, backend="tvm", threads=1)
    x = np.full((1, 4096), 0.7, np.float16)
    np.testing.assert_allclose(program(x), [[0.7]], rtol=1e-3)


def test_remainders_of_floats_keep_their_digits():
    model = models.parse("main (float[N] x, float[N] y) => (float[N] z) { z = Mod (x, y) }")
    program = dycl.compile(model, backend="tvm", threads=1, dims={"N": (1, 9)})
    x, y = np.array([1e6, -1e6, 5, -5, 3], np.float32), np.array([0.1, 0.1, -3, 3, np.inf], np.float32)
    np.testing.assert_array_equal(program(x, y), np.mod(x, y))


def test_a_dropout_that_drops_is_refused_by_name():
    model = models.parse("""
    main (float[4] x) => (float[4] y) <float half = {0.5}, bool yes = {1}> { y = Dropout (x, half, yes) }""")
    with pytest.raises(dycl.BackendError, match="Dropout on float32: TVM does not drop"):
        dycl.compile(model, backend="tvm")


def on_tvm(text, **inputs):
    return dycl.compile(models.parse(text), backend="tvm", threads=1).run(None, inputs)


ODD = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.3, -1.3, 3e37, -3e37, 1e-7, -1e-7], np.float32)


def test_floats_are_no_integers():
    """TVM's simplifier takes x == x for true, x - x and x * 0 for 0, and not (x < 0) for x >= 0."""
    same, differ, at_least, times, less, plus, over, rounded = on_tvm(
        """
        main (float[N] x) => (bool[N] same, bool[N] differ, bool[N] at_least, float[N] times, float[N] less,
                              float[N] plus, float[N] over, float[N] rounded)
          <float zero = {0.0}, float large = {12582912.0}> {
          same = Equal (x, x)
          differ = Not (same)
          below = Less (x, zero)
          at_least = Not (below)
          times = Mul (x, zero)
          less = Sub (x, x)
          plus = Add (x, zero)
          over = Div (x, zero)
          more = Add (x, large)
          rounded = Sub (more, large)
        }""",
        x=ODD,
    )
    zero, large = np.float32(0), np.float32(12582912)
    with np.errstate(all="ignore"):
        expected = [ODD == ODD, ODD != ODD, ~(ODD < 0), ODD * zero, ODD - ODD, ODD + zero, ODD / zero,
                    (ODD + large) - large]  # fmt: skip
    for ours, eager in zip((same, differ, at_least, times, less, plus, over, rounded), expected):
        np.testing.assert_array_equal(ours, eager)
    np.testing.assert_array_equal(np.signbit(plus), np.signbit(ODD + zero))


def test_what_follows_a_product_is_rounded_as_written():
    """Inlined into one expression, (y + large) - large was y."""
    (y,) = on_tvm(
        """
        main (float[1,4] x, float[4,4] w, float[4] b) => (float[1,4] y) <float large = {12582912.0}> {
          product = Gemm <transB = 1> (x, w, b)
          more = Add (product, large)
          y = Sub (more, large)
        }""",
        x=np.array([[0.3, 1.7, -2.4, 2.5]], np.float32),
        w=np.ones((4, 4), np.float32),
        b=np.array([0, 0.2, 0.6, 2], np.float32),
    )
    np.testing.assert_array_equal(y, [[2, 2, 3, 4]])


ACTIVATIONS = {
    "Celu <alpha = 2.0>": lambda x: functional.celu(x, 2),
    "Elu <alpha = 0.5>": lambda x: functional.elu(x, 0.5),
    "HardSigmoid <alpha = 0.16666667, beta = 0.5>": functional.hardsigmoid,
    "HardSwish": functional.hardswish,
    "LeakyRelu <alpha = 0.0>": lambda x: functional.leaky_relu(x, 0),
    "LeakyRelu <alpha = 0.1>": lambda x: functional.leaky_relu(x, 0.1),
    "Mish": functional.mish,
    "Relu": functional.relu,
    "Selu": functional.selu,
    "Sigmoid": functional.sigmoid,
    "Sign": torch.sign,
    "Softplus": lambda x: functional.softplus(x, threshold=1e9),
    "Tanh": torch.tanh,
}


def test_activations_of_odd_numbers():
    """NaN stays, and small numbers keep their digits."""
    names = [f"y{number}" for number in range(len(ACTIVATIONS))]
    lines = "\n".join(f"{name} = {text} (x)" for name, text in zip(names, ACTIVATIONS))
    ports = ", ".join(f"float[N] {name}" for name in names)
    results = on_tvm(f"main (float[N] x) => ({ports}) {{ {lines} }}", x=ODD)
    for (text, eager), ours in zip(ACTIVATIONS.items(), results):
        expected = eager(torch.from_numpy(ODD)).numpy()
        np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=0, err_msg=text)
        signs = [np.signbit(values[1:]) for values in (ours, expected)]  # NaN has none
        np.testing.assert_array_equal(*signs, err_msg=text)


def test_the_largest_where_there_is_nan():
    """TVM's own lose it or not, depending on its place."""
    nan, inf = np.nan, np.inf
    x = np.array([[1, nan, nan, 2], [nan, 1, 2, nan], [-inf, -inf, nan, -inf], [1, 2, -inf, inf]], np.float32)
    largest, smallest, first, last, pooled = on_tvm(
        """
        main (float[4,4] x)
          => (float[4] largest, float[4] smallest, int64[4] first, int64[4] last, float[4,1,2] pooled)
          <int64[1] one = {1}> {
          largest = ReduceMax <keepdims = 0> (x, one)
          smallest = ReduceMin <keepdims = 0> (x, one)
          first = ArgMax <axis = 1, keepdims = 0> (x)
          last = ArgMin <axis = 1, keepdims = 0, select_last_index = 1> (x)
          rows = Unsqueeze (x, one)
          pooled = MaxPool <kernel_shape = [2], strides = [2]> (rows)
        }""",
        x=x,
    )
    np.testing.assert_array_equal(largest, x.max(axis=1))
    np.testing.assert_array_equal(smallest, x.min(axis=1))
    np.testing.assert_array_equal(first, x.argmax(axis=1))
    np.testing.assert_array_equal(last, [2, 3, 2, 2])
    np.testing.assert_array_equal(pooled[:, 0], np.maximum(x[:, ::2], x[:, 1::2]))


def test_orders_and_sums_of_odd_numbers():
    nan, inf = np.nan, np.inf
    x = np.array(
        [[1, nan, 3, 2], [inf, 1, nan, -inf], [-inf] * 4, [inf, 1, -inf, 2], [1, 2, 4, 3]], np.float32
    )
    three, two, total, one_hot, most = on_tvm(
        """
        main (float[5,4] x)
          => (float[5,3] three, float[5,2] two, float[5] total, float[5,4] one_hot, float[5,1,1] most)
          <int64[1] k = {3}, int64[1] j = {2}, int64[1] one = {1}> {
          three, places = TopK <axis = 1> (x, k)
          two, others = TopK <axis = 1, largest = 0> (x, j)
          total = ReduceLogSumExp <keepdims = 0> (x, one)
          one_hot = Hardmax <axis = 1> (x)
          rows = Unsqueeze (x, one)
          most = GlobalMaxPool (rows)
        }""",
        x=x,
    )
    given = torch.from_numpy(x)
    np.testing.assert_array_equal(three, given.topk(3).values)
    np.testing.assert_array_equal(two, given.topk(2, largest=False).values)
    np.testing.assert_allclose(total, given.logsumexp(1), rtol=1e-6)
    np.testing.assert_array_equal(one_hot, np.eye(4)[x.argmax(axis=1)])
    np.testing.assert_array_equal(most[:, 0, 0], x.max(axis=1))


NUMBERS = [np.nan, -np.inf, 0.0, -0.0, 1.0]
OPERATORS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum,
    "Min": np.minimum, "Equal": np.equal, "Less": np.less, "Greater": np.greater,
    "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS)
def test_odd_numbers_with_odd_constants(operator):
    """Constants are what TVM calculates with beforehand."""
    kind = "bool" if operator in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual") else "float"
    count = len(NUMBERS)
    nodes = [f"a{n} = {operator} (x, k{n}) b{n} = {operator} (k{n}, x)" for n in range(count)]
    ports = [f"{kind}[N] a{n}, {kind}[N] b{n}" for n in range(count)]
    constants = ", ".join(f"float k{number} = {{0.0}}" for number in range(count))
    model = models.parse(
        f"main (float[N] x) => ({', '.join(ports)}, {kind}[N] same) <{constants}> {{ {' '.join(nodes)} "
        f"same = {operator} (x, x) }}"
    )
    for number, tensor in zip(NUMBERS, model.graph.initializer):
        tensor.CopyFrom(onnx.numpy_helper.from_array(np.array(number, np.float32), tensor.name))
    *results, same = dycl.compile(model, backend="tvm", threads=1).run(None, {"x": ODD})
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(same, OPERATORS[operator](ODD, ODD))
        for index, number in enumerate(np.array(NUMBERS, np.float32)):
            np.testing.assert_array_equal(results[2 * index], OPERATORS[operator](ODD, number))
            np.testing.assert_array_equal(results[2 * index + 1], OPERATORS[operator](number, ODD))


def test_quotients_and_bounds_of_integers():
    def divided(x, y):
        return (
            x // y,
            torch.div(x, y, rounding_mode="trunc"),
            x // 3,
            x.clamp(-2, 5),
            x.int().clamp(min=y.int()),
        )

    x, y = torch.tensor([7, -7, 8, -8, 0]), torch.tensor([2, 2, -3, -3, 5])
    program = dycl.compile(divided, (x, y), backend="tvm", threads=1)
    torch.testing.assert_close(program(x, y), divided(x, y), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_integers_that_overflow(dtype):
    """TVM's simplifier, and LLVM by what TVM says, calculate as if they never did."""

    def overflown(x):
        return (
            x + 1 > x,
            x * 2 // 2,
            x - 1 < 5,
            x * 4 <= 8,
            torch.maximum(x + 1, x),
            (x + 1).long() * 2,
            x * 6 % 3,
        )

    last = torch.iinfo(dtype).max
    x = torch.tensor([last, -last - 1, 5, last // 2 + 1], dtype=dtype)
    program = dycl.compile(overflown, (x,), backend="tvm", threads=1)
    torch.testing.assert_close(program(x), overflown(x), rtol=0, atol=0)


CONVOLUTION = """
main (float[1,{channels},9,{width}] x, float[{outputs},{inputs},3,3] w, float[{outputs}] b)
  => (float[1,{outputs},M,L] y, float[1,{outputs},M,L] z) {{
  y = Conv <pads = [1, 1, 1, 1], strides = [{stride}, {stride}], group = {group}> (x, w, b)
  z = Relu (y)
}}"""


@pytest.mark.parametrize(
    ("channels", "outputs", "group", "width", "stride"),
    [(3, 16, 1, 12, 1), (16, 24, 1, 7, 2), (32, 32, 2, 16, 1), (8, 8, 8, 10, 1), (4, 5, 1, 11, 1)],
)
def test_untuned_convolutions(channels, outputs, group, width, stride):
    """With the rules of dycl_tvm/schedules.py and without: many channels at once, or plain loops."""
    text = CONVOLUTION.format(channels=channels, outputs=outputs, inputs=channels // group, group=group,
                              width=width, stride=stride)  # fmt: skip
    program = dycl.compile(models.parse(text), backend="tvm", threads=1)
    random = np.random.default_rng(0)
    shapes = [(1, channels, 9, width), (outputs, channels // group, 3, 3), (outputs,)]
    x, w, b = (random.standard_normal(shape, np.float32) for shape in shapes)
    expected = torch.nn.functional.conv2d(*map(torch.from_numpy, (x, w, b)), stride, 1, 1, group).numpy()
    y, z = program.run(None, {"x": x, "w": w, "b": b})
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(z, np.maximum(y, 0))


@pytest.mark.parametrize(
    ("left", "right"), [("1,64", "64,48"), ("7,5", "5,37"), ("2,6,9", "9,32"), ("4", "4,8")]
)
def test_untuned_products(left, right):
    shapes = [tuple(map(int, shape.split(","))) for shape in (left, right)]
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(shape, np.float32) for shape in shapes)
    expected = x @ w
    ports = ",".join(map(str, expected.shape))
    text = f"main (float[{left}] x, float[{right}] w) => (float[{ports}] y) {{ y = MatMul (x, w) }}"
    program = dycl.compile(models.parse(text), backend="tvm", threads=1)
    np.testing.assert_allclose(program.run(None, {"x": x, "w": w})[0], expected, rtol=1e-4, atol=1e-5)


def test_a_size_that_is_compared_is_a_number():
    """TVM keeps a size apart from tensors, and most of its operators take tensors only."""
    program = dycl.compile(
        models.parse("""
        main (float[N,2] x) => (bool y, int64 z) <int64 zero = {0}, int64 four = {4}> {
          shape = Shape (x)
          rows = Gather (shape, zero)
          few = Less (rows, four)
          y = Not (few)
          z = Mod (rows, four)
        }"""),
        backend="tvm",
        threads=1,
    )
    for rows in (3, 6):
        y, z = program.run(None, {"x": np.zeros((rows, 2), np.float32)})
        assert (bool(y), int(z)) == (rows >= 4, rows % 4)


COMPILE = """
import sys, dycl, numpy as np
program = dycl.compile(sys.argv[1], backend="tvm", threads=1)
np.save(sys.argv[2] + ".npy", program(np.random.default_rng(0).random((1, 8, 16, 16), np.float32)))
program.save(sys.argv[2] + ".dycl")
"""


# The loops of an untuned operator are often the fastest: as if they were slow.
KEEP_WHATEVER = """
import sys
from dycl_tvm import __main__, tuning
tuning._untuned_seconds = lambda *_: 1e9
__main__.main()
"""


BAR = """
import sys
from dycl_tvm import command
command._show(1, 4, "conv2d (1 of 2)", False)
command._show(2, 4, "conv2d (1 of 2)", True)
"""


@pytest.mark.long
def test_tuning_shows_a_bar_on_a_terminal():
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", BAR], stderr=theirs, env=workers.environment(), check=True)
    os.close(theirs)
    assert b"[#####...............] trial 1 of 4: conv2d (1 of 2)" in os.read(ours, 1000)
    plain = subprocess.run(
        [sys.executable, "-c", BAR], env=workers.environment(), capture_output=True, text=True, check=True
    )
    assert plain.stderr == "trial 2 of 4: conv2d (1 of 2)\n"


@pytest.mark.long
def test_tuned_operators_are_found_again_and_compute_the_same(tmp_path):
    weight = np.random.default_rng(1).random((8, 8, 3, 3), np.float32)
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])
    ports = [onnx.helper.make_tensor_value_info(name, 1, [1, 8, 16, 16]) for name in "xy"]
    graph = onnx.helper.make_graph(
        [node], "g", ports[:1], ports[1:], [onnx.numpy_helper.from_array(weight, "w")]
    )
    opset = [onnx.helper.make_opsetid("", 20)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=10), tmp_path / "m.onnx")

    def python(*arguments):
        environment = {**workers.environment(), "XDG_CACHE_HOME": str(tmp_path)}
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )

    python("-c", COMPILE, tmp_path / "m.onnx", tmp_path / "plain")
    tuned = python("-P", "-c", KEEP_WHATEVER, "tune", tmp_path / "plain.dycl", "--trials", "2")
    assert tuned.stdout.startswith("1 operators to tune, 2 trials each")
    assert "trial 2 of 2: " in tuned.stderr
    assert "trial 1 of 2: " not in tuned.stderr  # a line for each operator, where there is no terminal
    again = python("-P", "-m", "dycl.workers", "dycl_tvm", "tune", tmp_path / "plain.dycl", "--trials", "2")
    assert again.stdout.startswith("0 operators to tune")
    python("-c", COMPILE, tmp_path / "m.onnx", tmp_path / "tuned")
    np.testing.assert_allclose(np.load(tmp_path / "tuned.npy"), np.load(tmp_path / "plain.npy"), rtol=1e-5)
    assert blobs_in(tmp_path / "tuned.dycl") != blobs_in(tmp_path / "plain.dycl")
