# SPDX-License-Identifier: Apache-2.0
"""compare.py BEFORE.json AFTER.json: what changed between two results of `make bench`."""

import json
import sys
from pathlib import Path


def figures(path: str) -> dict[str, float]:
    results = json.loads(Path(path).read_text())
    found = {f"ratio to the backend, {row['name']}": row["ratio"]["p50"] for row in results["native"]}
    found |= {f"compile ms per branch, {row['branches']}": row["ms_per_branch"] for row in results["compile"]}
    found |= {
        f"rewriting ms per leaf call, {row['gates']}": row["ms_per_call"] for row in results["rewriting"]
    }
    found["torch.compile's time in ours"] = results["whole"]["ratio"]
    return found


def main(before_file: str, after_file: str) -> None:
    before, after = figures(before_file), figures(after_file)
    for name in before.keys() & after.keys():
        change = after[name] / before[name] - 1
        print(f"{name:<52}{before[name]:>10.3f}{after[name]:>10.3f}{change:>+9.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
