# SPDX-License-Identifier: Apache-2.0
"""The backend aot_inductor from a live model to a program that runs without Python."""

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import dycl
import numpy as np
import pytest
import torch
from python.aot_inductor import nets

from python import models

TESTS = Path(__file__).parents[2]
EQUAL = {"rtol": 5e-5, "atol": 5e-5}


@pytest.fixture(scope="module")
def gated(cache, tmp_path_factory):
    net, inputs = nets.gated()
    program = dycl.compile(net, inputs[0], backend="aot_inductor", jobs=2)
    path = tmp_path_factory.mktemp("gated") / "gated.dycl"
    program.save(path)
    return net, inputs, program, path


def manifest_of(path):
    return json.loads(zipfile.ZipFile(path).read("manifest.json"))


def test_every_path_equals_eager(gated):
    net, inputs, program, _ = gated
    taken = set()
    for call in inputs:
        with torch.no_grad():
            wanted = net(*call)
        given = program(*call)
        torch.testing.assert_close(given["y"], wanted["y"], **EQUAL)
        assert given["taken"] == wanted["taken"]
        taken.add(wanted["taken"])
    assert taken == {0, 1, 2, 3}


def test_equal_blocks_share_one_library(gated, cache):
    subnets = manifest_of(gated[3])["subnets"]
    own = [hash for hash, subnet in subnets.items() if subnet["blobs"] == ["aot_inductor"]]
    shared = [subnet["shared"]["aot_inductor"] for subnet in subnets.values() if "shared" in subnet]
    assert (len(subnets), len(own), len(shared)) == (4, 2, 2)  # a gate, and three blocks of one structure
    assert set(shared) <= set(own)
    assert len(list(cache.glob("*.entry"))) == 2


def test_a_second_compilation_starts_no_compiler(gated, cache):
    path = gated[3]
    script = (
        "import dycl, sys, torch; from python.aot_inductor import nets; net, inputs = nets.gated();"
        "program = dycl.compile(net, inputs[0], backend='aot_inductor'); program.save(sys.argv[1])"
    )
    again = path.with_name("again.dycl")
    before = {entry: entry.read_bytes() for entry in cache.glob("*.entry")}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, again], env={**os.environ, "CXX": "/nowhere/c++"}, cwd=TESTS
    )
    assert done.returncode == 0
    assert {entry: entry.read_bytes() for entry in cache.glob("*.entry")} == before
    assert time.perf_counter() - start < 120
    assert zipfile.ZipFile(again).read("manifest.json") == zipfile.ZipFile(path).read("manifest.json")


def test_the_program_runs_without_python(gated, command, tmp_path):
    net, inputs, _, path = gated
    refused = command("run", path, "--input", "x=2x4xf32")
    assert refused.returncode == 5
    assert "machine code" in refused.stderr
    for number, (x,) in enumerate(inputs[:4]):
        np.save(tmp_path / f"{number}.npy", x.numpy())
        out = tmp_path / f"{number}.npz"
        given = f"x=@{tmp_path}/{number}.npy"
        done = command("run", path, "--allow-native", "--input", given, "--output", out)
        assert done.returncode == 0, done.stderr
        with torch.no_grad():
            wanted = net(x)["y"]
        (given,) = [array for array in np.load(out).values() if array.shape == (2, 4)]
        torch.testing.assert_close(torch.from_numpy(given), wanted, **EQUAL)


def test_verification_compares_every_sub_dnn_over_every_edge(gated):
    net, inputs, program, _ = gated
    report = dycl.verify(program, net, inputs[:2], tolerance=5e-5, search=20.0)
    assert report.ok, report
    assert "never" not in report.ways.values()
    assert [subnet.backend for subnet in report.subnets] == ["aot_inductor"] * 4
    assert all(subnet.calls for subnet in report.subnets), report


def test_torch_can_be_imported_after_a_program_has_run(gated):
    script = (
        "import sys, numpy, dycl; program = dycl.load(sys.argv[1], allow_native=True);"
        "program(numpy.ones((2, 4), dtype='f4')); assert 'torch' not in sys.modules;"
        "import torch; print(torch.ones(3).sum().item())"
    )
    done = subprocess.run([sys.executable, "-c", script, gated[3]], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "3.0\n"), done.stderr


def test_sub_dnns_run_in_one_thread_and_leave_torch_its_own(gated):
    torch.set_num_threads(2)
    try:
        gated[2](*gated[1][0])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_a_library_of_another_sub_dnn_is_refused(gated, tmp_path):
    # The blobs of two sub-DNNs exchanged, with all sums right: only the structure tells.
    folder = tmp_path / "program"
    zipfile.ZipFile(gated[3]).extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    names = [name for name in manifest["entries"] if name.endswith("/blob")]
    first, second = (folder / name for name in names[:2])
    contents = first.read_bytes(), second.read_bytes()
    second.write_bytes(contents[0])
    first.write_bytes(contents[1])
    entries = manifest["entries"]
    entries[names[0]], entries[names[1]] = entries[names[1]], entries[names[0]]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(dycl.BackendError, match="belongs to another sub-DNN"):
        dycl.load(folder, allow_native=True)


@pytest.mark.parametrize("backend", ["aot_inductor"])
def test_a_program_born_in_onnx_is_refused_by_name(backend):
    with pytest.raises(dycl.BackendError) as refusal:
        dycl.compile(models.choose(), backend=backend)
    assert "aot_inductor cannot run this: it takes torch's own operators" in str(refusal.value)
    assert "another backend" in str(refusal.value)


def test_without_a_compiler_the_message_says_what_is_missing(cache, tmp_path):
    script = tmp_path / "script.py"  # a process of its own: workers keep the environment they began with
    script.write_text(
        "import dycl, torch\n"
        "def f(x):\n"
        "    return x.cos() + 1.5\n"
        "try:\n"
        "    dycl.compile(f, (torch.ones(3),), backend='aot_inductor')\n"
        "except dycl.BackendError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, "CXX": "/nowhere/c++", "PATH": "/nowhere"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert "aot_inductor needs a C++ compiler and finds none" in done.stdout, done.stdout + done.stderr
    assert "apt install g++" in done.stdout


def test_a_loop_at_any_batch_size_equals_eager(cache):
    net, inputs = nets.settling()
    batch = torch.export.Dim("batch", min=1, max=8)
    program = dycl.compile(net, inputs[0], backend="aot_inductor", dynamic_shapes={"x": {0: batch}})
    for call in inputs:
        wanted, steps = net(*call)
        given, counted = program(*call)
        torch.testing.assert_close(given, wanted, **EQUAL)
        assert counted == steps
