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


@dataclass(frozen=True)
class Target:
    """One callable. `text` is how a program names it; a method has kinds of objects that it is called on."""

    name: str
    text: str
    form: str  # "function", "method" or "operator"
    receivers: tuple[str, ...] = ()

    @property
    def reason_to_leave_out(self) -> str:
        return EXCLUDED.get(self.name, "")


def all_targets() -> list[Target]:
    """In order and each once: a function that two modules offer under two names is two."""
    return [*functions(), *ufunc_methods(), *methods(), *augmented_assignments()]


def functions() -> Iterator[Target]:
    for module in MODULES:
        for name in public_names(module):
            full = f"{module}.{name}"
            yield Target(full, name if module == "builtins" else full, "function")


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
            yield Target(full, full, "function")


def methods() -> Iterator[Target]:
    for class_name, kinds in CLASSES.items():
        module, _, short = class_name.rpartition(".")
        owner = getattr(importlib.import_module(module or "builtins"), short)
        for name in sorted(dir(owner)):
            public = not name.startswith("_") or name in SPECIAL_METHODS
            if public and callable(getattr(owner, name, None)):
                yield Target(f"{class_name}.{name}", name, "method", tuple(kinds))


def augmented_assignments() -> Iterator[Target]:
    for name, symbol in OPERATORS.items():
        yield Target(f"statement.{name}", symbol, "operator")
