# SPDX-License-Identifier: Apache-2.0
"""Calls everything that a model can reach, in programs that are compiled and compared with eager."""

import argparse
import datetime
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from python.torch.callables import worker
from python.torch.callables.namespaces import Target, all_targets
from python.torch.callables.report import Counts

FLOOR = 0.7  # of all that is reachable must have been called


def chosen(options: argparse.Namespace) -> list[Target]:
    targets = all_targets()
    if options.only:
        targets = [target for target in targets if any(_fits(target.name, word) for word in options.only)]
    random.Random(options.seed).shuffle(targets)
    return targets[: options.sample]


def _fits(name: str, word: str) -> bool:
    return name == word or (name.startswith(word.rstrip("*")) and word.endswith("*"))


def outcomes(targets: list[Target], jobs: int, cache: Path) -> Iterator[dict[str, Any]]:
    """From as many processes as jobs, each of which imports everything once and makes children of its own."""
    readable, writable = os.pipe()
    children = []
    for job in range(jobs):
        child = os.fork()
        if child == 0:
            try:
                os.close(readable)
                worker.warm_up(cache)
                for target in targets[job::jobs]:
                    worker.tell(writable, **vars(worker.outcome_of(target, cache)))
            except BaseException as error:
                print(f"a job ended: {error!r}", file=sys.stderr)
            finally:
                os._exit(0)
        children.append(child)
    os.close(writable)
    with os.fdopen(readable, "rb") as reader:
        for line in reader:
            yield json.loads(line)
    for child in children:
        os.waitpid(child, 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="callables", description=__doc__)
    parser.add_argument("--only", nargs="*", help="names, or beginnings of names that end in *")
    parser.add_argument("--sample", type=int, help="so many of them, chosen by the seed")
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--all", action="store_true", help="print programs that are equal or refused, too")
    parser.add_argument("--json", help="a file for one line per callable")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    targets = chosen(options)
    counts = Counts(targets)
    log = open(options.json, "w") if options.json else None  # noqa: SIM115 - open to the end
    with tempfile.TemporaryDirectory() as cache:
        for outcome in outcomes([t for t in targets if not t.reason_to_leave_out], options.jobs, Path(cache)):
            counts.add(outcome, options.all)
            if log is not None:
                log.write(json.dumps(outcome) + "\n")
                log.flush()
    complaints = counts.complaints(0.0 if options.only or options.sample else FLOOR)
    print("\n".join([*complaints, counts.summary()]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
