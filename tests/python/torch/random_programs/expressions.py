# SPDX-License-Identifier: Apache-2.0
"""Random expressions over the names that are bound at one place of a program."""

import random
from dataclasses import dataclass, field

THRESHOLDS = ["0", "1", "-0.5", "2.5"]


@dataclass
class Scope:
    """Names by what they hold. Tensors have three elements; a letter says of which kind these are."""

    tensors: dict[str, str] = field(default_factory=dict)  # f: f32, d: f64, i: i64, b: bool
    numbers: dict[str, str] = field(default_factory=dict)  # i: int, f: float
    lists: list[str] = field(default_factory=list)  # of f32 tensors, never empty
    grown: list[str] = field(default_factory=list)  # lists that may be empty

    def copy(self) -> "Scope":
        return Scope(dict(self.tensors), dict(self.numbers), list(self.lists), list(self.grown))

    def of_kind(self, kind: str) -> list[str]:
        return [name for name, held in self.tensors.items() if held == kind]


class Expressions:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.scope = Scope()

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    def any_tensor(self) -> str:
        return self.pick(list(self.scope.tensors))

    def any_numbers(self) -> str:
        return self.pick([name for name, kind in self.scope.tensors.items() if kind != "b"])

    def any_but_wide(self) -> str:
        """Leaves the dtype of an f32 that it is added to as it is."""
        return self.pick([name for name, kind in self.scope.tensors.items() if kind != "d"])

    def tensor(self, kind: str = "f") -> str:
        """Text of a new tensor of that kind."""
        if kind in ("f", "d"):
            return self._floats(kind)
        return {"i": self._integers, "b": self._mask}[kind]()

    def _floats(self, kind: str) -> str:
        """Now and then of the other dtype: the same variable may then have two."""
        dtype = {"f": "float32", "d": "float64"}[kind if self.random.random() > 0.03 else "d"]
        known = self.scope.of_kind(kind)
        if not known:
            return f"{self.any_tensor()}.to(torch.{dtype})"
        a, b = self.pick(known), self.pick(known)
        other, k = self.any_but_wide() if kind == "f" else self.any_tensor(), self.number()
        forms = [
            f"{a} + {b}",
            f"{a} + {other}",
            f"{a} * {k}",
            f"{a} - {k}",
            f"{a} * {other}",
            f"torch.relu({a})",
            f"{a}.abs()",
            f"torch.maximum({a}, {b})",
            f"helper({a})",
            f"helper({a}, k={k})",
            f"torch.where({self._mask()}, {a}, {b} * 0.5)",
            f"{a}.flip(0)",
            f"-{a}",
            f"torch.stack([{a}, {b}]).mean(0)",
            f"{a}.clamp(-3, 3)",
            f"({a} / 2).to(torch.{dtype})",
            f"{self.any_tensor()}.to(torch.{dtype})",
            f"{a}.masked_fill({self._mask()}, {self.pick(THRESHOLDS)})",
            f"({a} if {self.condition()} else {b} * 2)",
        ]
        if self.scope.lists and kind == "f":
            entries = self.pick(self.scope.lists)
            index = self.pick(["0", "-1", f"len({entries}) - 1", f"{self.integer()} % len({entries})"])
            forms += [f"{entries}[{index}]", f"torch.stack({entries}).sum(0)", f"sum({entries})"]
        if self.scope.grown and kind == "f":
            grown = self.pick(self.scope.grown)
            forms += [f"sum({grown}, {a})", f"({grown}[-1] if {grown} else {a})", f"{a} * len({grown})"]
        return self.pick(forms)

    def _integers(self) -> str:
        known = self.scope.of_kind("i")
        forms = [
            f"{self.pick(self.scope.of_kind('f'))}.clamp(-8, 8).to(torch.int64)",
            f"{self._mask()}.long()",
        ]
        if known:
            a, b = self.pick(known), self.pick(known)
            forms += [
                f"{a} + {b}",
                f"({a} * {self.pick(['2', '3', '-1'])}).clamp(-50, 50)",
                f"{a} % {self.pick(['2', '3', '5'])}",
                f"{a} // {self.pick(['2', '3'])}",
                f"torch.minimum({a}, {b})",
                f"{a} - {self.pick(['1', '2'])}",
                f"{a}.flip(0)",
            ]
        return self.pick(forms)

    def _mask(self) -> str:
        a = self.any_tensor()
        forms = [f"({a} > {self.pick(THRESHOLDS)})", f"({a} != {self.any_tensor()})"]
        known = self.scope.of_kind("b")
        if known:
            b = self.pick(known)
            forms += [
                b,
                f"(~{b})",
                f"({b} & ({a} < 2))",
                f"({b} | ({a} == 0))",
                f"({b} ^ {self.pick(known)})",
            ]
        return self.pick(forms)

    def number(self) -> str:
        n = self.pick(list(self.scope.numbers) or ["1"])
        return self.pick([n, n, "2", "0.5", "3", f"({n} + 1)"])

    def integer(self) -> str:
        """Never far from zero, so that nothing leaves the range of i64 in a loop."""
        known = [name for name, kind in self.scope.numbers.items() if kind == "i"]
        n = self.pick([*known, "2"])
        forms = [
            n,
            f"({n} + 1)",
            f"(({n} * 3 + 1) % 7)",
            f"min({n}, 3)",
            f"abs({n}) // 2",
            f"int({self.flag()})",
        ]
        forms.append(f"int({self.any_numbers()}.clamp(-4, 4).sum())" if self.random.random() < 0.5 else "1")
        return self.pick(forms)

    def size(self) -> str:
        """Text of a small number of trips that depends on the input."""
        t = self.any_numbers()
        return self.pick(
            [f"int({t}[0].clamp(0, 4))", f"int(({t} > 0).sum())", "int(n)", f"min(abs({self.integer()}), 3)"]
        )

    def flag(self) -> str:
        return f"bool({self.any_tensor()}[{self.pick(['0', '1', '2'])}] > {self.pick(THRESHOLDS)})"

    def condition(self) -> str:
        t, k = self.any_tensor(), self.pick(THRESHOLDS)
        n = self.pick(list(self.scope.numbers) or ["1"])
        forms = [
            f"{t}.sum() > {k}",
            f"{t}[0] > {t}[1]",
            f"({t} > {k}).any()",
            f"bool(({t} < {k}).all())",
            f"float({t}.max()) > {k}",
            f"{t}.sum().item() <= {k}",
            f"not {t}[2] > {k}",
            f"{t}[0] > {k} and {t}[1] < 2",
            f"{t}[1] > {k} or {n} > 1",
            f"{k} < {t}.sum().item() < 4",
            f"{n} > {k}",
            f"{n} % 2 == 0",
            f"{self._mask()}.any()",
            f"({t}[0] > {k}) == ({self.any_tensor()}[1] > 1)",
        ]
        if self.scope.lists:
            forms.append(f"len({self.pick(self.scope.lists)}) > 1")
        if self.scope.grown:
            forms += [f"len({self.pick(self.scope.grown)}) > 2", self.pick(self.scope.grown)]
        return self.pick(forms)
