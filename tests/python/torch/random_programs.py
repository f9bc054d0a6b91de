# SPDX-License-Identifier: Apache-2.0
"""Random Python models: nested branches, static loops, containers, closures, exceptions, in-place writes.

A program is text; `write(seed, folder)` makes a module of it, since the compiler reads source files.
"""

import importlib.util
import random
from pathlib import Path
from types import ModuleType

HEADER = '''"""Random program {seed}."""
import torch


def helper(t, k=1):
    if t.sum() > k:
        return t * 0.5
    return t + k


class Stop(Exception):
    pass

'''

KINDS = ["assign"] * 4 + ["update"] * 3 + ["branch"] * 2
KINDS += ["count", "list", "append", "loop", "closure", "unpack", "dict", "attempt", "inplace", "swap"]
KINDS += ["comprehension"]


class Writer:
    """Writes one function of tensor x (three floats); every variable it uses is bound on every path."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.tensors = ["x"]
        self.numbers = ["1"]
        self.lists: list[str] = []
        self.fresh = 0
        self.in_loop = 0
        self.in_try = 0

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def tensor(self) -> str:
        a, b = self.random.choice(self.tensors), self.random.choice(self.tensors)
        k = self.number()
        forms = [
            f"{a} + {b}",
            f"{a} * {k}",
            f"{a} - {k}",
            f"torch.relu({a})",
            f"{a}.abs()",
            f"torch.maximum({a}, {b})",
            f"helper({a})",
            f"helper({a}, k={k})",
            f"torch.where({a} > {b}, {a}, {b} * 0.5)",
            f"{a}.flip(0)",
            f"-{a}",
            f"torch.stack([{a}, {b}]).mean(0)",
            f"{a}.clamp(-3, 3)",
        ]
        return self.random.choice(forms)

    def number(self) -> str:
        n = self.random.choice(self.numbers)
        return self.random.choice([n, n, "2", "0.5", "3", f"({n} + 1)"])

    def condition(self) -> str:
        t = self.random.choice(self.tensors)
        k = self.random.choice(["0", "1", "-0.5", "2.5"])
        forms = [
            f"{t}.sum() > {k}",
            f"{t}[0] > {t}[1]",
            f"({t} > {k}).any()",
            f"bool(({t} < {k}).all())",
            f"float({t}.max()) > {k}",
            f"{t}.mean().item() <= {k}",
            f"not {t}[2] > {k}",
            f"{t}[0] > {k} and {t}[1] < 2",
            f"{t}[1] > {k} or {self.random.choice(self.numbers)} > 1",
            f"{k} < {t}.sum().item() < 4",
        ]
        if self.lists:
            forms.append(f"len({self.random.choice(self.lists)}) > 1")
        return self.random.choice(forms)

    def block(self, depth: int, size: int) -> None:
        """Names that it binds are forgotten afterwards: another path may not have them."""
        kept = (list(self.tensors), list(self.numbers), list(self.lists))
        for _ in range(size):
            self.statement(depth)
        self.tensors, self.numbers, self.lists = kept

    def statement(self, depth: int) -> None:
        kind = self.random.choice(KINDS)
        if depth > 4 and kind in ("branch", "loop", "attempt"):
            kind = "assign"
        getattr(self, kind)(depth)

    def assign(self, depth: int) -> None:
        value, name = self.tensor(), self.name("t")
        self.emit(depth, f"{name} = {value}")
        self.tensors.append(name)

    def update(self, depth: int) -> None:
        names = [t for t in self.tensors if t != "x"] or ["x"]
        self.emit(depth, f"{self.random.choice(names)} = {self.tensor()}")

    def list(self, depth: int) -> None:
        name = self.name("l")
        self.emit(depth, f"{name} = [{self.random.choice(self.tensors)}]")
        self.lists.append(name)

    def append(self, depth: int) -> None:
        if not self.lists:
            return self.list(depth)
        name = self.random.choice(self.lists)
        self.emit(depth, f"{name}.append({self.tensor()})")
        return None

    def branch(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition()}:")
        self.block(depth + 1, self.random.randint(1, 3))
        self.way_out(depth + 1)
        if self.random.random() < 0.3:
            self.emit(depth, f"elif {self.condition()}:")
            self.block(depth + 1, self.random.randint(1, 2))
        if self.random.random() < 0.6:
            self.emit(depth, "else:")
            self.block(depth + 1, self.random.randint(1, 3))

    def way_out(self, depth: int) -> None:
        roll = self.random.random()
        if roll < 0.12:
            self.emit(depth, f"return {self.random.choice(self.tensors)}, 'early {self.name('r')}'")
        elif roll < 0.3 and self.in_loop:
            self.emit(depth, self.random.choice(["break", "continue"]))
        elif roll < 0.4:
            self.emit(depth, f"raise {'Stop' if self.in_try else 'ValueError'}('left at {self.name('e')}')")

    def loop(self, depth: int) -> None:
        i = self.name("i")
        over = self.random.choice(
            [
                f"range({self.random.randint(0, 3)})",
                "(1, 2)",
                f"range(len({self.random.choice(self.tensors)}))",
            ]
        )
        self.emit(depth, f"for {i} in {over}:")
        self.in_loop += 1
        kept = list(self.numbers)
        self.numbers.append(i)
        self.block(depth + 1, self.random.randint(1, 3))
        self.numbers = kept
        self.in_loop -= 1
        if self.random.random() < 0.25:
            self.emit(depth, "else:")
            self.block(depth + 1, 1)

    def closure(self, depth: int) -> None:
        f, t = self.name("f"), self.random.choice(self.tensors)
        self.emit(
            depth,
            f"{f} = lambda v, w={t}: v * 2 + w if v.sum() > w.sum() else {self.random.choice(self.tensors)}",
        )
        name = self.name("t")
        self.emit(depth, f"{name} = {f}({self.random.choice(self.tensors)})")
        self.tensors.append(name)

    def unpack(self, depth: int) -> None:
        a, b = self.name("t"), self.name("t")
        first, second = self.tensor(), self.tensor()
        self.emit(depth, f"{a}, {b} = ({first}, {second})")
        self.tensors += [a, b]

    def dict(self, depth: int) -> None:
        d, t = self.name("d"), self.name("t")
        self.emit(depth, f"{d} = {{'a': {self.tensor()}, 'b': {self.random.choice(self.tensors)}}}")
        self.emit(depth, f"if {self.condition()}:")
        self.emit(depth + 1, f"{d}['a'] = {self.tensor()}")
        self.emit(depth, f"{t} = {d}['a'] + {d}.get('b')")
        self.tensors.append(t)

    def attempt(self, depth: int) -> None:
        self.emit(depth, "try:")
        self.in_try += 1
        loops, self.in_loop = self.in_loop, 0
        self.block(depth + 1, self.random.randint(1, 3))
        self.in_try -= 1
        self.in_loop = loops
        self.emit(depth, "except Stop as stop:")
        self.emit(depth + 1, "x = x - len(str(stop))")
        if self.random.random() < 0.4:
            self.emit(depth, "finally:")
            self.emit(depth + 1, f"x = {self.tensor()}")

    def inplace(self, depth: int) -> None:
        name = self.name("t")
        self.emit(depth, f"{name} = {self.random.choice(self.tensors)} * 1")
        self.emit(depth, f"if {self.condition()}:")
        self.emit(
            depth + 1, f"{name} {self.random.choice(['+=', '*=', '-='])} {self.random.choice(self.tensors)}"
        )
        self.tensors.append(name)

    def swap(self, depth: int) -> None:
        names = [t for t in self.tensors if t != "x"]
        if len(names) < 2:
            return self.assign(depth)
        a, b = self.random.sample(names, 2)
        self.emit(depth, f"{a}, {b} = {b}, {a}")
        return None

    def comprehension(self, depth: int) -> None:
        name, t = self.name("l"), self.random.choice(self.tensors)
        keep = self.random.choice(["", f" if v > {self.random.choice(['0', '1'])}"])
        self.emit(depth, f"{name} = [v * 2 for v in {t}{keep}]")
        total = self.name("t")
        self.emit(depth, f"{total} = {t} + len({name})")
        self.tensors.append(total)

    def count(self, depth: int) -> None:
        name = self.name("n")
        value = self.random.choice(["0", "1", "2", "True", f"int({self.random.choice(self.tensors)}.sum())"])
        self.emit(depth, f"{name} = {value}")
        self.emit(depth, f"if {self.condition()}:")
        self.emit(depth + 1, f"{name} = {name} + {self.random.choice(['1', '2', '0.5'])}")
        self.numbers.append(name)

    def program(self) -> str:
        for _ in range(self.random.randint(3, 7)):
            self.statement(1)
        parts = [*self.tensors[-3:], *self.numbers[-2:], *self.lists[-2:]]
        self.emit(1, f"return {{'x': x, 'parts': ({', '.join(parts)},)}}")
        return "def program(x):\n" + "\n".join(self.lines) + "\n"


def source_of(seed: int) -> str:
    return HEADER.format(seed=seed) + "\n" + Writer(seed).program()


def write(seed: int, folder: Path) -> ModuleType:
    path = folder / f"random_program_{seed}.py"
    path.write_text(source_of(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
