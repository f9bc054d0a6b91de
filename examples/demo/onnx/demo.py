# SPDX-License-Identifier: Apache-2.0
"""Part of `make demo`: compile a dynamic early-exit ONNX model, look at it, run every path, time it."""

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import dycl
import numpy as np
import onnx
import onnxruntime
from model import early_exit_model, images

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class PathRecord:
    """What was seen on one path through the model."""

    runs: int = 0
    largest_difference: float = 0.0
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)


def headline(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


def show_command(*arguments: str | Path) -> None:
    shown = [str(a.relative_to(ROOT)) if isinstance(a, Path) else a for a in arguments]
    print("$ " + " ".join(shown), flush=True)
    subprocess.run([str(a) for a in arguments], check=True)


def one_thread_session(model: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def timed(call, *arguments):
    start = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - start


def compare(program, whole, inputs, rounds: int) -> dict[str, PathRecord]:
    """Runs both on every input, taking turns, and files the results by the path that was taken."""
    paths: dict[str, PathRecord] = defaultdict(PathRecord)
    for image in inputs:
        feed = {"image": image}
        for _ in range(rounds):
            ours, our_time = timed(program.run, None, feed)
            theirs, their_time = timed(whole.run, None, feed)
            if int(ours[1]) != int(theirs[1]) or int(ours[2]) != int(theirs[2]):
                raise SystemExit(f"different paths: {ours[1:]} instead of {theirs[1:]}")
            record = paths[path_name(int(ours[1]), int(ours[2]))]
            record.runs += 1
            record.largest_difference = max(
                record.largest_difference, float(np.abs(ours[0] - theirs[0]).max())
            )
            record.ours.append(our_time)
            record.theirs.append(their_time)
    return paths


def path_name(exit_taken: int, refinements: int) -> str:
    return f"exit {exit_taken}" + (f" after {refinements} refinements" if exit_taken == 3 else "")


def print_table(paths: dict[str, PathRecord]) -> None:
    print(f"{'path':<28}{'runs':>6}{'max diff':>12}{'ONNX Runtime':>15}{'DyCL':>11}{'ratio':>8}")
    for name, record in sorted(paths.items()):
        ratio = np.median(np.array(record.ours) / np.array(record.theirs))
        print(
            f"{name:<28}{record.runs:>6}{record.largest_difference:>12.1e}"
            f"{np.median(record.theirs) * 1e3:>12.3f} ms{np.median(record.ours) * 1e3:>8.3f} ms{ratio:>8.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()

    folder = ROOT / "build" / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    model, package = folder / "early_exit.onnx", folder / "early_exit.dycl"
    onnx.save_model(early_exit_model(), model)

    headline("1. Compile: an image classifier with three exits and a refinement loop")
    native = ROOT / "build" / "release" / "dycl"
    show_command(native, "compile", model, "-o", package)

    headline("2. Look: blocks of sub-DNNs and host operations, joined by branches; the loop is a cycle")
    show_command(native, "inspect", "--hcfg", package)

    headline("3. Run: every path must give what ONNX Runtime gives on the whole file")
    program = dycl.load(str(package), threads=1)
    paths = compare(program, one_thread_session(model), images(arguments.images), arguments.rounds)
    print_table(paths)
    worst = max(record.largest_difference for record in paths.values())
    if worst > 1e-5:
        raise SystemExit(f"the results differ by {worst}")
    print(
        f"\nAll {len(paths)} paths are equal (largest difference {worst:.1e}). Times are medians of runs that"
    )
    print("took turns in one process, one thread each; a ratio below 1 means that DyCL was faster.")


if __name__ == "__main__":
    main()
