# SPDX-License-Identifier: Apache-2.0
"""How programs fold objects to numbers, in Python as plain as can be: the most telling way first."""

import re
from typing import Any

import numpy
import torch

FUNCTIONS = {
    "fold": """
def fold(items):
    total = float(len(items))
    for item in items:
        total = total * 2 + float(item)
    return total
""",
    "fold_values": """
def fold_values(mapping):
    total = float(len(mapping))
    for key in mapping:
        total = total * 2 + float(mapping[key])
    return total
""",
    "weigh": """
def weigh(tensor):
    flat = tensor.reshape(-1).double()
    return float((flat * torch.arange(1.0, flat.shape[0] + 1)).sum())
""",
}

# Of arguments, by the `digest` of their kind. A later one is used where DyCL refuses an earlier one.
OF_ARGUMENTS = {
    "items": ["fold({0})", "float({0}[0]) + 10.0 * len({0})", "float(len({0}))"],
    "mapping": ["fold_values({0})", "fold({0}.values())", "float(len({0}))"],
    "set": ["len({0}) + 10.0 * sum({0})", "float(len({0})) + (3.0 in {0})", "float(len({0}))"],
    "array": ["float({0}[0]) + 2 * float({0}[1]) + 4 * float({0}[2])", "float({0}.sum())", "float({0}[0])"],
    "grid": ["float({0}[0, 0]) + 2 * float({0}[0, 1]) + 4 * float({0}[1, 1])", "float({0}.sum())"],
    "masked": ["float({0}.sum())", "float({0}[0])"],
    "arrays": ["len({0}) + 10.0 * float({0}[0].sum())", "float({0}[0][0])"],
    "tensor": ["weigh({0})", "float({0}.sum())"],
    "next": ["next({0}, -1.0) + 10.0 * next({0}, -1.0)", "float(len(list({0})))", "0.0"],
    "count": ["{0}.count"],
    "number": ["float({0})"],
    "length": ["float(len({0}))"],
    "none": ["0.0"],
}


def of_result(value: Any, name: str = "r", depth: int = 0) -> str:
    """The text that folds what a call gave, by what it was when Python ran it."""
    if isinstance(value, torch.Tensor) and type(value) in (torch.Tensor, torch.nn.Parameter):
        return f"weigh({name})" if value.numel() else "0.0"
    if isinstance(value, bool | int | float | numpy.bool_ | numpy.integer | numpy.floating):
        return f"float({name})"
    if isinstance(value, complex | numpy.complexfloating):
        return f"float({name}.real + 2 * {name}.imag)"
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "bifuc" and value.size:
        first = ", ".join(["0"] * value.ndim)
        at = f"float({name}[{first}])" if value.ndim and value.dtype.kind != "c" else "0.0"
        return at if value.dtype.kind == "c" else f"10.0 * float({name}.sum()) + {at}"
    if isinstance(value, str | bytes):
        return f"float(len({name}))"
    return _of_container(value, name, depth)


def _of_container(value: Any, name: str, depth: int) -> str:
    if isinstance(value, list | tuple | bytearray) and value:
        if all(isinstance(item, bool | int | float) for item in value):
            return f"fold({name})"
        return f"{len(value)}.0 * len({name}) + {of_result(value[0], name + '[0]', depth + 1)}"
    if isinstance(value, dict) and all(isinstance(item, int | float) for item in value.values()):
        return f"fold_values({name})"
    if isinstance(value, set | frozenset):
        return f"float(len({name}))"
    if hasattr(value, "__next__") and depth == 0:
        return _of_next(value, name)
    return "0.0"


def _of_next(iterator: Any, name: str) -> str:
    """One step of an iterator, which is how it is seen whether it steps another."""
    first = next(iterator, 0.0)
    if isinstance(first, bool | int | float):
        return f"next({name}, -1.0)"
    return f"float(len(next({name}, ())))" if isinstance(first, str | tuple | list) else "0.0"


WRITES = {
    list: "r.append(9.0)",
    dict: 'r["e"] = 9.0',
    set: "r.add(9.0)",
    bytearray: "r.append(9)",
}


def write_to_result(value: Any) -> str:
    """A statement that changes what a call gave; nothing where it cannot be changed."""
    if type(value) is numpy.ndarray and value.dtype.kind in "iufc" and value.flags.writeable:
        return "r *= 2"
    if isinstance(value, torch.Tensor) and value.dtype is not torch.bool:
        return "r.mul_(2)"
    if hasattr(value, "__next__"):
        return "next(r, 0)"
    return next((text for kind, text in WRITES.items() if isinstance(value, kind)), "")


def uses(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None
