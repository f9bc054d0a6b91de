# SPDX-License-Identifier: Apache-2.0
"""Files that others write over, places that are no files, archives that expand, disks that are full."""

import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import dycl
import numpy as np
import onnx
import pytest
from dycl import _search
from python.conftest import BINARY

from python import models

COUNT = 100_000

# Loads a package, and runs it before and after the file is written over and cut off.
KEEPS_ITS_WEIGHTS = """
import pathlib, sys
import dycl, numpy as np

live, other = map(pathlib.Path, sys.argv[1:3])
program = dycl.load(live)
x = np.zeros({count}, np.float32)
before = program(x) if sys.argv[3] == "warm" else None
new = other.read_bytes()
assert len(new) == live.stat().st_size
with open(live, "r+b") as file:
    file.write(new)
first = program(x)
with open(live, "r+b") as file:
    file.truncate(0)
second = program(x)
for result in (before, first, second):
    assert result is None or (result == 1).all(), result
print("same")
"""


def run(words, **options) -> subprocess.CompletedProcess[str]:
    vendors = os.pathsep.join(map(str, _search.vendor_folders()))
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 120, **options}
    environment = {**os.environ, "DYCL_VENDOR_PATH": vendors}
    return subprocess.run([str(word) for word in words], env=environment, check=False, **given)


def with_weights(value: float) -> onnx.ModelProto:
    model = models.parse(f"main (float[{COUNT}] x) => (float[{COUNT}] y) {{ y = Add (x, x) }}")
    weights = np.full(COUNT, value, np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    model.graph.node[0].input[1] = "w"
    return model


@pytest.mark.parametrize("when", ["warm", "cold"])
def test_a_program_keeps_its_weights_when_its_package_is_written_over(tmp_path, when):
    for name, value in (("live", 1.0), ("other", 2.0)):
        dycl.compile(with_weights(value).SerializeToString()).save(tmp_path / f"{name}.dycl")
    script = KEEPS_ITS_WEIGHTS.format(count=COUNT)
    done = run([sys.executable, "-c", script, tmp_path / "live.dycl", tmp_path / "other.dycl", when])
    assert (done.returncode, done.stdout) == (0, "same\n"), done.stderr


def test_a_link_stays_a_link(command, packages, tmp_path):
    onnx.save(models.choose(), tmp_path / "m.onnx")
    (tmp_path / "real").mkdir()
    ways = {
        "compiled": lambda link: command("compile", tmp_path / "m.onnx", "-o", link).returncode == 0,
        "exported": lambda link: command("export", packages("choose"), "-o", link).returncode == 0,
        "saved": lambda link: dycl.load(packages("choose")).save(link) is None,
    }
    for name, write in ways.items():
        link = tmp_path / name
        link.symlink_to(Path("real") / name)
        assert write(link)
        assert write(link)
        assert link.is_symlink()
        assert (tmp_path / "real" / name).stat().st_size > 100


def test_a_pipe_is_written_into(command, packages, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["timeout", "60", "cat", pipe], stdout=subprocess.PIPE)
    done = command("export", packages("choose"), "-o", pipe)
    contents = reader.communicate()[0]
    assert (done.returncode, done.stderr) == (0, f"wrote {pipe}\n")
    onnx.checker.check_model(onnx.load_model_from_string(contents))
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices, and damage them")
def test_a_device_stays_a_device(command, packages, tmp_path):
    """A device of the test's own: a mistake would cost the machine its /dev/null."""
    onnx.save(models.choose(), tmp_path / "m.onnx")
    device = tmp_path / "null"
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    assert command("compile", tmp_path / "m.onnx", "-o", device).returncode == 0
    assert command("export", packages("choose"), "-o", device).returncode == 0
    dycl.load(packages("choose")).save(device)
    assert stat.S_ISCHR(device.stat().st_mode)


def test_the_rights_of_a_package_are_kept(packages, tmp_path):
    program = dycl.load(packages("choose"))
    mask = os.umask(0o027)
    try:
        program.save(tmp_path / "net.dycl")
    finally:
        os.umask(mask)
    assert (tmp_path / "net.dycl").stat().st_mode & 0o777 == 0o640
    (tmp_path / "net.dycl").chmod(0o600)
    program.save(tmp_path / "net.dycl")
    assert (tmp_path / "net.dycl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "claimed", "message"),
    [
        ("y", (1 << 28,), "there is no input 'y' [run.unknown_input]"),
        ("x", (1 << 14, 1 << 14), "input 'x' has 2 dims, not 1 [run.input_rank]"),
        ("x", (4,), "16 bytes of data expected"),
    ],
)
def test_an_archive_that_expands_is_refused_before_it_does(packages, tmp_path, name, claimed, message):
    path = tmp_path / "in.npz"
    start = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {claimed}, }}\n".encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open(f"{name}.npy", "w") as entry:
        entry.write(b"\x93NUMPY\x01\x00" + len(start).to_bytes(2, "little") + start)
        for _ in range(1 << 10):
            entry.write(bytes(1 << 20))
    assert path.stat().st_size < 2 << 20
    limited = ["bash", "-c", f'ulimit -d {500 << 10}; exec "$@"', "-"]
    done = run([*limited, BINARY, "run", packages("choose"), "--inputs", path])
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_an_archive_is_refused_for_all_its_names_before_any_array_is_read(command, packages, tmp_path):
    np.savez(tmp_path / "in.npz", x=np.zeros((3, 3), np.float32), y=np.zeros(1, np.float32))
    done = command("run", packages("choose"), "--inputs", tmp_path / "in.npz")
    assert (done.returncode, "there is no input 'y'" in done.stderr) == (2, True), done.stderr


def test_an_unknown_input_is_refused_before_its_file_is_read(command, packages):
    done = command("run", packages("choose"), "--input", "y=@/nowhere/y.npy")
    assert (done.returncode, "[run.unknown_input]" in done.stderr) == (2, True), done.stderr


FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.is_char_device(), reason="there is no /dev/full")


PRINTING = [
    ["--version"],
    ["--help"],
    ["run", "--help"],
    ["inspect", "PKG"],
    ["inspect", "PKG", "--json"],
    ["inspect", "PKG", "--hcfg"],
    ["inspect", "PKG", "--dot"],
    ["run", "PKG", "--input", "x=2xf32=1"],
    ["run", "PKG", "--input", "x=2xf32=1", "--json", "-"],
    ["backends"],
    ["backends", "--json"],
    ["doctor"],
    ["cache"],
]


@full
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        *(([BINARY], arguments) for arguments in PRINTING),
        *(
            ([sys.executable, "-m", "dycl"], arguments)
            for arguments in (*PRINTING[1:4], ["explain", "--help"])
        ),
    ],
    ids=lambda words: " ".join(map(str, words[-3:])),
)
def test_a_full_disk_behind_stdout_is_an_error(packages, program, arguments):
    words = [packages("choose") if word == "PKG" else word for word in arguments]
    with FULL.open("w") as stdout:
        done = run([*program, *words], stdout=stdout)
    message = "error: stdout cannot be written: No space left on device [file.unwritable]\n"
    assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.parametrize("program", [[BINARY], [sys.executable, "-m", "dycl"]], ids=["binary", "module"])
def test_a_reader_that_has_seen_enough_is_no_error(packages, program):
    piped = ["bash", "-c", '"$@" | true; echo "${PIPESTATUS[0]}"', "-"]
    done = run([*piped, *program, "inspect", packages("choose")])
    assert done.stdout in ("0\n", "141\n")
    assert done.stderr == ""
