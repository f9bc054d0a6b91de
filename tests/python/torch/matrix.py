# SPDX-License-Identifier: Apache-2.0
"""Programs in which constructs are nested in each other, five deep, with a decision at every level.

A program works on `h` and decides on the signs of `x`, one element per level: all signs are all paths.
"""

import importlib.util
import itertools
import random
import re
from pathlib import Path
from typing import Any

import torch

DEPTH = 5
# C stands for a condition on the level's element, N for the level, BODY for what is nested inside.
TEMPLATES = {
    "if_else": """
if C:
    BODY
else:
    h = h - 1
""",
    "elif": """
if not C:
    h = h + 1
elif h.dim() == 1:
    BODY
else:
    h = h * 100
""",
    "walrus": """
if (yN := x[N]) > 0:
    h = h + yN
BODY
""",
    "while_else": """
nN = 0
while nN < 2:
    nN += 1
    BODY
    if C:
        break
else:
    h = h * 2
""",
    "for_else_break": """
for kN in range(2):
    BODY
    if C:
        log.append(kN)
        break
else:
    h = h + 3
""",
    "for_continue": """
for kN in range(2):
    if kN == 0 and C:
        continue
    BODY
    h = h + kN
""",
    "zero_and_one_trips": """
for kN in range(0):
    h = h * 100
for kN in range(1):
    if C:
        BODY
""",
    "loop_over_a_list": """
itemsN = [h]
if C:
    itemsN.append(h + 1)
for itemN in itemsN:
    h = h + itemN
    BODY
""",
    "try_raise": """
try:
    BODY
    if C:
        raise ValueError("N")
    h = h * 2
except ValueError as errorN:
    log.append(str(errorN))
""",
    "except_body": """
try:
    if C:
        raise KeyError("N")
except (KeyError, TypeError):
    BODY
else:
    h = h - 2
""",
    "finally_body": """
try:
    if C:
        h = h + 1
finally:
    BODY
""",
    "return_in_try": """
def fN(h):
    try:
        if C:
            return h * 2
    finally:
        log.append(N)
    BODY
    return h
h = fN(h)
""",
    "with": """
with Tag(log) as tagN:
    BODY
    if C:
        h = h + tagN.step
""",
    "with_swallow": """
with Swallow():
    BODY
    if C:
        raise ValueError("gone")
    h = h * 2
""",
    "no_grad": """
with torch.no_grad():
    if C:
        h = h + 1
    BODY
""",
    "function": """
def fN(h, by=2):
    BODY
    return h * by
h = fN(h) if C else fN(h, by=1)
""",
    "early_return": """
def fN(h):
    if C:
        return h - 1
    BODY
    return h
h = fN(h)
""",
    "nonlocal": """
countN = 0
def fN():
    nonlocal h, countN
    countN += 1
    BODY
fN()
if C:
    fN()
h = h + countN
""",
    "star_arguments": """
def fN(h, *rest, k=1, **more):
    BODY
    return h * k + len(rest) + len(more)
h = fN(h, *[1, 2], k=2, z=3) if C else fN(h, **{"k": 3})
""",
    "comprehension": """
def fN(h):
    BODY
    return h
listN = [fN(t) for t in (h, h + 1) if C]
h = sum(listN, h)
""",
    "generator_expression": """
def fN(h):
    BODY
    return h
h = sum((fN(t) for t in (h, h * 2)), h) if C else h
""",
    "dict_comprehension": """
def fN(h):
    BODY
    return h
dictN = {name: fN(h) if C else h for name in ("a", "b")}
h = dictN["a"] - dictN["b"] + h
""",
    "lambda": """
def fN(h):
    BODY
    return h
gN = lambda t: fN(t) if C else t + 1
h = gN(h)
""",
    "map_and_filter": """
def fN(h):
    BODY
    return h
for h in map(fN, filter(lambda t: C, [h, h + 1])):
    h = h + 1
""",
    "recursion": """
def fN(h, n):
    if n == 0:
        return h
    BODY
    return fN(h, n - 1)
h = fN(h, 2 if C else 1)
""",
    "generator": """
def gN(h):
    BODY
    yield h
    if C:
        yield h * 2
for tN in gN(h):
    h = h + tN
""",
    "decorator": """
def twiceN(f):
    def wrapper(t):
        return f(f(t)) if C else f(t)
    return wrapper
@twiceN
def fN(h):
    BODY
    return h
h = fN(h)
""",
    "method": """
def fN(h):
    BODY
    return h
thingN = Runner(2 if C else 3)
h = thingN.run(fN, h) + thingN.more
""",
    "attribute": """
boxN = Box()
boxN.h = h
if C:
    boxN.h = boxN.h * 2
h = boxN.h
BODY
""",
    "dict_state": """
tableN = {"h": h}
if C:
    tableN["extra"] = N
BODY
h = h + len(tableN)
""",
    "match": """
match ("a", 1) if C else {"k": N}:
    case (_, kN):
        BODY
    case {"k": kN}:
        h = h - kN
""",
    "switch": """
h = [lambda t: t, lambda t: t * 2][int(C)](h)
BODY
""",
    "short_circuit": """
if C and h.dim() == 1 and (x[N] > 0.5 or x[N] < -0.5):
    BODY
""",
    "any_all": """
if any(t > 0 for t in (x[N], -x[N] - 2)) and all([h.dim() == 1]):
    BODY
""",
    "number": """
nN = int(x[N]) * 3
if nN > 0:
    BODY
h = h + nN
""",
    "unpacking": """
firstN, *restN = h, 1, 2
if C:
    firstN, restN = firstN * 2, []
h = firstN + len(restN)
BODY
""",
}
HEADER = """# SPDX-License-Identifier: Apache-2.0
import torch


class Box:
    pass


class Runner:
    def __init__(self, k):
        self.k = k

    def run(self, f, h):
        return f(h) * self.k

    @property
    def more(self):
        return self.k + 1


class Tag:
    step = 1

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append("out")
        return False


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ValueError
"""


def chains(seed: int = 0) -> list[tuple[str, ...]]:
    """Chains of DEPTH constructs, outermost first, in which each construct is directly inside each other."""
    rng = random.Random(seed)
    names = list(TEMPLATES)
    missing = set(itertools.product(names, repeat=2))
    found = []
    while missing:
        chain = list(rng.choice(sorted(missing)))
        while len(chain) < DEPTH:
            wanted = sorted(name for name in names if (chain[-1], name) in missing)
            chain.append(rng.choice(wanted or names))
        missing -= set(itertools.pairwise(chain))
        found.append(tuple(chain))
    return found


def source_of(chain: tuple[str, ...], name: str) -> str:
    body = ["h = h + 1", f"log.append({len(chain)})"]
    for level in reversed(range(len(chain))):
        body = _filled(TEMPLATES[chain[level]], level, body)
    lines = [f"def {name}(x):", "    h = x * 1", "    log = []", *("    " + line for line in body)]
    return "\n".join([*lines, "    return h, log", ""])


def _filled(template: str, level: int, body: list[str]) -> list[str]:
    lines = []
    for line in template.strip("\n").splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() == "BODY":
            lines += [indent + inner for inner in body]
        else:
            numbered = re.sub(r"(?<![A-Z])N(?![A-Za-z])", str(level), line)
            lines.append(re.sub(r"\bC\b", f"(x[{level}] > 0)", numbered))
    return lines


def write_module(folder: Path, selected: list[tuple[str, ...]]) -> Any:
    """A module with one function per chain, in a file of its own: the machine reads source."""
    path = folder / "nested_programs.py"
    programs = [source_of(chain, f"program_{number}") for number, chain in enumerate(selected)]
    path.write_text("\n\n".join([HEADER, *programs]))
    spec = importlib.util.spec_from_file_location("nested_programs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs() -> list[torch.Tensor]:
    return [torch.tensor(signs) for signs in itertools.product((1.0, -1.0), repeat=DEPTH)]
