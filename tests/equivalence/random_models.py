# SPDX-License-Identifier: Apache-2.0
"""Random control-flow models: If, Loop and Scan nested into each other at will, one per seed.

All tensors are float[3]; an operation may read any value that is visible where it stands, so that captures
from every level occur. Values stay small, so that no comparison hangs on the last bit of an overflow."""

import random

from equivalence.case import Case, Feed, normal, scalar

UNARY = ("Neg", "Tanh", "Sin", "Abs", "Relu", "Identity", "Sigmoid")
BINARY = ("Add", "Sub", "Min", "Max")
DEEPEST = 3


class Writer:
    """Writes statements; `scope` lists the vectors that are visible."""

    def __init__(self, seed: int):
        self.choose = random.Random(seed)
        self.count = 0

    def name(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def block(self, scope: list[str], depth: int) -> tuple[list[str], list[str]]:
        """(statements, scope afterwards)"""
        lines: list[str] = []
        scope = list(scope)
        for _ in range(self.choose.randint(1, 4)):
            kinds = ["plain", "plain", "branch", "loop", "scan"] if depth < DEEPEST else ["plain"]
            made = getattr(self, self.choose.choice(kinds))(lines, scope, depth)
            scope += made
        return lines, scope

    def plain(self, lines: list[str], scope: list[str], _depth: int) -> list[str]:
        result = self.name("v")
        if self.choose.random() < 0.5:
            lines.append(f"{result} = {self.choose.choice(UNARY)} ({self.pick(scope)})")
        else:
            lines.append(f"{result} = {self.choose.choice(BINARY)} ({self.pick(scope)}, {self.pick(scope)})")
        return [result]

    def pick(self, scope: list[str]) -> str:
        return self.choose.choice(scope[-6:] if self.choose.random() < 0.7 else scope)

    def condition(self, lines: list[str], scope: list[str]) -> str:
        total, result = self.name("s"), self.name("c")
        lines.append(f"{total} = ReduceSum <keepdims = 0> ({self.pick(scope)})")
        lines.append(f"{result} = {self.choose.choice(('Greater', 'Less'))} ({total}, threshold)")
        return result

    def results_of(self, lines: list[str], scope: list[str], count: int) -> list[str]:
        """Fresh names for what a subgraph returns: an outer value may not be returned as it is."""
        results = [self.name("r") for _ in range(count)]
        lines += [f"{result} = Identity ({self.pick(scope)})" for result in results]
        return results

    def branch(self, lines: list[str], scope: list[str], depth: int) -> list[str]:
        condition = self.condition(lines, scope)
        outputs = [self.name("v") for _ in range(self.choose.randint(1, 3))]
        sides = []
        for side in ("then", "else"):
            body, inner = self.block(scope, depth + 1)
            results = self.results_of(body, inner, len(outputs))
            typed = ", ".join(f"float[3] {r}" for r in results)
            sides.append(f"{side}_branch = {self.name(side)} () => ({typed}) {{ {' '.join(body)} }}")
        lines.append(f"{', '.join(outputs)} = If ({condition}) <{', '.join(sides)}>")
        return outputs

    def loop(self, lines: list[str], scope: list[str], depth: int) -> list[str]:
        carried = self.choose.randint(0, 3)
        scanned = self.choose.randint(0 if carried else 1, 2)
        trips = self.choose.choice(("n", "n", "two", "zero"))
        start = self.condition(lines, scope) if self.choose.random() < 0.3 else "yes"
        counter, go = self.name("i"), self.name("g")
        inside = [self.name("h") for _ in range(carried)]
        body, inner = self.block(scope + inside, depth + 1)
        if self.choose.random() < 0.5:
            go_on = self.condition(body, inner)
        else:
            go_on = self.name("g")
            body.append(f"{go_on} = Identity ({go})")
        results = self.results_of(body, inner, carried + scanned)
        head = ", ".join([f"int64 {counter}", f"bool {go}", *(f"float[3] {h}" for h in inside)])
        tail = ", ".join([f"bool {go_on}", *(f"float[3] {r}" for r in results)])
        outputs = [self.name("v") for _ in range(carried)]
        stacks = [self.name("k") for _ in range(scanned)]
        arguments = ", ".join([trips, start, *(self.pick(scope) for _ in range(carried))])
        graph = f"{self.name('body')} ({head}) => ({tail}) {{ {' '.join(body)} }}"
        lines.append(f"{', '.join(outputs + stacks)} = Loop ({arguments}) <body = {graph}>")
        return outputs + self.summed(lines, stacks)

    def scan(self, lines: list[str], scope: list[str], depth: int) -> list[str]:
        rows, inside, row = self.name("m"), self.name("h"), self.name("e")
        first, second = self.pick(scope), self.pick(scope)
        pieces = [self.name("u") for _ in range(2)]
        lines.append(
            f"{pieces[0]} = Unsqueeze ({first}, first_axis) {pieces[1]} = Unsqueeze ({second}, first_axis)"
        )
        lines.append(f"{rows} = Concat <axis = 0> ({pieces[0]}, {pieces[1]}, {pieces[0]})")
        body, inner = self.block([*scope, inside, row], depth + 1)
        state, out = self.results_of(body, inner, 2)
        graph = (
            f"{self.name('body')} (float[3] {inside}, float[3] {row}) => (float[3] {state}, float[3] {out}) "
            f"{{ {' '.join(body)} }}"
        )
        backwards = f"scan_input_directions = [{self.choose.randint(0, 1)}]"
        end, stack = self.name("v"), self.name("k")
        attributes = f"num_scan_inputs = 1, {backwards}, body = {graph}"
        lines.append(f"{end}, {stack} = Scan <{attributes}> ({self.pick(scope)}, {rows})")
        return [end, *self.summed(lines, [stack])]

    def summed(self, lines: list[str], stacks: list[str]) -> list[str]:
        sums = [self.name("v") for _ in stacks]
        lines += [f"{s} = ReduceSum <keepdims = 0> ({k}, first_axis)" for s, k in zip(sums, stacks)]
        return sums


def random_case(seed: int) -> Case:
    writer = Writer(seed)
    lines, scope = writer.block(["x", "z"], 0)
    results = writer.results_of(lines, scope, 3)
    outputs = ", ".join(f"float[3] {r}" for r in results)
    constants = "float threshold = {0.01}, bool yes = {1}, int64 zero = {0}, int64 two = {2}"
    body = "\n".join(lines)
    head = f"main (int64 n, float[3] x, float[3] z) => ({outputs}) <{constants}>"
    text = f"{head} {{\nfirst_axis = Constant <value = int64[1] {{0}}> ()\n{body}\n}}"
    return Case(name=f"random_{seed}", text=text, feeds=lambda: feeds_of(seed))


def feeds_of(seed: int) -> list[Feed]:
    return [
        {"n": scalar(n), "x": normal(3, seed=seed * 31 + k), "z": normal(3, seed=seed * 37 + k, shift=0.5)}
        for k, n in enumerate((0, 1, 2, 3, 1, 2))
    ]
