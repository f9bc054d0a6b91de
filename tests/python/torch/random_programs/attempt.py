# SPDX-License-Identifier: Apache-2.0
"""One random program, or one smaller than it, from text to verdict."""

from dataclasses import dataclass
from pathlib import Path

from dycl import Call
from python.torch.random_programs.inputs import next_to_a_threshold, plain
from python.torch.random_programs.pairs import same_meaning
from python.torch.random_programs.verdict import Verdict, compared, compiled, disagreement, load
from python.torch.random_programs.writer import HEADER, Writer


@dataclass
class Attempt:
    seed: int
    source: str
    calls: list[Call]
    paired: bool  # also against a program that means the same

    @classmethod
    def of_seed(cls, seed: int) -> "Attempt":
        writer = Writer(seed)
        source = HEADER.format(seed=seed) + "\n" + writer.program()
        return cls(seed, source, plain(seed, writer.kind_of_w), paired=seed % 3 == 0)

    def verdict(self, folder: Path) -> Verdict:
        model = load(self.source, folder)
        verdict, program = compiled(model, self.calls)
        if verdict.kind != "equal":
            return verdict
        verdict = compared(model, program, self.calls)
        if verdict.failed:
            return verdict
        near = compared(model, program, next_to_a_threshold(model, self.calls, self.seed))
        if near.failed:
            return near
        verdict.compared += near.compared
        verdict.undecided += near.undecided
        other = same_meaning(self.source, self.seed) if self.paired else None
        return verdict if other is None else self._pair(model, program, other, folder, verdict)

    def _pair(self, model: object, program: object, text: str, folder: Path, verdict: Verdict) -> Verdict:
        other_model = load(text, folder)
        other, other_program = compiled(other_model, self.calls)
        if other_program is not None:
            other = compared(other_model, other_program, self.calls)
        if other.failed:
            return Verdict(other.kind, other.detail, other.code, pair=text)
        if other_program is None:
            return verdict
        verdict.pairs = 1
        found = disagreement((model, program), (other_model, other_program), self.calls)
        return verdict if found is None else Verdict("wrong", found, pair=text)
