# SPDX-License-Identifier: Apache-2.0
"""Packages and emitted programs on another processor: aarch64, emulated by qemu, in a root file system that
holds the cross-built files of build/aarch64 (scripts/cross_aarch64.sh) and nothing else. Without /proc and
/sys, onnxruntime does not take the processor of this machine for that of the program."""

import copy
import os
import shutil
import subprocess
from pathlib import Path

import dycl
import numpy as np
import pytest
import torch
from python.emit import emitted
from python.emit.test_zoo import numbers

import zoo
from zoo.flat import leaves
from zoo.measure import TOLERANCES

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "aarch64"
LIBRARIES = [Path("/usr/aarch64-linux-gnu/lib"), Path("/usr/lib/aarch64-linux-gnu"), BUILD]
TOOL = "aarch64-linux-gnu-"


def needed_by(file: Path) -> list[str]:
    headers = subprocess.run(
        [f"{TOOL}objdump", "-p", file], capture_output=True, text=True, check=True
    ).stdout
    return [line.split()[1] for line in headers.splitlines() if line.strip().startswith("NEEDED")]


def add(root: Path, file: Path) -> None:
    """Copies a program or library with all that it needs."""
    target = root / "lib" / file.name
    if target.exists():
        return
    shutil.copy(file, target)
    for name in needed_by(file):
        add(root, next(folder / name for folder in LIBRARIES if (folder / name).exists()))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    assert (BUILD / "dycl").exists(), "run scripts/cross_aarch64.sh"
    folder = tmp_path_factory.mktemp("aarch64")
    (folder / "lib").mkdir()
    shutil.copy(shutil.which("qemu-aarch64-static") or "", folder / "qemu")
    (vendor,) = (BUILD / "wheel" / "onnxruntime" / "capi").glob("libonnxruntime.so.*")
    for file in (BUILD / "dycl", BUILD / "backends" / "libdycl_backend_onnxruntime.so", vendor):
        add(folder, file)
    return folder


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
    return subprocess.run(
        [*enter, root, "/qemu", *command], capture_output=True, text=True, timeout=600, check=False,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )  # fmt: skip


def packaged(name: str, folder: Path):
    entry = zoo.entry(name, small=True)
    model, calls = entry.build(), entry.inputs(3, 8)
    program = dycl.compile(model, calls[0], threads=1)
    program.save(folder / f"{name}.dycl")
    return model, program, calls


def test_the_command_is_of_the_other_processor(root):
    done = run(root, "/lib/dycl", "backends")
    assert done.returncode == 0, done.stderr
    assert "onnxruntime" in done.stdout
    header = (root / "lib" / "dycl").read_bytes()[:20]
    assert header[18] == 183  # EM_AARCH64


@pytest.mark.suite("aarch64")
@pytest.mark.parametrize("name", zoo.NAMES)
def test_a_package_equals_eager(name, root, tmp_path):
    model, program, calls = packaged(name, tmp_path)
    shutil.copy(tmp_path / f"{name}.dycl", root / "model.dycl")
    for call in calls:
        with torch.no_grad():
            wanted = numbers(leaves(model(*copy.deepcopy(call))))
        feeds = program._feeds(call, {})
        np.savez(root / "in.npz", **{key: np.asarray(value) for key, value in feeds.items()})
        done = run(root, "/lib/dycl", "run", "/model.dycl", "--inputs", "/in.npz", "--output", "/out.npz")
        assert done.returncode == 0, done.stderr
        with np.load(root / "out.npz") as archive:
            arrays = [archive[key] for key in archive.files]
        given = numbers([array for array in arrays if array.dtype.kind != "U"])  # a text is no number
        tolerance = TOLERANCES["onnxruntime"]
        torch.testing.assert_close(given, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.suite("aarch64-emitted")
@pytest.mark.parametrize("name", zoo.NINE)
def test_an_emitted_program_gives_what_was_recorded(name, root, tmp_path):
    packaged(name, tmp_path)
    folder = emitted.emit(tmp_path / f"{name}.dycl", tmp_path / "out", name)
    includes = [f"-I{folder}/include", f"-I{folder}/support", f"-I{ROOT}/include"]
    sources = [folder / "src" / f"{name}.cpp", folder / "test" / "main.cpp"]
    options = ["-std=c++17", *emitted.WARNINGS, "-O1", "-ffp-contract=off", *includes]
    command = [f"{TOOL}g++", *options, *sources, "-o", tmp_path / "command", f"-L{BUILD}", "-ldycl"]
    subprocess.run(command, check=True)
    for file in (tmp_path / "command", BUILD / "libdycl.so.0"):
        (root / "lib" / file.name).unlink(missing_ok=True)
        add(root, file)
    shutil.copy(folder / f"{name}.dycl", root / "model.dycl")
    shutil.copy(folder / "test" / "recorded.bin", root / "recorded.bin")
    done = run(root, "/lib/command", "/model.dycl", "/recorded.bin", "/lib")
    assert (done.returncode, done.stdout) == (0, "4 runs are equal\n"), done.stderr
