# SPDX-License-Identifier: Apache-2.0
"""`make demo`: two dynamic PyTorch models, explained, compiled, verified on every path and timed."""

import argparse
import itertools
import re
import statistics
import sys
import time
from collections import defaultdict

import dycl
import early_exit
import layer_skip
import torch


def headline(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def outline(hcfg: str) -> str:
    """Blocks, host operations and jumps; of a sub-DNN its number of operations, of constants nothing."""
    lines, inside = [], 0
    for line in hcfg.splitlines():
        indent = len(line) - len(line.lstrip())
        if re.match(r"\s+subnet .*\{$", line):
            lines.append(line)
            inside = 0
        elif indent >= 6:
            inside += 1
        elif indent == 4 and line.strip() == "}" and lines[-1].endswith("{"):
            lines[-1] += f" {inside} operations }}"
        elif indent == 4 or re.match(r"  b\d+\b.*:", line):
            lines.append(line)
    return "\n".join(lines)


def path_of(result: object) -> str:
    if isinstance(result, tuple):
        return f"exit {result[1]}"
    assert isinstance(result, dict)
    return f"{len(result['taken'])} blocks run"


def timed(call, image: torch.Tensor) -> tuple[object, float]:
    start = time.perf_counter()
    result = call(image)
    return result, time.perf_counter() - start


def race(model: torch.nn.Module, program: dycl.Program, inputs: list[torch.Tensor], rounds: int) -> None:
    """Both take turns on every input; times are filed by the path taken."""
    ours, theirs = defaultdict(list), defaultdict(list)
    with torch.inference_mode():
        for _, image in itertools.product(range(rounds + 1), inputs):
            result, our_time = timed(program, image)
            _, their_time = timed(model, image)
            ours[path_of(result)].append(our_time)
            theirs[path_of(result)].append(their_time)
    print(f"{'path':<16}{'runs':>6}{'eager':>12}{'DyCL':>12}{'ratio':>8}")
    for path in sorted(ours):
        ratio = statistics.median(a / b for a, b in zip(ours[path], theirs[path]))
        medians = [f"{statistics.median(times[path]) * 1e3:>9.3f} ms" for times in (theirs, ours)]
        print(f"{path:<16}{len(ours[path]):>6}{medians[0]}{medians[1]}{ratio:>8.2f}")


def show(model: torch.nn.Module, inputs: list[torch.Tensor], rounds: int) -> None:
    name = type(model).__name__
    headline(f"{name}: what depends on the input")
    print(dycl.explain(model, inputs[0]))

    headline(f"{name}: compiled to sub-DNNs joined by host code")
    start = time.perf_counter()
    program = dycl.compile(model, inputs[0], threads=1)
    print(f"compiled in {time.perf_counter() - start:.1f} s")
    print(outline(program.hcfg))

    headline(f"{name}: every path against eager")
    report = dycl.verify(program, model, inputs)
    print(str(report).splitlines()[0])
    print("\n".join(line for line in str(report).splitlines() if "input" not in line))
    report.check()
    if report.missed:
        raise SystemExit("some edges were not taken: these images do not verify every path")

    headline(f"{name}: timed side by side, one thread each")
    race(model, program, inputs, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    show(early_exit.EarlyExit().eval(), early_exit.images(arguments.images), arguments.rounds)
    show(layer_skip.LayerSkip().eval(), layer_skip.images(arguments.images), arguments.rounds)


if __name__ == "__main__":
    main()
