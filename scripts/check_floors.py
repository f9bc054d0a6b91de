# SPDX-License-Identifier: Apache-2.0
"""Prints equal / refused / skipped / wrong per suite and holds them against tests/floors.toml.

Counts come from the JUnit files of ctest and pytest. A test names its suite with
`@pytest.mark.suite("…")`, and says `record_property("outcome", "refused")` when the right answer was a
refusal by name; otherwise passed means equal and failed means wrong. A skip counts as a failure.
A test that stands for many samples records how many were "equal" and "refused".
"""

import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

COLUMNS = ("equal", "refused", "skipped", "wrong")


def outcome_of(case: ElementTree.Element, properties: dict[str, str]) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "wrong"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return properties.get("outcome", "equal")


def count_suites(reports: Path) -> dict[str, Counter]:
    suites: dict[str, Counter] = {}
    for file in sorted(reports.glob("*.xml")):
        for case in ElementTree.parse(file).iter("testcase"):
            properties = {p.get("name", ""): p.get("value", "") for p in case.iter("property")}
            suite = properties.get("suite", file.stem)
            counts, outcome = suites.setdefault(suite, Counter()), outcome_of(case, properties)
            samples = {c: int(properties[c]) for c in ("equal", "refused") if c in properties}
            counts.update(samples if samples and outcome == "equal" else {outcome: 1})
    return suites


def complaints_about(name: str, counts: Counter, floor: dict[str, int]) -> list[str]:
    found = []
    if counts["equal"] < floor.get("equal", 0):
        found.append(f"{name}: {counts['equal']} equal, the floor is {floor['equal']}")
    if counts["refused"] > floor.get("refused", 0):
        found.append(f"{name}: {counts['refused']} refused, at most {floor.get('refused', 0)} may be")
    found += [f"{name}: {counts[c]} {c}, none may be" for c in ("skipped", "wrong") if counts[c]]
    return found


def main(reports: str, floors_file: str) -> int:
    floors = tomllib.loads(Path(floors_file).read_text())
    suites = count_suites(Path(reports))
    print(f"{'suite':<34}" + "".join(f"{column:>10}" for column in COLUMNS) + f"{'floor':>10}")
    complaints = []
    for name in sorted(suites.keys() | floors.keys()):
        counts, floor = suites.get(name, Counter()), floors.get(name, {})
        cells = "".join(f"{counts[column]:>10}" for column in COLUMNS)
        print(f"{name:<34}{cells}{floor.get('equal', 0):>10}")
        complaints += complaints_about(name, counts, floor)
    for complaint in complaints:
        print("below the floor: " + complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
