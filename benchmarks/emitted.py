# SPDX-License-Identifier: Apache-2.0
"""Emitted programs against the runtime that walks the plan: the whole zoo on its backend, and a thousand
gates on a plugin that computes nothing.

    python benchmarks/emitted.py                  # prints ratios; below 1, the emitted program is faster
    python benchmarks/emitted.py --full           # the same with models of full size
"""

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import dycl
import torch

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "build" / "release"
sys.path.insert(0, str(ROOT))

import zoo  # noqa: E402

COMPILER = ["g++", "-std=c++17", "-O1", "-ffp-contract=off", f"-I{ROOT}/include"]
LIBRARY = [f"-L{NATIVE}", "-ldycl", f"-Wl,-rpath,{NATIVE}"]


def build_runner(package: Path, folder: Path) -> Path:
    """The emitted program and the loop that times it, as one command."""
    subprocess.run([NATIVE / "dycl", "emit", "-q", package, "-o", folder, "--name", "net"], check=True)
    runner = folder / "runner"
    headers = [f"-I{folder}/include", f"-I{folder}/support"]
    sources = [folder / "src" / "net.cpp", ROOT / "benchmarks" / "emitted" / "main.cpp"]
    subprocess.run([*COMPILER, *headers, *sources, "-o", runner, *LIBRARY], check=True)
    return runner


def build_nothing(folder: Path) -> Path:
    """A folder with a plugin that computes nothing in place of ONNX Runtime's."""
    folder.mkdir()
    plugin = folder / "libdycl_backend_onnxruntime.so"
    source = ROOT / "benchmarks" / "emitted" / "plugin.cpp"
    name = '-DBACKEND_NAME="onnxruntime"'
    subprocess.run([*COMPILER, f"-I{ROOT}/src", name, "-fPIC", "-shared", source, "-o", plugin], check=True)
    return folder


def measure(runner: Path, package: Path, plugins: Path, rounds: int, repeats: int) -> dict:
    vendors = sysconfig.get_path("platlib")
    command = [runner, package, plugins, vendors, str(rounds), str(repeats)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def save(name: str, folder: Path, small: bool) -> Path:
    entry = zoo.entry(name, small=small)
    model = entry.build()
    with torch.no_grad():
        program = dycl.compile(model, entry.inputs(3, 1)[0], backend="onnxruntime")
    program.save(folder / f"{name}.dycl")
    return folder / f"{name}.dycl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--models", nargs="*", default=list(zoo.NAMES))
    parser.add_argument("--full", action="store_true", help="models of full size")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="dycl_emitted_"))
    print(f"{'model':28} {'walked':>12} {'emitted':>12} {'ratio':>7}")
    for name in arguments.models:
        package = save(name, folder, not arguments.full)
        runner = build_runner(package, folder / name)
        report(name, measure(runner, package, NATIVE / "backends", arguments.rounds, 20))
        if name == "thousand_gates":
            nothing = build_nothing(folder / "nothing")
            report(f"{name}, no work", measure(runner, package, nothing, arguments.rounds, 2000))


def report(name: str, times: dict) -> None:
    walked, emitted = times["walked_ns"], times["emitted_ns"]
    print(f"{name:28} {walked / 1e3:9.1f} µs {emitted / 1e3:9.1f} µs {emitted / walked:7.2f}", flush=True)


if __name__ == "__main__":
    main()
