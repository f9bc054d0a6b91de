# SPDX-License-Identifier: Apache-2.0
"""The native command line, run where no Python can be found."""

import json
import re
import subprocess
import sys

import dycl
import numpy as np
import onnx
import pytest

from python import models


def test_version_and_help_succeed(command):
    assert re.fullmatch(r"dycl \d+\.\d+\.\d+\n", command("--version").stdout)
    text = command("--help")
    assert text.returncode == 0
    for word in (
        "compile",
        "run",
        "inspect",
        "export",
        "backends",
        "doctor",
        "Exit codes",
        "DYCL_VENDOR_PATH",
    ):
        assert word in text.stdout
    for name in ("compile", "run", "inspect", "export", "backends", "doctor"):
        assert command(name, "--help").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "subcommand is required"),
        (["frobnicate"], "frobnicate"),
        (["run"], "package is required"),
        (["compile", "m.onnx", "--no-such-flag"], "--no-such-flag"),
        (["compile", "m.onnx", "--optimize", "7"], "optimize"),
        (["compile", "missing.onnx"], "there is no file missing.onnx"),
        (["compile", "missing.onnx", "--stop-after", "nowhere"], "there is no phase 'nowhere'"),
        (["compile", "missing.onnx", "--dim", "batch"], "NAME=SIZE"),
        (["compile", "missing.onnx", "--dim", "batch=8..1"], "'8..1' is neither a size nor a range"),
        (["compile", "missing.onnx", "--dim", "batch=1", "--dim", "batch=2"], "given twice"),
        (["compile", "missing.onnx", "--input", "x"], "name and '='"),
        (["compile", "missing.onnx", "--library", "onnxruntime"], "BACKEND=PATH"),
        (["inspect", "x.dycl", "--dot", "--json"], "excludes"),
        (["compile", "package.module:Net"], "python -m dycl"),
        (["explain", "net.py:Net"], "python -m dycl"),
        (["verify", "net.dycl"], "python -m dycl"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_clear_line(command, arguments, message):
    done = command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "what():" not in done.stderr
    assert re.search(r" \[[a-z]+\.[a-z_]+\]$", done.stderr, re.MULTILINE), "a stable code"


def test_a_library_for_no_backend_or_that_is_missing_is_refused(command, tmp_path, packages):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    for arguments in (["compile", tmp_path / "m.onnx"], ["run", packages("choose"), "--input", "x=1xf32"]):
        unknown = command(*arguments, "--library", "foo=/x.so")
        assert (unknown.returncode, "[backend.unknown]" in unknown.stderr) == (2, True)
        missing = command(*arguments, "--library", "onnxruntime=/nonexist")
        assert (missing.returncode, "[backend.library_missing]" in missing.stderr) == (2, True)


def test_a_place_that_cannot_be_written_is_noticed_before_compiling(command, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    for place in (tmp_path / "nowhere" / "m.dycl", tmp_path):
        done = command("compile", tmp_path / "m.onnx", "-o", place)
        assert (done.returncode, "[package.cannot_write]" in done.stderr) == (2, True), done.stderr
        assert "import_onnx" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx"]


def test_outputs_that_cannot_be_written_are_named_so(command, packages):
    done = command("run", packages("choose"), "--input", "x=1xf32=1", "--output", "/nonexist/o.npz")
    assert (done.returncode, "[npz.write]" in done.stderr) == (2, True)
    assert "/nonexist/o.npz cannot be written" in done.stderr


def test_backends_tell_how_often_they_copy_weights(command):
    entries = {entry["name"]: entry for entry in json.loads(command("backends", "--json").stdout)}
    assert entries["openvino"]["weight_copies"] == 2
    assert entries["onnxruntime"]["weight_copies"] == 0


def test_weights_are_counted_wherever_they_lie(command, tmp_path):
    """One small enough to lie in the graph, one that is stored beside it."""
    rng = np.random.default_rng(0)
    small, large = rng.random((3, 2), np.float32), rng.random((2, 500), np.float32)
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("MatMul", ["x", "a"], ["h"]),
            onnx.helper.make_node("MatMul", ["h", "b"], ["y"]),
        ],
        "main",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 500])],
        [onnx.numpy_helper.from_array(small, "a"), onnx.numpy_helper.from_array(large, "b")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx")
    done = command("compile", tmp_path / "m.onnx", "-o", tmp_path / "m.dycl")
    assert done.returncode == 0, done.stderr
    document = json.loads(command("inspect", tmp_path / "m.dycl", "--json").stdout)
    assert document["weight_bytes"] == small.nbytes + large.nbytes
    assert dycl.load(tmp_path / "m.dycl").stats()["weight_bytes"] == small.nbytes + large.nbytes


def test_a_dim_with_a_range_is_shown_and_checked(command, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    package = tmp_path / "m.dycl"
    done = command("compile", tmp_path / "m.onnx", "-o", package, "--dim", "N=1..3")
    assert done.returncode == 0, done.stderr
    assert "x: f32[N=1..3]" in command("inspect", package).stdout
    assert json.loads(command("inspect", package, "--json").stdout)["inputs"][0]["type"] == "f32[N=1..3]"
    for size in (1, 3):
        assert command("run", package, "--input", f"x={size}xf32=1").returncode == 0
    for size in (0, 4):
        refused = command("run", package, "--input", f"x={size}xf32=1")
        assert refused.returncode == 2
        assert f"input 'x' has size {size} in dim 0, where 'N' must be in 1..3" in refused.stderr


def test_an_unreadable_model_is_refused_without_a_crash(command, tmp_path):
    (tmp_path / "bad.onnx").write_bytes(b"\xff\xfe not a model")
    done = command("compile", tmp_path / "bad.onnx", "-o", tmp_path / "out.dycl")
    assert done.returncode in (2, 3)
    assert "error: " in done.stderr
    assert not (tmp_path / "out.dycl").exists()


def test_an_unsupported_operator_is_exit_code_3_or_4_and_named(command, tmp_path):
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("NoSuchOperator", ["x"], ["y"], name="odd", domain="example.org")],
        "main",
        [onnx.helper.make_tensor_value_info("x", 1, [1])],
        [onnx.helper.make_tensor_value_info("y", 1, [1])],
    )
    opsets = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("example.org", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets), tmp_path / "odd.onnx")
    done = command("compile", tmp_path / "odd.onnx", "-o", tmp_path / "odd.dycl")
    assert done.returncode in (3, 4)
    assert "NoSuchOperator" in done.stderr


def test_a_damaged_package_is_exit_code_5(command, packages, tmp_path):
    contents = bytearray(packages("choose").read_bytes())
    contents[len(contents) // 2] ^= 0xFF
    (tmp_path / "bad.dycl").write_bytes(contents)
    for arguments in (
        ["inspect", tmp_path / "bad.dycl"],
        ["run", tmp_path / "bad.dycl", "--input", "x=1xf32"],
    ):
        assert command(*arguments).returncode == 5


def test_a_missing_backend_is_exit_code_4_with_the_install_command(command, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    done = command("compile", tmp_path / "m.onnx", "-o", tmp_path / "m.dycl", DYCL_VENDOR_PATH=str(tmp_path))
    assert done.returncode == 4
    assert "pip install onnxruntime" in done.stderr


def test_compile_prints_plain_phases_and_a_summary_and_quiet_prints_nothing(command, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    done = command("compile", tmp_path / "m.onnx", "-o", tmp_path / "m.dycl")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines[0] == "[1/7] import_onnx: read the ONNX model and turn its control flow into blocks"
    assert lines[-1].startswith(f"wrote {tmp_path / 'm.dycl'}")
    assert "\033" not in done.stderr
    quiet = command("compile", tmp_path / "m.onnx", "-o", tmp_path / "m.dycl", "-q")
    assert (quiet.stdout, quiet.stderr, quiet.returncode) == ("", "", 0)


def test_compile_writes_json_and_stops_after_a_phase(command, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    package = tmp_path / "m.dycl"
    done = command("compile", tmp_path / "m.onnx", "-o", package, "--json", tmp_path / "m.json")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["package_bytes"] == package.stat().st_size
    phases = {"import_onnx", "hcfg", "optimize", "legalize", "subnet", "compile_subnets", "host_gen"}
    assert set(document["seconds"]) == phases
    package.unlink()
    stopped = command("compile", tmp_path / "m.onnx", "-o", package, "--stop-after", "optimize")
    assert stopped.returncode == 0
    assert "branch" in stopped.stdout
    assert not package.exists()
    legal = command("compile", tmp_path / "m.onnx", "-o", package, "--stop-after", "legalize")
    assert legal.stdout.startswith("// for onnxruntime\nhcfg ")
    assert not package.exists()


def test_compiling_twice_gives_the_same_bytes(command, tmp_path):
    onnx.save(models.count(), tmp_path / "m.onnx")
    for name in ("one", "two"):
        assert command("compile", tmp_path / "m.onnx", "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(("values", "expected"), [("1,2,3", "[2, 4, 6]"), ("-1,-2,-3", "[1, 2, 3]")])
def test_run_takes_every_path_and_prints_outputs(command, packages, values, expected):
    done = command("run", packages("choose"), "--input", f"x=3xf32={values}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"y: f32[3] = {expected}\n"


def test_run_reads_and_writes_numpy_files(command, packages, tmp_path):
    np.save(tmp_path / "x.npy", np.asfortranarray(np.array([1.5, -0.5], ">f4")))
    np.savez_compressed(tmp_path / "in.npz", n=np.int64(3))
    out = tmp_path / "out.npz"
    done = command(
        "run", packages("count"), "--inputs", tmp_path / "in.npz", "--input", f"x=@{tmp_path / 'x.npy'}",
        "--output", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with np.load(out) as arrays:
        np.testing.assert_array_equal(arrays["last"], np.array([12, -4], np.float32))
        assert arrays["all"].shape == (3, 2)
        assert arrays["all"].dtype == np.float32


def test_run_takes_sequences(command, packages, tmp_path):
    np.save(tmp_path / "a.npy", np.array([1, 2], np.float32))
    done = command(
        "run", packages("grow"), "--input", f"xs=[@{tmp_path / 'a.npy'},@{tmp_path / 'a.npy'}]", "--input",
        "x=2xf32=3,4",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "ys: sequence of 3"
    assert done.stdout.splitlines()[3] == "  ys.2: f32[2] = [3, 4]"


def test_run_repeats_and_prints_percentiles_and_json(command, packages, tmp_path):
    done = command(
        "run", packages("choose"), "--input", "x=3xf32=1", "--repeat", "20", "--json", tmp_path / "r.json"
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"20 runs: median [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ ms", done.stderr)
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["runs"] == 20
    assert document["seconds"]["median"] <= document["seconds"]["p99"]


def test_run_writes_a_chrome_trace(command, packages, tmp_path):
    done = command("run", packages("choose"), "--input", "x=3xf32=1", "--trace", tmp_path / "t.json")
    assert done.returncode == 0, done.stderr
    trace = json.loads((tmp_path / "t.json").read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    assert events


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "the input 'x' is missing"),
        (["x=3xf32", "z=f32"], "there is no input 'z'"),
        (["x=3xf32", "x=3xf32"], "given twice"),
        (["x=3xi64"], "x"),
        (["x=2x3xf32"], "x"),
        (["x=@nowhere.npy"], "nowhere.npy"),
        (["x=3xf32=1,2"], "2 values were given for 3 elements"),
    ],
)
def test_inputs_that_do_not_fit_are_exit_code_2(command, packages, inputs, message):
    flags = [part for value in inputs for part in ("--input", value)]
    done = command("run", packages("choose"), *flags)
    assert done.returncode == 2
    assert message in done.stderr


def test_what_the_model_raises_is_exit_code_6(command, packages):
    done = command("run", packages("pick"), "--input", "xs=[1xf32=1]", "--input", "i=i64=5")
    assert done.returncode == 6
    assert "IndexError" in done.stderr


def test_the_step_limit_stops_a_loop_that_never_ends(command, packages):
    done = command("run", packages("forever"), "--input", "x=1xf32", "--step-limit", "10000")
    assert done.returncode == 2
    assert "run.step_limit" in done.stderr


def test_export_writes_an_onnx_file_that_compiles_again(command, packages, tmp_path):
    done = command("export", packages("choose"), "-o", tmp_path / "again.onnx")
    assert done.returncode == 0, done.stderr
    assert "again.onnx" in done.stderr
    model = onnx.load(tmp_path / "again.onnx")
    assert [node.op_type for node in model.graph.node].count("If") == 1
    assert command("compile", tmp_path / "again.onnx", "-o", tmp_path / "again.dycl").returncode == 0
    shapes = ["--input", "x=1xf32=3"]
    first = command("run", packages("choose"), *shapes)
    assert first.returncode == 0, first.stderr
    assert command("run", tmp_path / "again.dycl", *shapes).stdout == first.stdout


def test_onnxruntime_reports_nothing_to_its_vendor(command, packages, tmp_path):
    """Unless it is switched off, its telemetry keeps a device id in the user's cache folder."""
    ran = command("run", packages("choose"), "--input", "x=3xf32=1", HOME=str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / ".cache" / "Microsoft").exists()


def test_inspect_shows_summary_graph_json_and_text(command, packages):
    package = packages("choose")
    summary = command("inspect", package).stdout
    assert "x: f32[" in summary
    assert "onnxruntime" in summary
    assert command("inspect", package, "--dot").stdout.startswith("digraph")
    document = json.loads(command("inspect", package, "--json").stdout)
    assert document["inputs"][0]["name"] == "x"
    assert document["blocks"] >= 3
    assert "branch" in command("inspect", package, "--hcfg").stdout


def test_backends_and_doctor_speak_to_people_and_machines(command, tmp_path):
    assert "onnxruntime" in command("backends").stdout
    entries = {entry["name"]: entry for entry in json.loads(command("backends", "--json").stdout)}
    assert entries["onnxruntime"]["usable"]
    assert entries["onnxruntime"]["opset"] >= 20
    doctor = command("doctor", "--json")
    assert doctor.returncode == 0, doctor.stderr
    report = json.loads(doctor.stdout)
    assert report["cpu"]["cores"] >= 1
    assert {entry["name"] for entry in report["backends"]} >= {"onnxruntime", "openvino"}
    nothing = command("doctor", DYCL_VENDOR_PATH=str(tmp_path))
    assert nothing.returncode == 4
    assert "pip install onnxruntime" in nothing.stdout


def test_the_wheels_command_is_the_native_one(command):
    wheel = subprocess.run([sys.executable, "-m", "dycl", "--version"], capture_output=True, text=True)
    assert wheel.stdout == command("--version").stdout
    listed = subprocess.run(
        [sys.executable, "-m", "dycl", "backends", "--json"], capture_output=True, text=True
    )
    assert json.loads(listed.stdout)[0]["usable"], listed.stdout


def test_bench_times_runs_and_sub_dnns(command, packages, tmp_path):
    package = packages("choose")
    done = command("bench", package, "--input", "x=3xf32=1", "--repeat", "20", "--json", tmp_path / "b.json")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["inputs", "median", "p90", "p99", "sub-DNN", "calls"]
    assert lines[1][0] == "given"
    document = json.loads((tmp_path / "b.json").read_text())
    (run,) = document["runs"]
    assert 0 < run["seconds"]["median"] <= run["seconds"]["p90"] <= run["seconds"]["p99"] < 1
    assert run["subnet_calls"] == len([line for line in lines[4:] if line]) == len(document["subnets"])
    assert all(0 < subnet["seconds"] < run["seconds"]["p99"] for subnet in document["subnets"])


def test_bench_makes_up_inputs_and_says_where_the_model_raises(command, tmp_path):
    torch = pytest.importorskip("torch")

    def picky(x):
        if x.sum() > -100:
            raise ValueError("never good")
        return x

    dycl.compile(picky, torch.ones(2)).save(tmp_path / "picky.dycl")
    done = command("bench", tmp_path / "picky.dycl", "--samples", "2", "--repeat", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the model raises: ") == 2
    assert "never good" in done.stdout


def complete(script, *words):
    """What bash would offer for the last word."""
    line = " ".join(repr(word) for word in words)
    asked = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _dycl; echo ${{COMPREPLY[@]}}"
    shown = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
    return shown.stdout.split()


def test_a_shell_completes_commands_options_and_files(command, tmp_path):
    script = command("completion", "bash").stdout
    assert complete(script, "dycl", "comp") == ["compile", "completion"]
    assert complete(script, "dycl", "expl") == ["explain"]
    assert complete(script, "dycl", "run", "--in") == ["--input", "--inputs"]
    assert complete(script, "dycl", "bundle", "--strip") == ["--strip-unused"]
    (tmp_path / "net.dycl").touch()
    assert complete(script, "dycl", "run", f"{tmp_path}/ne") == [f"{tmp_path}/net.dycl"]
    assert command("completion", "zsh").stdout.startswith("autoload -U +X bashcompinit")
    fish = command("completion", "fish").stdout
    assert "-a bundle -d 'Write a folder" in fish
    assert "'__fish_seen_subcommand_from run' -l input " in fish
    refused = command("completion", "tcsh")
    assert refused.returncode == 2
    assert "bash,zsh,fish" in refused.stderr.replace(", ", ",")
