# SPDX-License-Identifier: Apache-2.0
"""Tries DyCL on models of other packages: one line for each, and a file with all that is known of them.

PYTHONPATH=tests .venv/bin/python -m python.torch.packages --only CRF --jobs 2
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from python.torch.packages import MODELS, Model
from python.torch.packages.attempt import SECONDS, Outcome, attempt, report
from python.torch.packages.table import write_outcomes


def outcomes(models: list[Model], options: argparse.Namespace) -> Iterator[Outcome]:
    """In the order of the list, as soon as they are known."""
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda model: attempt(model, options.seconds, options.cache), models)


def main() -> int:
    parser = argparse.ArgumentParser(prog="packages", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--only", nargs="*", help="words: entries and packages that have one of them in their name"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of a processor for each entry")
    parser.add_argument("--json", type=Path, help="a file for the outcomes")
    parser.add_argument("--write", action="store_true", help="update refused.toml and docs/real_models.md")
    parser.add_argument("--no-cache", dest="cache", action="store_false", help="compile everything anew")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        report(next(model for model in MODELS if model.name == options.child), options.seconds, options.cache)
        return 0
    words = [word.lower() for word in options.only or [""]]
    chosen = [m for m in MODELS if any(word in f"{m.name} {m.package}".lower() for word in words)]
    found = []
    for outcome in outcomes(chosen, options):
        found.append(outcome)
        print(outcome, flush=True)
        if options.json:
            options.json.write_text(json.dumps([asdict(each) for each in found], indent=1))
    kinds = [outcome.outcome for outcome in found]
    print(", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))))
    if options.write:
        write_outcomes(found)
    return 0 if set(kinds) <= {"equal", "refused"} else 1


if __name__ == "__main__":
    sys.exit(main())
