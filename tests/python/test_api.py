# SPDX-License-Identifier: Apache-2.0
"""The Python package: compile, load, run, save."""

import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dycl
import dycl.onnx_backend
import numpy as np
import onnx
import pytest

from python import models


@pytest.fixture(scope="module")
def choose():
    return dycl.compile(models.choose())


@pytest.fixture(scope="module")
def count():
    return dycl.compile(models.count())


def test_a_model_may_be_a_path_bytes_or_a_proto(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(models.choose(), path)
    x = np.array([1, 2], np.float32)
    for model in (path, str(path), path.read_bytes(), models.choose()):
        np.testing.assert_array_equal(dycl.compile(model)(x), x * 2)


def test_every_path_is_taken(choose):
    x = np.array([1, -3], np.float32)
    np.testing.assert_array_equal(choose(x), -x)
    np.testing.assert_array_equal(choose(-x), -2 * x)


def test_ports_tell_names_types_and_shapes(count):
    n, x = count.inputs
    assert (n.name, n.dtype, n.shape) == ("n", "i64", ())
    assert (x.name, x.dtype, x.shape, x.optional) == ("x", "f32", (2,), False)
    assert [port.name for port in count.outputs] == ["last", "all"]
    assert count.outputs[1].shape[1] == 2
    assert "x: f32[2]" in repr(count)


@pytest.mark.parametrize("size", [(2, 4), "2..4"])
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_a_dim_with_a_range_is_open_within_its_limits(backend, size):
    program = dycl.compile(models.choose(), backend=backend, dims={"N": size})
    (x,) = program.inputs
    assert (x.type, x.shape, x.ranges) == ("f32[N=2..4]", ("N",), {"N": (2, 4)})
    assert "range N = 2..4" in program.hcfg
    for length in (2, 3, 4):
        np.testing.assert_array_equal(program(np.ones(length, np.float32)), np.full(length, 2, np.float32))
        np.testing.assert_array_equal(program(-np.ones(length, np.float32)), np.ones(length, np.float32))
    for length in (0, 1, 5):
        with pytest.raises(
            dycl.UsageError, match=rf"'x' has size {length} in dim 0.*'N' must be in 2\.\.4"
        ) as caught:
            program(np.ones(length, np.float32))
        assert caught.value.code == "run.input_range"


def test_a_range_lives_on_in_the_package(tmp_path):
    dycl.compile(models.choose(), dims={"N": (1, 2)}).save(tmp_path / "m.dycl")
    program = dycl.load(tmp_path / "m.dycl")
    assert program.inputs[0].ranges == {"N": (1, 2)}
    with pytest.raises(dycl.UsageError, match=r"1\.\.2"):
        program(np.ones(3, np.float32))


def test_a_dim_with_one_size_is_pinned():
    program = dycl.compile(models.choose(), dims={"N": 3})
    assert (program.inputs[0].type, program.inputs[0].ranges) == ("f32[3]", {})


@pytest.mark.parametrize("size", [(4, 2), "4..2", "x", -1, 1.5, (1, 2, 3), None])
def test_a_dim_that_is_no_size_and_no_range_is_refused(size):
    with pytest.raises(dycl.UsageError) as caught:
        dycl.compile(models.choose(), dims={"N": size})
    assert caught.value.code == "argument.dim"


def test_inputs_go_by_position_and_by_name(count):
    x = np.ones(2, np.float32)
    last, every = count(np.int64(2), x)
    np.testing.assert_array_equal(last, [4, 4])
    assert every.shape == (2, 2)
    again, _ = count(x=x, n=np.int64(2))
    np.testing.assert_array_equal(again, last)


def test_run_returns_the_outputs_that_are_named(count):
    feeds = {"n": np.array(3), "x": np.ones(2, np.float32)}
    assert len(count.run(None, feeds)) == 2
    (every,) = count.run(["all"], feeds)
    assert every.shape == (3, 2)
    assert [len(value) for value in count.run(["all", "last"], feeds)] == [3, 2]
    with pytest.raises(dycl.UsageError, match="no output 'none_such'"):
        count.run(["none_such"], feeds)


def test_saving_and_loading_gives_the_same_program(count, tmp_path):
    count.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    assert loaded.hcfg == count.hcfg
    feeds = {"n": np.array(5), "x": np.array([1, 2], np.float32)}
    for one, other in zip(loaded.run(None, feeds), count.run(None, feeds)):
        np.testing.assert_array_equal(one, other)


def test_hcfg_is_text_and_stats_count(choose):
    assert "branch" in choose.hcfg
    before = choose.stats()
    choose(np.ones(1, np.float32))
    after = choose.stats()
    assert after["runs"] == before["runs"] + 1
    assert after["subnet_calls"] > before["subnet_calls"]
    assert "onnxruntime" in after["backends"]


def test_numbers_and_lists_take_the_declared_type(count):
    last, _ = count(1, [1, 2])
    np.testing.assert_array_equal(last, np.array([2, 4], np.float32))


def test_arrays_that_are_not_contiguous_or_native_are_copied_right(choose):
    x = np.arange(10, dtype=np.float32)[::2]
    np.testing.assert_array_equal(choose(x), 2 * x)
    np.testing.assert_array_equal(choose(x.astype(">f4")), 2 * x)
    frozen = np.ones(3, np.float32)
    frozen.setflags(write=False)
    np.testing.assert_array_equal(choose(frozen), [2, 2, 2])


def test_outputs_outlive_the_program_and_may_be_written():
    program = dycl.compile(models.choose())
    results = [program(np.full(1000, value, np.float32)) for value in (1, 2, 3)]
    del program
    for value, result in zip((1, 2, 3), results):
        np.testing.assert_array_equal(result, np.full(1000, 2 * value, np.float32))
        result += 1


def test_an_output_never_aliases_an_input():
    program = dycl.compile(models.identity(onnx.TensorProto.FLOAT))
    x = np.ones((2, 2), np.float32)
    y = program(x)
    y[:] = 7
    assert x.max() == 1


def test_sequences_are_lists_and_strings_are_object_arrays():
    grow = dycl.compile(models.grow())
    xs = [np.ones(2, np.float32), np.zeros(3, np.float32)]
    result = grow(xs, np.full(1, 5, np.float32))
    assert isinstance(result, list)
    assert [item.shape for item in result] == [(2,), (3,), (1,)]
    greet = dycl.compile(models.greet())
    joined = greet(np.array(["a", "ü"], object), np.array(["b", ""]))
    assert joined.dtype == object
    assert joined.tolist() == ["ab", "ü"]
    assert greet(["x"], [b"y"]).tolist() == ["xy"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda net: net(), "x"),
        (lambda net: net(1, 2, 3), "takes 1 inputs"),
        (lambda net: net(np.ones(2)), "f64"),
        (lambda net: net(np.ones((2, 2), np.float32)), "x"),
        (lambda net: net(object()), "x"),
        (lambda net: net(np.ones(1, np.float32), x=1), "twice"),
        (lambda net: net(np.ones(2, "M8[s]")), "datetime64"),
        (lambda net: net.run(None, {"y": 1}), "no input 'y'"),
    ],
)
def test_inputs_that_do_not_fit_raise_a_usage_error(choose, call, message):
    with pytest.raises(dycl.UsageError, match=message):
        call(choose)


def test_what_the_model_raises_reaches_the_caller_as_that_exception():
    pick = dycl.compile(models.pick())
    xs = [np.ones(1, np.float32)]
    np.testing.assert_array_equal(pick(xs, np.int64(0)), xs[0])
    with pytest.raises(IndexError):
        pick(xs, np.int64(3))


def test_a_refusal_names_the_refused_node_and_not_its_neighbours():
    model = models.parse("""
    main (float[2] x, int64[2] n) => (int64[1] y) {
      a = Relu (x)
      b = Cast <to = 7> (a)
      c = Add (b, n)
      y = ReduceMean (c)
    }""")
    with pytest.raises(dycl.BackendError) as caught:
        dycl.compile(model)
    assert caught.value.code == "backend.refused"
    assert "(ReduceMean)" in caught.value.node


def test_the_step_limit_stops_a_loop_that_never_ends():
    program = dycl.compile(models.forever(), step_limit=1000)
    with pytest.raises(dycl.UsageError, match="step"):
        program(np.ones(1, np.float32))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda program: program([[1.0, 2.0], [3.0]]), "run.input_kind"),
        (lambda program: program(["a"]), "run.input_kind"),
        (lambda program: program(object()), "run.input_kind"),
        (lambda program: program(), "run.input_missing"),
        (lambda program: program(1.0, 2.0), "run.input_count"),
        (lambda program: program(1.0, x=2.0), "run.input_twice"),
        (lambda program: program(z=2.0), "run.no_such_input"),
        (lambda program: program.run(["z"], {"x": [1.0]}), "run.no_such_output"),
        (lambda program: program(np.ones((2, 2), np.float32)), "run.input_rank"),
        (lambda program: program.save("/nowhere/m.dycl"), "package.cannot_write"),
        (lambda program: dycl.compile(3), "python.not_a_model"),
        (lambda program: dycl.compile("nowhere.onnx"), "file.missing"),
        (lambda program: dycl.load("nowhere.dycl"), "file.missing"),
        (lambda program: dycl.compile(models.choose(), optimize=7), "optimize.unknown_level"),
        (lambda program: dycl.compile(models.choose(), input_types={"x": "?"}), "argument.malformed"),
        (lambda program: dycl.onnx_backend.prepare(models.choose(), device="CUDA"), "python.device"),
    ],
)
def test_everything_refused_is_below_error_and_has_its_code(choose, call, code):
    with pytest.raises(dycl.Error) as caught:
        call(choose)
    assert caught.value.code == code
    assert f"[{code}]" in str(caught.value)


def test_errors_are_classes_with_fields_and_survive_pickling(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.onnx") as caught:
        dycl.compile(tmp_path / "missing.onnx")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code) == (dycl.MissingFileError, "file.missing")
    with pytest.raises(dycl.Error):
        dycl.compile(b"not a model")
    with pytest.raises(dycl.UsageError, match="not a model"):
        dycl.compile(3)
    with pytest.raises(dycl.BackendError) as caught:
        dycl.compile(models.choose(), backend="no_such_backend")
    assert caught.value.code
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code, str(again)) == (dycl.BackendError, caught.value.code, str(caught.value))
    (tmp_path / "bad.dycl").write_bytes(b"PK")
    with pytest.raises(dycl.PackageError):
        dycl.load(tmp_path / "bad.dycl")


def test_optimize_0_and_disabled_passes_give_the_same_answers():
    feeds = {"n": np.array(4), "x": np.array([1, -1], np.float32)}
    expected = dycl.compile(models.count()).run(None, feeds)
    for program in (
        dycl.compile(models.count(), optimize=0),
        dycl.compile(models.count(), disabled_passes=["fold_constants", "group_subnets"]),
    ):
        for one, other in zip(program.run(None, feeds), expected):
            np.testing.assert_array_equal(one, other)


def test_progress_is_told_and_its_exception_is_raised():
    told = []
    dycl.compile(models.choose(), progress=lambda *step: told.append(step))
    phases = list(dict.fromkeys(step[0] for step in told))
    assert phases == ["import_onnx", "hcfg", "optimize", "legalize", "subnet", "compile_subnets", "host_gen"]

    def fail(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        dycl.compile(models.choose(), progress=fail)


def test_stats_tell_the_threads_of_each_backend():
    script = (
        "import sys, dycl\n"
        "first = dycl.compile(sys.argv[1], backend='openvino', threads=1)\n"
        "second = dycl.compile(sys.argv[1], threads=3)\n"
        "third = dycl.compile(sys.argv[1], threads=2)\n"
        "print(first.stats()['threads'], second.stats()['threads'], third.stats()['threads'])\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(models.choose(), f"{folder}/m.onnx")
        done = subprocess.run(
            [sys.executable, "-c", script, f"{folder}/m.onnx"], capture_output=True, text=True, check=True
        )
    # Typing for openvino used onnxruntime and decided nothing; the third runs on the second's pool.
    assert done.stdout == "{'openvino': 1} {'onnxruntime': 3} {'onnxruntime': 3}\n"


@pytest.mark.parametrize("threads", [0, -1])
def test_a_pool_of_no_threads_is_refused(threads):
    with pytest.raises(dycl.UsageError) as caught:
        dycl.compile(models.choose(), threads=threads)
    assert caught.value.code == "argument.threads"


def test_eight_threads_share_one_program():
    program = dycl.compile(models.count(), threads=1)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(200):
            x = random.standard_normal(2).astype(np.float32)
            n = int(random.integers(0, 6))
            last, every = program(n, x)
            np.testing.assert_array_equal(last, x * 2**n)
            assert every.shape == (n, 2)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert program.stats()["runs"] == 1600


def test_the_gil_is_released_while_running():
    program = dycl.compile(models.forever(), step_limit=50_000_000)
    ticks = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    with pytest.raises(dycl.UsageError):
        program(np.ones(1, np.float32))
    end = time.perf_counter()
    done.set()
    ticker.join()
    during = [moment for moment in ticks if start < moment < end]
    assert len(during) > 10, f"{len(during)} ticks in {end - start:.3f} s"


def test_importing_dycl_pulls_in_no_vendor_library():
    code = "import sys, dycl; print({'torch', 'onnx', 'onnxruntime', 'openvino'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


def test_a_thread_may_hold_a_program_when_python_ends(tmp_path):
    dycl.compile(models.choose()).save(tmp_path / "m.dycl")
    code = f"""
import threading, time, dycl
program = dycl.load({str(tmp_path / "m.dycl")!r})
def serve(program=program):
    while True: time.sleep(0.01)
threading.Thread(target=serve, daemon=True).start()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_compiling_and_loading_say_so_to_logging(caplog, tmp_path):
    with caplog.at_level("DEBUG", logger="dycl"):
        dycl.compile(models.choose(), cache=tmp_path / "cache").save(tmp_path / "choose.dycl")
        dycl.load(tmp_path / "choose.dycl")
    said = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "dycl"]
    assert said[0] == ("DEBUG", "import_onnx: read the ONNX model and turn its control flow into blocks")
    assert re.fullmatch(
        r"compiled an ONNX model in \d+\.\d\d s: 3 distinct sub-DNNs; 0 parts from the cache, [1-9]\d* new",
        next(message for level, message in said if level == "INFO"),
    )
    assert said[-1][0] == "INFO"
    assert said[-1][1].startswith(f"loaded {tmp_path / 'choose.dycl'}: ")
