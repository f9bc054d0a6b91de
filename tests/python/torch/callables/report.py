# SPDX-License-Identifier: Apache-2.0
"""Counts callables and programs, and prints what went wrong."""

from collections import Counter
from typing import Any

from python.torch.callables.namespaces import Target


class Counts:
    def __init__(self, targets: list[Target]) -> None:
        self.reachable = len(targets)
        self.excluded = sum(bool(target.reason_to_leave_out) for target in targets)
        self.exercised = 0
        self.ended = 0
        self.programs: Counter[str] = Counter()
        self.callables: Counter[str] = Counter()
        self.unexercised: list[str] = []

    def add(self, outcome: dict[str, Any], everything: bool = False) -> None:
        self.ended += 1
        self.exercised += outcome["exercised"]
        if not outcome["exercised"]:
            self.unexercised.append(outcome["name"])
        kinds = Counter(verdict["kind"] for verdict in outcome["verdicts"])
        self.programs.update(kinds)
        worst = next((kind for kind in ("wrong", "refused", "equal") if kinds[kind]), "not called")
        self.callables[worst] += 1
        for verdict in outcome["verdicts"]:
            if verdict["kind"] == "wrong" or everything:
                print(_shown(outcome["name"], verdict), flush=True)

    def complaints(self, floor: float) -> list[str]:
        found = []
        if self.programs["wrong"]:
            found.append(f"{self.programs['wrong']} programs are wrong")
        if self.exercised < floor * self.reachable:
            found.append(f"{self.exercised} of {self.reachable} were called, too few")
        if self.ended + self.excluded != self.reachable:
            found.append(f"{self.reachable - self.ended - self.excluded} were not looked at")
        return found

    def summary(self) -> str:
        share = 100 * self.exercised / max(1, self.reachable)
        parts = [f"{self.programs[kind]} {kind}" for kind in ("equal", "refused", "wrong")]
        called = f"{self.exercised} exercised ({share:.1f} %)"
        return (
            f"{self.reachable} reachable, {self.excluded} excluded, {called}\n"
            f"callables: {dict(self.callables)}\nprograms: {', '.join(parts)}"
        )


def _shown(name: str, verdict: dict[str, Any]) -> str:
    place = f"{name}, {verdict.get('shape')}: {verdict.get('call')} with a {verdict.get('argument')}"
    return f"{verdict['kind']}: {place}: {verdict['detail'][:300]}"
