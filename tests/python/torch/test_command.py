# SPDX-License-Identifier: Apache-2.0
"""dycl explain, compile and verify of Python models, from the shell."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import dycl
import numpy as np
import pytest
from dycl.cli import command

MODEL = """
import torch
from torch import nn

class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if self.layer(x).sum() > 0:
            return x + 1
        return self.layer(x)

def make():
    return Gated()

def on_tensors(x, y=None):
    return x * 2 if x.sum() > 0 else x

def loops(x):
    n, text = 0, ""
    while x.sum() > n:
        n, text = n + 1, text + "."
    return len(text)

def calls_loops(x):
    return loops(x)

def fails():
    raise RuntimeError("no weights here")

number = 7
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "net.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("net", None)
    yield tmp_path
    sys.modules.pop("net", None)


def test_python_models_are_told_from_files():
    assert command.is_ours(["compile", "net.py:Gated"])
    assert command.is_ours(["compile", "-o", "a.dycl", "package.module:make"])
    assert command.is_ours(["verify", "net.dycl", "--model", "net.py:Gated"])
    assert not command.is_ours(["compile", "net.onnx", "--input", "x=1xf32"])
    assert not command.is_ours(["run", "net.dycl"])
    assert not command.is_ours([])


@pytest.mark.parametrize("name", ["Gated", "make", "on_tensors"])
def test_explain_lists_the_decisions(folder, capsys, name):
    assert command.run(["explain", f"net.py:{name}", "--input", "x=1x4xf32"]) == 0
    out = capsys.readouterr().out
    assert "net.py:" in out
    assert "branch" in out
    assert ".sum() > 0" in out


def test_compile_writes_a_package_that_the_native_runtime_runs(folder, capsys):
    np.savez("a.npz", x=np.ones((1, 4), np.float32))
    np.savez("b.npz", x=-5 * np.ones((1, 4), np.float32))
    code = command.run(
        ["compile", "net:on_tensors", "-o", "out.dycl", "--input", "x=1x4xf32", "--verify", "a.npz",
         "--verify", "b.npz", "--json", "out.json"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert "wrote out.dycl" in captured.err
    assert captured.err.count("-[✓] input") == 2
    document = json.loads(Path("out.json").read_text())
    assert document["verification"]["ok"]
    program = dycl.load("out.dycl")
    assert program(np.ones((1, 4), np.float32)).tolist() == [[2.0] * 4]


def test_verify_of_a_package_counts_edges_and_says_different_with_exit_code_1(folder, capsys):
    command.run(["compile", "net.py:on_tensors", "-o", "out.dycl", "--input", "x=1x4xf32", "-q"])
    assert capsys.readouterr().err == ""
    np.savez("in.npz", x=np.ones((1, 4), np.float32))
    verify = ["verify", "out.dycl", "--model", "net.py:on_tensors", "--inputs", "in.npz"]
    assert command.run([*verify, "--search", "0"]) == 0
    out = capsys.readouterr().out
    assert "`return x * 2 if x.sum() > 0 else x`: False never taken" in out
    assert out.splitlines()[-1] == (
        "verified: equal on 1 input; 1 edge seen by force only, comparing sub-DNNs"
    )
    assert command.run(["verify", "out.dycl", "--model", "net.py:Gated", "--inputs", "in.npz"]) == 1
    out = capsys.readouterr().out
    assert "-[x] input 0" in out
    assert out.splitlines()[-1] == (
        "NOT verified: 2 inputs different, but sub-DNNs compute what the program's graph says: "
        "it is of another model, or of other weights"
    )


def test_verify_loads_machine_code_only_where_it_is_allowed(folder, capsys):
    compiling = ["net.py:Gated", "--input", "x=2x4xf32", "-o", "net.dycl", "--backend", "tvm", "-q"]
    assert command.run(["compile", *compiling]) == 0
    verifying = ["net.dycl", "--model", "net.py:Gated", "--input", "x=2x4xf32", "--random", "2"]
    assert command.run(["verify", *verifying]) == 5
    assert "package.native_code" in capsys.readouterr().err
    assert command.run(["verify", *verifying, "--allow-native"]) == 0
    assert "s0       tvm" in capsys.readouterr().out


def test_verify_compiles_a_model_and_draws_inputs(folder, capsys):
    assert command.run(["verify", "net.py:Gated", "--input", "x=1x4xf32", "--random", "8", "-q"]) == 0
    out = capsys.readouterr().out
    assert out.count("-[✓] input") == 8
    assert "edges taken" in out
    assert command.run(["verify", "net.py:Gated", "--input", "x=1x4xf32=1", "--random", "2", "-q"]) == 0
    assert capsys.readouterr().out.count("-[✓] input") == 3, "the one with values is verified, too"


def test_files_that_are_missing_are_named_without_a_number(folder, capsys):
    assert command.run(["verify", "net.py:Gated", "--inputs", "none.npz"]) == 2
    assert capsys.readouterr().err == "error: none.npz: No such file or directory [file.unreadable]\n"


def test_a_refusal_is_one_message_with_line_and_caret_and_exit_code_3(folder, capsys):
    assert command.run(["compile", "net.py:calls_loops", "--input", "x=1x4xf32"]) == 3
    err = capsys.readouterr().err
    line = MODEL.splitlines().index("    while x.sum() > n:") + 1
    assert f"net.py:{line}:11: " in err
    assert "    while x.sum() > n:\n          ^\n" in err
    assert "\n  called from " in err
    assert "\n  hint: " in err
    assert "Traceback" not in err
    assert command.run(["explain", "net.py:calls_loops", "--input", "x=1x4xf32"]) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["net.py:Nothing"], 2, "there is no 'Nothing' in net.py"),
        (["gone.py:Net"], 2, "there is no file gone.py"),
        (["no_such_module:net"], 2, "no_such_module cannot be imported"),
        (["net.py:number"], 2, "is a int, not a module or function"),
        (["net.py:Gated"], 2, "missing a required argument: 'x'"),
        (["net.py:Gated", "--input", "z=1x4xf32"], 2, "the model takes (x)"),
        (["net.py:Gated", "--input", "x=4xf33"], 2, "'x=4xf33' is not an input"),
        (["net.py:Gated", "--input", "x=3xf32=1,2"], 2, "is not an input"),
        (["net.py:Gated", "--inputs", "gone.npz"], 2, "gone.npz"),
        (["net.py:fails"], 6, "RuntimeError: no weights here"),
        (["net.py:on_tensors", "--input", "x=1x4xf32", "--backend", "nothing"], 4, "nothing"),
    ],
)
def test_failures_are_one_message_and_an_exit_code(folder, capsys, arguments, code, message):
    assert command.run(["compile", *arguments]) == code
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err


def test_a_package_needs_to_be_told_its_model(folder, capsys):
    assert command.run(["verify", "x.dycl"]) == 2
    assert "--model" in capsys.readouterr().err
    assert command.run(["verify", "net.py", "--input", "x=1x4xf32"]) == 2
    assert "file.py:Name" in capsys.readouterr().err


def test_the_command_of_the_wheel_takes_both(folder):
    done = subprocess.run(
        [sys.executable, "-m", "dycl", "explain", "net.py:on_tensors", "--input", "x=2xf32", "--json", "-"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sites"][0]["kind"] == "branch"
    done = subprocess.run(
        [sys.executable, "-m", "dycl", "compile", "gone.onnx"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2
    assert "gone.onnx" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(folder):
    command_line = [sys.executable, "-m", "dycl", "explain", "net.py:Gated", "--input", "x=1x4xf32"]
    started = subprocess.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait() == 141
    started.stderr.close()


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "net.py:make", "--input", "x=1x4xf32"],
        ["explain", "net.py:make", "--input", "x=1x4xf32", "--json", "-"],
        ["explain", "--help"],
    ],
)
def test_a_full_disk_behind_stdout_is_an_error(folder, capsys, monkeypatch, arguments):
    # What it holds cannot be written, when it is closed, either.
    with contextlib.suppress(OSError), FULL.open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert command.run(arguments) == 2
    said = capsys.readouterr().err
    assert said == "error: stdout cannot be written: No space left on device [file.unwritable]\n"


def test_a_file_that_cannot_be_written_is_named(folder, capsys):
    explain = ["explain", "net.py:make", "--input", "x=1x4xf32", "--json"]
    assert command.run([*explain, "nowhere/x.json"]) == 2
    assert capsys.readouterr().err.endswith(
        "nowhere/x.json cannot be written: No such file or directory [file.unwritable]\n"
    )


def test_an_archive_is_refused_by_its_names_before_it_is_read(folder, capsys):
    np.savez("in.npz", x=np.array([{}], dtype=object), other=np.zeros(1))  # never to be read
    assert command.run(["explain", "net.py:make", "--inputs", "in.npz"]) == 2
    assert "got an unexpected keyword argument 'other' [argument.inputs]" in capsys.readouterr().err
