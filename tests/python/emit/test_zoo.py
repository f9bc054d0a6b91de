# SPDX-License-Identifier: Apache-2.0
"""The zoo as C++: every emitted model equals eager, without a warning of GCC or Clang, and under asan."""

import copy
import re
import resource
import subprocess
from pathlib import Path

import dycl
import pytest
import torch
from python.emit import emitted
from python.torch.gated import Plain

import zoo
from zoo.flat import leaves
from zoo.measure import TOLERANCES

QUICK = ("sdn_vgg16", "skipnet_rnn", "gpt_decode", "point_prune")
NAMES = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in zoo.NAMES]


def packaged(name, folder, small=True, **options):
    """The model of the zoo, its package, and inputs."""
    entry = zoo.entry(name, small=small)
    model = entry.build(**options)
    package = folder / f"{name}.dycl"
    dycl.compile(model, entry.inputs(3, 1)[0], threads=1).save(package)
    return model, package, entry.inputs(3, 24)


def numbers(results):
    """All numbers of a result in one row: a list of numbers is a tensor for the emitted program."""
    flat = [torch.as_tensor(leaf).double().reshape(-1) for leaf in results]
    return torch.cat(flat) if flat else torch.zeros(0)


def check_equal(native, model, calls):
    for call in calls:
        with torch.no_grad():
            wanted = numbers(leaves(model(*copy.deepcopy(call))))
        given = numbers(leaves([value for _, value in native.run(*call)]))
        torch.testing.assert_close(
            given, wanted, rtol=TOLERANCES["onnxruntime"], atol=TOLERANCES["onnxruntime"]
        )


@pytest.mark.suite("emit-zoo")
@pytest.mark.parametrize("name", NAMES)
def test_an_emitted_model_equals_eager(name, tmp_path):
    model, package, calls = packaged(name, tmp_path)
    native = emitted.Program.of(package, tmp_path / "out", name)
    check_equal(native, model, calls)
    native.close()


@pytest.mark.long
@pytest.mark.suite("emit-zoo-full")
@pytest.mark.parametrize("name", zoo.NAMES)
def test_an_emitted_model_of_full_size_equals_eager(name, tmp_path):
    model, package, calls = packaged(name, tmp_path, small=False)
    native = emitted.Program.of(package, tmp_path / "out", name)
    check_equal(native, model, calls[:8])
    native.close()


@pytest.mark.long
@pytest.mark.suite("emit-zoo-clang")
@pytest.mark.parametrize("name", zoo.NAMES)
def test_an_emitted_model_compiles_with_clang(name, tmp_path):
    model, package, calls = packaged(name, tmp_path)
    emitted.emit(package, tmp_path / "out", name)
    library = emitted.build(tmp_path / "out", name, "clang++-19", ("-O1",))
    native = emitted.Program(tmp_path / "out", name, library)
    check_equal(native, model, calls[:4])
    native.close()


SANITIZED = [pytest.param(name, marks=[] if name == "rnn_varlen" else pytest.mark.long) for name in zoo.NAMES]


@pytest.mark.suite("emit-zoo-sanitized")
@pytest.mark.parametrize("name", SANITIZED)
def test_recorded_runs_are_equal_under_the_sanitizers(name, tmp_path):
    _, package, _ = packaged(name, tmp_path)
    folder = emitted.emit(package, tmp_path / "out", name)
    options = ("-O1", "-g", "-fsanitize=address,undefined")
    command = emitted.build_command(folder, name, "test/main.cpp", options)
    # The backend keeps what it has opened until the process ends.
    done = subprocess.run(
        [command, folder / f"{name}.dycl", folder / "test" / "recorded.bin", Path(torch.__file__).parents[1]],
        capture_output=True,
        text=True,
        check=False,
        env={"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout == "4 runs are equal\n"


def test_the_example_in_c_runs(tmp_path):
    _, package, _ = packaged("sdn_vgg16", tmp_path)
    folder = emitted.emit(package, tmp_path / "out", "net")
    example = emitted.build_command(folder, "net", "example/main.c", ("-O1",))
    done = subprocess.run(
        [example, folder / "net.dycl", Path(torch.__file__).parents[1]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "bytes" in done.stdout


@pytest.mark.long
def test_a_program_of_four_thousand_blocks_compiles_within_a_minute(tmp_path):
    program = dycl.compile(Plain(2000), torch.ones(2), threads=1)
    assert len(re.findall(r"^  b\d+[(:]", program.hcfg, re.MULTILINE)) >= 4000
    program.save(tmp_path / "gates.dycl")
    folder = emitted.emit(tmp_path / "gates.dycl", tmp_path / "out", "gates")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    library = emitted.build(folder, "gates", options=("-O1",))  # as its CMakeLists.txt says
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    native = emitted.Program(folder, "gates", library)
    check_equal(
        native, Plain(2000).eval(), [(torch.ones(2),), (-torch.ones(2),), (torch.tensor([1.0, -1.0]),)]
    )
    native.close()
