# SPDX-License-Identifier: Apache-2.0
"""Every callable that a model can reach by a public name, and the few that must not be called."""

import builtins
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from python.torch.callables.excluded import EXCLUDED

MODULES = [
    "builtins",
    "operator",
    "itertools",
    "functools",
    "bisect",
    "heapq",
    "struct",
    "math",
    "collections",
    "copy",
    "re",
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.random",
    "numpy.char",
    "numpy.strings",
    "numpy.rec",
    "numpy.lib.scimath",
    "numpy.polynomial.polynomial",
    "numpy.lib.stride_tricks",
    "numpy.ma",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.utils",
]

# The classes whose methods are called, and the kinds of arguments (see arguments.py) that are of each.
CLASSES = {
    "list": ["list", "int_list"],
    "dict": ["dict", "missing"],
    "set": ["set"],
    "bytearray": ["bytearray"],
    "str": ["str"],
    "bytes": ["bytes"],
    "collections.deque": ["deque"],
    "collections.Counter": ["counter"],
    "collections.OrderedDict": ["ordered"],
    "collections.defaultdict": ["default"],
    "numpy.ndarray": ["array", "int_array", "matrix_array", "text_array"],
    "torch.Tensor": ["tensor", "matrix", "int_tensor", "dynamic", "image"],
}

# Not public, yet what optimizers and people who write for speed use.
PRIVATE = {"torch": "_foreach_"}

UFUNCS = ["add", "multiply", "maximum", "logical_or"]
UFUNC_METHODS = ["accumulate", "at", "outer", "reduce", "reduceat"]

OPERATORS = {
    "iadd": "+=",
    "isub": "-=",
    "imul": "*=",
    "itruediv": "/=",
    "ifloordiv": "//=",
    "imod": "%=",
    "ipow": "**=",
    "iand": "&=",
    "ior": "|=",
    "ixor": "^=",
    "ilshift": "<<=",
    "irshift": ">>=",
    "imatmul": "@=",
}
SPECIAL_METHODS = [f"__{name}__" for name in [*OPERATORS, "setitem", "delitem"]]


RIGHT_SIDES = ["b", "2", "2.0", "a"]

# What people write instead of calls: the first way that suits an argument is taken.
STATEMENTS = {
    **{name: [f"a {symbol} {right}" for right in RIGHT_SIDES] for name, symbol in OPERATORS.items()},
    "setitem": ["a[0] = 2.0", 'a["b"] = 2.0', "a[0] = 2"],
    "setitem_of_input": ["a[0] = x[0].item()", 'a["b"] = x[0].item()'],
    "setitem_slice": ["a[1:] = b[1:]", "a[:2] = [5.0, 6.0]", "a[1:] = 2.0"],
    "delitem": ["del a[0]", 'del a["b"]'],
    "setattr": ["a.count = 7.0", "a.shape = (1, 3)"],
}
EXPRESSIONS = {
    "getitem": ["a[0]", 'a["b"]'],
    "getitem_missing": ['a["z"]', "a[7]"],
    "getitem_slice": ["a[1:]"],
    "getattr": ["a.anything", "a.T"],
    "contains": ["2.0 in a", '"b" in a'],
    "equals": ["a == b", "a != b"],
    "less": ["a < b"],
    "not": ["not a"],
    "negative": ["-a"],
    "add": ["a + b"],
    "unpacked": ["[*a]", "{**a}"],
    "passed_on": ["twice(*a)", "twice(**a)"],
    "comprehension": ["[v for v in a]"],
    "comprehension_of_keys": ["{v: 1.0 for v in a}"],
    "text": ['f"{a}"', 'f"{a!r}"'],
    "key": ["{a: 1.0}"],
}


@dataclass(frozen=True)
class Target:
    """One callable. `texts` are how a program names it, or all of a statement or an expression; a method has
    kinds of objects that it is called on."""

    name: str
    form: str  # "function", "method", "statement" or "expression"
    texts: tuple[str, ...]
    receivers: tuple[str, ...] = ()

    @property
    def reason_to_leave_out(self) -> str:
        return EXCLUDED.get(self.name, "")


def all_targets() -> list[Target]:
    """In order and each once: a function that two modules offer under two names is two."""
    return [*functions(), *ufunc_methods(), *methods(), *syntax()]


def functions() -> Iterator[Target]:
    for module in MODULES:
        for name in public_names(module):
            full = f"{module}.{name}"
            yield Target(full, "function", (name if module == "builtins" else full,))


def public_names(module_name: str) -> list[str]:
    module = importlib.import_module(module_name)
    names = list(getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")])
    prefix = PRIVATE.get(module_name)
    if prefix:
        names += [name for name in dir(module) if name.startswith(prefix)]
    found = {name for name in names if is_called(module, name)}
    return sorted(found)


def is_called(module: Any, name: str) -> bool:
    value = getattr(module, name, None)
    if not callable(value) or inspect.ismodule(value):
        return False
    home = getattr(value, "__module__", None) or ""
    return not home.startswith("typing") and (module is builtins or not name.startswith("__"))


def ufunc_methods() -> Iterator[Target]:
    for ufunc in UFUNCS:
        for method in UFUNC_METHODS:
            full = f"numpy.{ufunc}.{method}"
            yield Target(full, "function", (full,))


def methods() -> Iterator[Target]:
    for class_name, kinds in CLASSES.items():
        module, _, short = class_name.rpartition(".")
        owner = getattr(importlib.import_module(module or "builtins"), short)
        for name in sorted(dir(owner)):
            public = not name.startswith("_") or name in SPECIAL_METHODS
            if public and callable(getattr(owner, name, None)):
                yield Target(f"{class_name}.{name}", "method", (name,), tuple(kinds))


def syntax() -> Iterator[Target]:
    for form, texts in (("statement", STATEMENTS), ("expression", EXPRESSIONS)):
        for name, ways in texts.items():
            yield Target(f"{form}.{name}", form, tuple(ways))
