# SPDX-License-Identifier: Apache-2.0
"""Compiles random programs and compares them with eager; a failing one is shrunk and kept as a test."""

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from python.torch.random_programs import shrink
from python.torch.random_programs.attempt import Attempt
from python.torch.random_programs.forked import each
from python.torch.random_programs.verdict import Verdict

SECONDS_EACH = 600  # a program that takes longer counts as failed
KEPT = Path(__file__).resolve().parents[4] / "build/fuzz/programs"
AT_A_TIME = 40  # programs that one process compiles


def verdicts(attempts: list[Attempt], folder: Path) -> Any:
    numbered = dict(enumerate(attempts))
    for number, result in each(
        list(numbered), lambda number: asdict(numbered[number].verdict(folder)), SECONDS_EACH
    ):
        if isinstance(result, str):
            yield numbered[number], Verdict(result.split()[0], result)
        else:
            yield numbered[number], Verdict(**result)


def shrunk(attempt: Attempt, verdict: Verdict, folder: Path, seconds: float) -> str:
    """A smaller program that fails alike; of a pair, the one that fails alone."""

    def fails(source: str) -> bool:
        smaller = replace(attempt, source=source, paired=False)
        return next(iter(verdicts([smaller], folder)))[1].what == verdict.what

    source = verdict.pair or attempt.source
    if not fails(source):
        return source
    return shrink.smallest(source, fails, seconds)


def report_failure(attempt: Attempt, verdict: Verdict, folder: Path, options: argparse.Namespace) -> None:
    print(f"seed {attempt.seed}: {verdict.what}: {verdict.detail[:600]}", flush=True)
    source = shrunk(attempt, verdict, folder, options.shrink)
    inputs = [", ".join(_shown(tensor) for tensor in call.args) for call in attempt.calls]
    text = shrink.regression_test(source, f"random_{attempt.seed}", inputs, verdict.what)
    path = Path(options.keep) / f"random_{attempt.seed}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"  smallest: {path}\n{source}", flush=True)


def _shown(tensor: Any) -> str:
    return f"torch.tensor({tensor.tolist()}, dtype={tensor.dtype})"


def run(options: argparse.Namespace, seeds: list[int], folder: Path) -> Counter[str]:
    """Counts by outcome; stops at the end of the time."""
    counts: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    for first in range(0, len(seeds), AT_A_TIME):
        attempts = [Attempt.of_seed(seed) for seed in seeds[first : first + AT_A_TIME]]
        for attempt, verdict in verdicts(attempts, folder):
            counts[verdict.what] += 1
            counts["inputs equal"] += verdict.compared
            counts["inputs undecided"] += verdict.undecided
            counts["pairs equal"] += verdict.pairs
            if verdict.failed:
                counts["failed"] += 1
                report_failure(attempt, verdict, folder, options)
            elif options.refusals and verdict.kind == "refused":
                print(f"seed {attempt.seed}: {verdict.detail[:300]}", flush=True)
            if time.monotonic() > end:
                return counts
        print(f"{first + len(attempts)} programs: {dict(sorted(counts.items()))}", flush=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="random_programs", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--programs", type=int, default=3000, help="how many seeds")
    parser.add_argument("--seconds", type=float, default=3600, help="no program is begun later")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--shrink", type=float, default=120, help="seconds to shrink a failure in")
    parser.add_argument("--keep", default=KEPT, help="folder for the tests of failures")
    parser.add_argument("--refusals", action="store_true", help="print every refusal")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = list(range(options.first, options.first + options.programs))
    failed = 0
    children = []
    for job in range(options.jobs):
        child = os.fork()
        if child == 0:
            with tempfile.TemporaryDirectory() as folder:
                counts = run(options, seeds[job :: options.jobs], Path(folder))
            print(f"job {job}: {dict(sorted(counts.items()))}", flush=True)
            os._exit(1 if counts["failed"] else 0)
        children.append(child)
    for child in children:
        failed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
