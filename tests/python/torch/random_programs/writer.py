# SPDX-License-Identifier: Apache-2.0
"""Random statements. Every name a program reads is bound on every path, every loop of it ends."""

from python.torch.random_programs.expressions import THRESHOLDS, Expressions, Scope

HEADER = '''"""Random program {seed}."""
import torch


class Stop(Exception):
    pass


def helper(t, k=1):
    if t.sum() > k:
        return t * 0.5
    return t + k

'''

SIMPLE = (
    ["assign"] * 4
    + ["update"] * 3
    + ["new_number", "count", "new_list", "append", "alias", "in_place", "write"]
)
SIMPLE += ["view", "unpack", "swap", "tally"]
COMPOUND = ["branch"] * 5 + ["static_loop", "range_loop", "range_loop", "while_loop", "while_loop", "halving"]
COMPOUND += [
    "forever",
    "rows",
    "attempt",
    "closure",
    "inner",
    "new_dict",
    "comprehension",
    "none_first",
    "collect",
]
DEEPEST = 4
THRESHOLDS_AND_HALF = [*THRESHOLDS, "0.5"]


class Writer(Expressions):
    """Writes one function of x (f32), n (an i64 without dims) and w (i64, f64 or bool)."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.lines: list[str] = []
        self.fresh = 0
        self.in_loop = 0
        self.in_try = 0
        self.main = "x"  # a float tensor that is always bound
        self.left = self.random.randint(8, 22)  # statements
        self.kind_of_w = self.pick(["i", "d", "b"])
        self.scope = Scope({"x": "f", "w": self.kind_of_w}, {})

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, size: int) -> None:
        """Names that it binds are forgotten afterwards: another path may not have them."""
        kept, before = self.scope.copy(), len(self.lines)
        for _ in range(size):
            self.statement(depth)
        self.scope = kept
        if len(self.lines) == before:
            self.emit(depth, "pass")

    def statement(self, depth: int) -> None:
        if self.left <= 0:
            return
        self.left -= 1
        deep = depth > DEEPEST or self.random.random() < 0.55
        kind = self.pick(SIMPLE if deep else COMPOUND)
        if depth > 1 and kind == "assign":  # what a block binds is lost after it
            kind = "update"
        getattr(self, kind)(depth)

    # One statement.

    def assign(self, depth: int) -> None:
        kind = self.pick(["f", "f", "f", "d", "i", "b"])
        value, name = self.tensor(kind), self.name("t")
        self.emit(depth, f"{name} = {value}")
        self.scope.tensors[name] = kind

    def update(self, depth: int) -> None:
        name = self.any_tensor()
        self.emit(depth, f"{name} = {self.tensor(self.scope.tensors[name])}")

    def alias(self, depth: int) -> None:
        old, name = self.any_tensor(), self.name("t")
        self.emit(depth, f"{name} = {old}")
        self.scope.tensors[name] = self.scope.tensors[old]

    def new_number(self, depth: int) -> None:
        name = self.name("n")
        if self.random.random() < 0.7:
            self.emit(depth, f"{name} = {self.integer()}")
            self.scope.numbers[name] = "i"
        else:
            self.emit(depth, f"{name} = {self.any_tensor()}.sum().item() * 0.5")
            self.scope.numbers[name] = "f"

    def tally(self, depth: int) -> None:
        counters = [name for name in self.scope.numbers if name.startswith("n")]
        if not counters:
            return self.new_number(depth)
        name = self.pick(counters)
        if self.scope.numbers[name] == "i":
            self.emit(depth, f"{name} {self.pick(['+= 1', '+= 2', '-= 1', '= ' + self.integer()])}")
        else:
            self.emit(depth, f"{name} {self.pick(['+= 0.5', '*= 0.5', '= 1.5'])}")
        return None

    def count(self, depth: int) -> None:
        name = self.name("n")
        self.emit(depth, f"{name} = {self.pick(['0', '1', '2', 'True', self.integer()])}")
        self.emit(depth, f"if {self.condition()}:")
        self.emit(depth + 1, f"{name} = {name} + {self.pick(['1', '2'])}")
        self.scope.numbers[name] = "i"

    def new_list(self, depth: int) -> None:
        name = self.name("l")
        self.emit(depth, f"{name} = [{self.tensor()}]")
        self.scope.lists.append(name)

    def append(self, depth: int) -> None:
        known = self.scope.lists + self.scope.grown
        if not known:
            return self.new_list(depth)
        self.emit(depth, f"{self.pick(known)}.append({self.tensor()})")
        return None

    def unpack(self, depth: int) -> None:
        a, b = self.name("t"), self.name("t")
        self.emit(depth, f"{a}, {b} = ({self.tensor()}, {self.tensor('i')})")
        self.scope.tensors |= {a: "f", b: "i"}

    def swap(self, depth: int) -> None:
        names = [name for name in self.scope.of_kind("f") if name != "x"]
        if len(names) < 2:
            return self.assign(depth)
        a, b = self.random.sample(names, 2)
        self.emit(depth, f"{a}, {b} = {b}, {a}")
        return None

    # Writes in place: to locals, and now and then to an argument.

    def target(self, depth: int) -> str:
        known = [name for name in self.scope.of_kind("f") if name not in ("x", "w")]
        if known and self.random.random() < 0.6:
            return self.pick(known)
        if self.random.random() < 0.05:
            return self.main
        name = self.name("t")
        self.emit(depth, f"{name} = {self.pick(self.scope.of_kind('f'))} * 1")
        self.scope.tensors[name] = "f"
        return name

    def in_place(self, depth: int) -> None:
        name = self.target(depth)
        other = self.pick([self.any_tensor(), self.number()])
        forms = [
            f"{name} += {other}",
            f"{name} *= {self.number()}",
            f"{name}.add_({other})",
            f"{name}.clamp_(-2, 2)",
        ]
        forms += [f"{name} -= {self.number()}", f"{name}.mul_(0.5)", f"torch.relu_({name})"]
        self.emit(depth, self.pick(forms))

    def write(self, depth: int) -> None:
        name, k = self.target(depth), self.pick(THRESHOLDS_AND_HALF)
        index = self.pick(["0", "2", "-1", "int(n) % 3", f"{self.integer()} % 3"])
        forms = [
            f"{name}[{index}] = {k}",
            f"{name}[{index}] += {k}",
            f"{name}[{index}] = {self.pick(self.scope.of_kind('f'))}[1]",
            f"{name}[1:] = {k}",
            f"{name}[:2] *= 2",
            f"{name}[:2] = {self.any_tensor()}[1:] * 1",
            f"{name}[{self._mask()}] = {k}",
            f"{name}[:] = {self.any_tensor()}",
        ]
        self.emit(depth, self.pick(forms))

    def view(self, depth: int) -> None:
        name, part = self.target(depth), self.name("v")
        self.emit(depth, f"{part} = {name}[{self.pick(['1:', ':2', '0', '::2'])}]")
        if self.random.random() < 0.5:
            self.emit(depth, f"if {self.condition()}:")
            depth += 1
        self.emit(depth, self.pick([f"{part} += 1", f"{part}.mul_(2)", f"{part}.zero_()", f"{name} -= 1"]))

    # Branches and ways out.

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
        if roll < 0.1:
            given = self.pick([self.any_tensor(), *self.scope.numbers, *self.scope.grown])
            self.emit(depth, f"return {given}, 'early {self.name('r')}'")
        elif roll < 0.3 and self.in_loop:
            self.emit(depth, self.pick(["break", "continue"]))
        elif roll < 0.37:
            kind = "Stop" if self.in_try or self.random.random() < 0.2 else "ValueError"
            shown = self.pick(
                ["", *[f" {{{name}}}" for name, held in self.scope.numbers.items() if held == "i"]]
            )
            self.emit(depth, f"raise {kind}(f'left at {self.name('e')}{shown}')")

    def attempt(self, depth: int) -> None:
        self.emit(depth, "try:")
        self.in_try += 1
        self.block(depth + 1, self.random.randint(1, 3))
        self.in_try -= 1
        self.emit(depth, "except Stop as stop:")
        self.emit(depth + 1, f"{self.main} = {self.main} - len(str(stop))")
        if self.random.random() < 0.4:
            self.emit(depth, "finally:")
            self.emit(depth + 1, f"{self.main} = {self.tensor()}")

    # Loops.

    def body(self, depth: int, size: int = 3) -> None:
        self.in_loop += 1
        self.block(depth, self.random.randint(1, size))
        self.in_loop -= 1

    def else_of_loop(self, depth: int) -> None:
        if self.random.random() < 0.2:
            self.emit(depth, "else:")
            self.block(depth + 1, 1)

    def static_loop(self, depth: int) -> None:
        i = self.name("i")
        over = self.pick(
            [f"range({self.random.randint(0, 3)})", "(1, 2)", f"range(len({self.any_tensor()}))"]
        )
        self._for(depth, i, over)

    def range_loop(self, depth: int) -> None:
        i = self.name("i")
        size = self.size()
        over = self.pick([f"range({size})", f"range({size})", f"range(1, {size})", f"range({size}, 0, -1)"])
        self._for(depth, i, over)

    def _for(self, depth: int, name: str, over: str) -> None:
        self.emit(depth, f"for {name} in {over}:")
        kept = dict(self.scope.numbers)
        self.scope.numbers[name] = "i"
        self.body(depth + 1)
        self.scope.numbers = kept
        self.else_of_loop(depth)

    def while_loop(self, depth: int) -> None:
        """A counter, that the body cannot write, ends it."""
        c = self.name("c")
        bound = self.pick(["3", "5", self.size()])
        self.emit(depth, f"{c} = 0")
        self.emit(depth, f"while {self.pick([f'{self.condition()} and {c} < {bound}', f'{c} < {bound}'])}:")
        self.emit(depth + 1, f"{c} += 1")
        self.scope.numbers[c] = "i"
        self.body(depth + 1)
        self.else_of_loop(depth)

    def halving(self, depth: int) -> None:
        """What ends it is out of the body's reach."""
        h = self.name("h")
        self.emit(depth, f"{h} = ({self.tensor()}).clamp(-8, 8)")
        self.emit(
            depth, f"while {h}.abs().{self.pick(['sum()', 'max().item()'])} > {self.pick(['1', '2.5'])}:"
        )
        self.emit(depth + 1, f"{h} = {h} {self.pick(['/ 2', '* 0.25'])}")
        copied = self.name("t")
        self.emit(depth + 1, f"{copied} = {h} * 2")
        kept = self.scope.copy()
        self.scope.tensors[copied] = "f"
        self.body(depth + 1)
        self.scope = kept
        self.else_of_loop(depth)
        self.scope.tensors[h] = "f"

    def forever(self, depth: int) -> None:
        c = self.name("c")
        self.emit(depth, f"{c} = 0")
        self.emit(depth, "while True:")
        self.emit(depth + 1, f"{c} += 1")
        self.scope.numbers[c] = "i"
        ends = [f"if {c} > {self.pick(['2', self.size()])}:", f"if {c} > 4 or {self.condition()}:"]
        self.emit(depth + 1, self.pick(ends))
        self.emit(depth + 2, "break")
        self.body(depth + 1)

    def rows(self, depth: int) -> None:
        """Elements of a tensor, one by one."""
        row, t, total = self.name("e"), self.any_tensor(), self.name("t")
        self.emit(depth, f"{total} = {self.pick(self.scope.of_kind('f'))}")
        self.emit(depth, f"for {row} in {t}:")
        self.emit(depth + 1, f"if {row} > {self.pick(THRESHOLDS_AND_HALF)}:")
        self.emit(depth + 2, self.pick(["break", "continue", f"{total} = {total} - 1"]))
        self.emit(depth + 1, f"{total} = {total} + {row}")
        self.scope.tensors[total] = "f"

    def collect(self, depth: int) -> None:
        """A list that grows by a number of elements that depends on the input."""
        name, c = self.name("g"), self.name("c")
        self.emit(depth, f"{name} = []")
        self.emit(depth, f"{c} = 0")
        self.emit(depth, f"while {c} < {self.size()}:")
        self.emit(depth + 1, f"{c} += 1")
        self.scope.numbers[c] = "i"
        self.body(depth + 1, 2)
        self.emit(depth + 1, f"{name}.append({self.tensor()})")
        self.scope.grown.append(name)

    def none_first(self, depth: int) -> None:
        last, c, t = self.name("o"), self.name("c"), self.name("t")
        self.emit(depth, f"{last} = None")
        self.emit(depth, f"for {c} in range({self.size()}):")
        self.body(depth + 1, 2)
        self.emit(depth + 1, f"{last} = {self.tensor()}")
        self.emit(depth, f"{t} = {self.tensor()} if {last} is None else {last}")
        self.scope.tensors[t] = "f"

    # Functions and containers.

    def closure(self, depth: int) -> None:
        f, t, name = self.name("f"), self.pick(self.scope.of_kind("f")), self.name("t")
        other = self.pick(self.scope.of_kind("f"))
        self.emit(depth, f"{f} = lambda v, w={t}: v * 2 + w if v.sum() > w.sum() else {other}")
        self.emit(depth, f"{name} = {f}({self.pick(self.scope.of_kind('f'))})")
        self.scope.tensors[name] = "f"

    def inner(self, depth: int) -> None:
        """A function of its own, with ways out of its own, that writes to a name around it."""
        f, a, name = self.name("f"), self.name("t"), self.name("t")
        total = self.name("z")
        self.emit(depth, f"{total} = 0")
        self.emit(depth, f"def {f}({a}):")
        self.emit(depth + 1, f"nonlocal {total}")
        self.emit(depth + 1, f"{total} += {self.pick(['1', '2'])}")
        kept = self.scope.copy(), self.in_loop, self.in_try, self.main
        self.scope, self.in_loop, self.in_try, self.main = Scope({a: "f"}, {}), 0, 0, a
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth + 1)
        self.emit(depth + 1, f"if {self.condition()}:")
        self.emit(depth + 2, f"return {self.tensor()}")
        self.emit(depth + 1, f"return {self.tensor()}")
        self.scope, self.in_loop, self.in_try, self.main = kept
        self.emit(depth, f"{name} = {f}({self.pick(self.scope.of_kind('f'))})")
        if self.random.random() < 0.5:
            self.emit(depth, f"if {self.condition()}:")
            self.emit(depth + 1, f"{name} = {f}({name})")
        self.scope.tensors[name] = "f"
        self.scope.numbers[total] = "i"

    def new_dict(self, depth: int) -> None:
        d, t = self.name("d"), self.name("t")
        self.emit(depth, f"{d} = {{'a': {self.tensor()}, 'b': ({self.any_but_wide()}, {self.number()})}}")
        self.emit(depth, f"if {self.condition()}:")
        self.emit(depth + 1, f"{d}[{self.pick(['a', 'c'])!r}] = {self.tensor()}")
        self.emit(depth, f"{t} = {d}['a'] + {d}.get('c', {d}['b'][0])")
        self.scope.tensors[t] = "f"

    def comprehension(self, depth: int) -> None:
        name, t = self.name("l"), self.any_tensor()
        keep = self.pick(["", f" if v > {self.pick(['0', '1'])}"])
        self.emit(depth, f"{name} = [v * 2 for v in {t}{keep}]")
        total = self.name("t")
        self.emit(depth, f"{total} = {self.pick(self.scope.of_kind('f'))} + len({name})")
        self.scope.tensors[total] = "f"

    def program(self) -> str:
        while self.left > 0:
            self.statement(1)
        parts = [*list(self.scope.tensors)[-3:], *list(self.scope.numbers)[-2:], *self.scope.lists[-1:]]
        parts += self.scope.grown[-2:]
        self.emit(1, f"return {{'x': x, 'parts': ({', '.join(parts)},)}}")
        return "def program(x, n, w):\n" + "\n".join(self.lines) + "\n"


def source_of(seed: int) -> str:
    return HEADER.format(seed=seed) + "\n" + Writer(seed).program()
