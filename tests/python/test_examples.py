# SPDX-License-Identifier: Apache-2.0
"""Every program of examples/ runs, and prints what its README says."""

import os
import re
import runpy
import subprocess
from pathlib import Path

import dycl
import onnx
import onnxruntime
import pytest
import torch
from dycl import _search
from python.torch.packages.model import allow_torchaudio

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BUILD = Path(os.environ.get("DYCL_BUILD_FOLDER", ROOT / "build" / "release"))


def shown_in_readme(name: str) -> list[str]:
    (block,) = re.findall(r"```text\n(.*?)```", (EXAMPLES / name / "README.md").read_text(), re.DOTALL)
    return block.splitlines()


@pytest.fixture
def script(tmp_path, monkeypatch, capsys):
    """Runs a script as `python script.py` does, in an empty folder, and gives the lines that it printed."""
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()

    def run(path: str) -> list[str]:
        runpy.run_path(str(EXAMPLES / path), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    yield run
    torch.set_num_threads(threads)


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, **options)


def finish(*command: object) -> None:
    finished = run(*command)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """What a user of C and C++ installs."""
    folder = tmp_path_factory.mktemp("prefix")
    assert (BUILD / "cmake_install.cmake").exists(), f"no build in {BUILD}: make build, or DYCL_BUILD_FOLDER"
    finish("cmake", "--install", BUILD, "--component", "dycl", "--prefix", folder)
    return folder


def vendor_folder() -> Path:
    return next(folder for folder in _search.vendor_folders() if (folder / "onnxruntime").exists())


def test_the_early_exit_leaves_early_and_goes_all_the_way(script):
    printed = script("early_exit/early_exit.py")
    expected = shown_in_readme("early_exit")
    assert printed[0] == expected[0]
    assert printed[3:] == expected[3:]
    assert dycl.load("early_exit.dycl").inputs[0].type == "f32[1,3,32,32]"


def test_choosing_backends_gives_programs_that_are_equal_to_eager(script):
    printed = script("choose_backends/choose_backends.py")
    assert printed[:2] == shown_in_readme("choose_backends")[:2]
    assert re.fullmatch(r"the fastest for each   runs on [a-z, ]+, equal to eager", printed[2])
    assert dycl.load("fastest.dycl").stats()["subnets"] == 2


def test_the_verification_report_says_what_was_taken_and_what_differs(script, command):
    printed = script("verification_report/verification_report.py")

    def but_for_errors(lines: list[str]) -> list[str]:
        return [re.sub(r"\d\.\de-\d\d", "tiny", line) for line in lines]

    table = shown_in_readme("verification_report")
    start = printed.index(table[0])
    assert but_for_errors(printed[start : start + len(table)]) == but_for_errors(table)
    kept = command("inspect", "gated.dycl", "--verification").stdout.splitlines()
    assert kept == printed[start : start + len(table)]

    text = "\n".join(printed)
    assert "{'found': 2, 'given': 2, 'forced': 2}" in text
    assert "['verification_report.py:27 `if y.isnan().any()`: True never taken']" in text
    here = "verification_report.py:24: bool"
    assert f"  decisions: {here} = False, but eager had {here} = True" in printed
    assert re.search(r"of s0 differs .* first differing operation: linear at .*report.py:23:13", text)


def test_the_captioner_says_in_cpp_what_eager_says(script, prefix, tmp_path):
    eager = script("captioner/captioner.py")
    assert len(eager) == len(set(eager)) == 16
    finish("cmake", "-S", EXAMPLES / "captioner", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    finish("cmake", "--build", tmp_path)

    pictures = [line.split(":")[0] for line in eager]
    # An empty environment: nothing of Python's can be found by accident. The loader tells what it loads.
    said = run(tmp_path / "captioner", vendor_folder(), *pictures, env={"LD_DEBUG": "files"})
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == eager
    assert "libonnxruntime" in said.stderr
    assert "libpython" not in said.stderr
    assert set(shown_in_readme("captioner")) <= set(eager)


@pytest.mark.long  # needs transformers, which the quick suite does not install
def test_texts_are_generated_in_cpp_as_in_eager(script, prefix, tmp_path):
    allow_torchaudio()
    eager = script("generate/generate.py")
    assert eager == shown_in_readme("generate")
    finish("cmake", "-S", EXAMPLES / "generate", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    finish("cmake", "--build", tmp_path)
    prompts = ["we", "the cat", "a longer story", "x"]
    for name in ("gpt2", "llama"):
        said = run(tmp_path / "generate", vendor_folder(), f"{name}.dycl", *prompts, env={})
        assert said.returncode == 0, said.stderr
        assert [f"{name}: {line}" for line in said.stdout.splitlines()] == [e for e in eager if name in e]
        assert float(Path(f"{name}.speed").read_text()) > 1, "slower than eager"


def test_the_loop_runs_from_c(script, prefix, command, tmp_path):
    script("onnx_loop/equilibrium.py")
    compiled = command("compile", "equilibrium.onnx")
    assert compiled.returncode == 0, compiled.stderr
    program = tmp_path / "equilibrium"
    flags = [f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ldycl"]
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-std=c99"]
    finish("cc", EXAMPLES / "onnx_loop" / "equilibrium.c", "-o", program, *warnings, *flags)

    printed = []
    for numbers in ("0 0 0 0", "1 -2 0.5 3", "1 2"):
        ran = run(program, vendor_folder(), *numbers.split(), env={})
        assert ran.returncode == (1 if numbers == "1 2" else 0)
        printed += (ran.stdout + ran.stderr).splitlines()
    assert printed == shown_in_readme("onnx_loop")

    whole = onnxruntime.InferenceSession("equilibrium.onnx", providers=["CPUExecutionProvider"])
    y, trips = whole.run(None, {"x": [[1, -2, 0.5, 3]]})
    assert printed[1] == f"{trips} trips: " + " ".join(f"{value:.4f}" for value in y[0])
    assert "Loop" in {node.op_type for node in onnx.load("equilibrium.onnx").graph.node}
