# SPDX-License-Identifier: Apache-2.0
"""Functions that write to an operand: what the form without underscore gives is written there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dycl.frontend.cache import name_function
from dycl.frontend.capture import made_of_numbers

Form = Callable[..., Any]
Table = dict[Any, tuple[Form, bool]]


def add_twins(table: Table, names: list[tuple[Any, str]]) -> None:
    """Gives `clamp_` what the table has for `clamp`, and so on, unless it has something for `clamp_`."""
    for owner, name in names:
        twin = getattr(owner, f"{name}_", None)
        if twin is not None and twin not in table:
            form, lifts = table[getattr(owner, name)]
            table[twin] = (_to_first(form), lifts)
            name_function(table[twin][0], f"{owner.__name__}.{name}_ with numbers")


def writing_forms(table: Table) -> dict[Form, Form]:
    """For each form that one with out=."""
    forms = {}
    for function, (form, _) in table.items():
        forms[form] = _to_out(form)
        owner = getattr(function, "__objclass__", None) or getattr(function, "__module__", None)
        name_function(forms[form], f"{owner}.{function.__name__} with numbers and out=")
    return forms


def _to_first(form: Form) -> Form:
    def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return x.copy_(form(x, *args, **kwargs))

    return call


def _to_out(form: Form) -> Form:
    is_filled = form is made_of_numbers.full  # whose numbers are those of `out`

    def call(*args: Any, out: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        more = {"out": out} if is_filled else {}
        return out.copy_(form(*args, **more, **kwargs))

    return call
