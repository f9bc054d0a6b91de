# SPDX-License-Identifier: Apache-2.0
"""Loads the models that are named on the command line."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dycl.calls.needs import require_torch
from dycl.errors import UsageError

MODEL = re.compile(r"(.+\.py|\w+(?:\.\w+)*):(\w+(?:\.\w+)*)")


def load_model(text: str, inputs: set[str], say: Callable[[str], None]) -> Any:
    """Loads the model that `file.py:Name` or `package.module:name` names, ready to be called."""
    require_torch()
    if "torch" not in sys.modules:  # which takes seconds
        say("importing torch")
    import torch

    matched = MODEL.fullmatch(text)
    if matched is None:
        raise UsageError(
            f"'{text}' is not a Python model",
            code="argument.model",
            hint="write file.py:Name or package.module:name",
        )
    found: Any = _module(matched[1])
    for part in matched[2].split("."):
        if not hasattr(found, part):
            raise UsageError(f"there is no '{part}' in {matched[1]}", code="argument.model")
        found = getattr(found, part)
    torch.manual_seed(0)
    if isinstance(found, type) and not _is_factory(found, set()):
        hint = f"name a function that makes it: def make(): return {found.__name__}(…)"
        raise UsageError(f"{text} cannot be made without arguments", code="argument.model", hint=hint)
    if isinstance(found, type) or (inspect.isfunction(found) and _is_factory(found, inputs)):
        found = found()
    if isinstance(found, torch.nn.Module):
        return found.eval()
    if inspect.isfunction(found):
        return found
    raise UsageError(f"{text} is a {type(found).__name__}, not a module or function", code="argument.model")


def _is_factory(function: Any, inputs: set[str]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [
        p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return not needed and not inputs & {parameter.name for parameter in parameters}


def _module(name: str) -> Any:
    try:
        return _import(name)
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}:{error.offset}"
        source = f"\n    {error.text.rstrip()}\n    {' ' * ((error.offset or 1) - 1)}^" if error.text else ""
        raise UsageError(f"{place}: {error.msg}{source}", code="python.syntax") from None


def _import(name: str) -> Any:
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise UsageError(f"{name} cannot be imported: {error}", code="argument.model") from None
    path = Path(name).resolve()
    if not path.exists():
        raise UsageError(f"there is no file {name}", code="argument.model")
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)
