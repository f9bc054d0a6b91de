# SPDX-License-Identifier: Apache-2.0
"""dycl explain, compile and verify of Python models, from the shell."""

import contextlib
import json
import re
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
        "verified: equal on 1 input; 1 edge not reached by any input; checked one sub-DNN at a time"
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
        (["net.py:Gated", "--input", "x=4xf33"], 2, "input 'x': '4xf33' ends in no known element type"),
        (["net.py:Gated", "--input", "x=3xf32=1,2"], 2, "2 values were given for 3 elements"),
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


def test_an_exception_of_our_own_code_is_a_bug_of_ours(folder, capsys, monkeypatch):
    monkeypatch.setattr(command, "given_calls", None)
    assert command.run(["compile", "net.py:Gated", "--input", "x=1x4xf32"]) == 70
    err = capsys.readouterr().err
    assert re.match(r"error: .*command\.py:\d+: TypeError: .* \[internal\.bug\]\n  hint: .*report it\n", err)
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
    assert started.stderr.read() == "importing torch\n"
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


REWRITE = "run what is known of the model and write the rest as a graph"
PHASES = ["rewrite", "hcfg", "optimize", "legalize", "subnet", "compile_subnets", "host_gen"]
GATED = ["compile", "net.py:Gated", "--input", "x=1x4xf32"]


def test_rewriting_is_a_phase_to_stop_after(folder, capsys):
    assert command.run([*GATED, "--stop-after", "rewrite"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("hcfg main(")
    assert said.err.splitlines() == [f"[1/7] rewrite: {REWRITE}"]
    assert not list(folder.glob("*.dycl"))


def test_the_graph_of_a_phase_is_printed_and_compiling_goes_on(folder, capsys):
    assert command.run([*GATED, "--dump-after", "rewrite", "-q"]) == 0
    rewritten = capsys.readouterr().out
    assert command.run([*GATED, "--dump-after", "optimize", "-q"]) == 0
    assert capsys.readouterr().out != rewritten
    assert (folder / "Gated.dycl").exists()


def test_verbose_lists_the_time_of_every_phase(folder, capsys):
    assert command.run([*GATED, "-v", "--json", "-"]) == 0
    said = capsys.readouterr()
    timed = [line.split()[0] for line in said.err.splitlines() if line.endswith(" ms")]
    assert timed == PHASES
    assert list(json.loads(said.out)["seconds"]) == PHASES


def test_a_dim_of_an_input_may_differ_between_calls(folder):
    assert command.run([*GATED, "--dim", "x.0=1..8", "-q"]) == 0
    program = dycl.load("Gated.dycl")
    assert program.inputs[0].ranges == {"x_0": (1, 8)}
    for batch in (1, 8):
        assert program(np.ones((batch, 4), np.float32)).shape == (batch, 4)
    with pytest.raises(dycl.UsageError):
        program(np.ones((9, 4), np.float32))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stop-after", "nowhere"], "there is no phase 'nowhere'"),
        (["--stop-after", "import_onnx"], "does not pass through the phase 'import_onnx'"),
        (["--dim", "batch=8"], "--dim takes INPUT.AXIS=SIZE"),
        (["--dim", "x.0=8..1"], "8..1"),
        (["--dim", "x.0=2"], "declared as 2; the example has 1"),
        (["--dim", "x.0=1..2", "--dim", "x.0=1..3"], "--dim x.0 is given twice"),
        (["--library", "nobody=x.so"], "'nobody', which is not a backend"),
        (["--disable-pass", "nothing"], "nothing"),
        (["--input", "y=3xf99"], "ends in no known element type"),
        (["-o", "nowhere/net.dycl"], "nowhere"),
    ],
)
def test_wrong_options_are_exit_code_2(folder, capsys, arguments, message):
    assert command.run([*GATED, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_inputs_are_read_by_the_native_grammar(folder, capsys):
    (folder / "lists.py").write_text("def total(xs, y=None):\n    return xs[0] + xs[1] if y is None else y\n")
    np.save("a.npy", np.ones(2, np.float32))
    compiling = ["compile", "lists.py:total", "--input", "xs=[@a.npy;2xf32=3]", "--input", "y=none", "-q"]
    assert command.run(compiling) == 0
    program = dycl.load("total.dycl")
    assert program([np.ones(2, np.float32), np.ones(2, np.float32)], None).tolist() == [2, 2]


def test_random_numbers_become_inputs(folder, capsys):
    (folder / "walk.py").write_text(
        "import torch\n\ndef walk(x):\n    while x.sum() < 4:\n        x = x + torch.rand(2)\n    return x\n"
    )
    given = ["walk.py:walk", "--input", "x=2xf32"]
    assert command.run(["compile", *given, "-q"]) == 3
    assert 'randomness="inputs"' in capsys.readouterr().err
    drawing = ["--randomness", "inputs"]
    assert command.run(["explain", *given, *drawing]) == 0
    assert "a row of the input draws:walk.py:5:uniform" in capsys.readouterr().out
    bounded = [*drawing, "--draws", "walk.py:5=60", "--random", "3", "-q"]
    assert command.run(["compile", *given, *bounded]) == 0
    assert dycl.load("walk.dycl").inputs[1].type == "f32[rows=1..60,2]"
    assert command.run(["verify", "walk.dycl", "--model", "walk.py:walk", *given[1:], "--random", "2"]) == 0
    assert command.run(["compile", *given, *drawing, "--draws", "walk.py:5", "-q"]) == 2
    assert "--draws takes LINE=N" in capsys.readouterr().err


def options_in(help_text):
    """Long options with what they take: {"--dim": "NAME=SIZE|LO..HI"}."""
    found = re.findall(
        r"^\s+(?:-\w,\s*|-\w \S+, )?(--[\w-]+)(?:,? ?-\w)?(?: +((?:\[|[A-Z]{3})[^\s:]*))?",
        help_text,
        re.MULTILINE,
    )
    return {name: taken for name, taken in found if name != "--help"}


def test_one_help_tells_of_onnx_files_and_of_python_models():
    script = [sys.executable, "-m", "dycl", "compile", "--help"]
    shown = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert shown.count("Options:") == 1
    assert "usage:" not in shown
    native, _, more = shown.partition("For a Python model")
    assert "--optimize" in native
    assert "--optimize" not in more
    assert set(options_in(more)) == ONLY_OF_PYTHON | {"--input", "--dim"}


def test_an_option_that_does_not_exist_is_answered_with_one_that_does(folder, capsys):
    with pytest.raises(SystemExit) as end:
        command.run([*GATED, "--opitmize", "0"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: unrecognized arguments: --opitmize 0 [argument.parse]\n")
    assert "hint: did you mean --optimize? (dycl compile --help)" in said


def test_importing_torch_is_said(folder):
    script = [sys.executable, "-m", "dycl", "compile", "net.py:Gated", "--input", "x=1x4xf32"]
    said = subprocess.run(script, capture_output=True, text=True, check=True).stderr.splitlines()
    assert said[:2] == ["importing torch", f"[1/7] rewrite: {REWRITE}"]


# What compares with eager, which an ONNX file has none of, calls by the file, and what its source asks for.
ONLY_OF_PYTHON = {"--inputs", "--verify", "--tolerance", "--random", "--search"}
ONLY_OF_PYTHON |= {"--clock", "--randomness", "--draws"}


def test_both_compiles_take_the_same_options():
    native = subprocess.run(
        [Path(dycl.__file__).parent / "bin" / "dycl", "compile", "--help"], capture_output=True, text=True
    )
    ours = options_in(command.make_parser(print).commands.choices["compile"].format_help())
    theirs = options_in(native.stdout)
    assert set(ours) - ONLY_OF_PYTHON == set(theirs)
    taken = {name: text.removesuffix("[=VALUES]") for name, text in ours.items() if name in theirs}
    assert taken == theirs
