# SPDX-License-Identifier: Apache-2.0
"""The path that eager takes: which instructions of the packages it runs, and the sizes of its results."""

import copy
import gc
import hashlib
import sys
import sysconfig
from pathlib import Path
from typing import Any

import torch
from dycl import Call

FOLDERS = (Path(torch.__file__).parent, Path(sysconfig.get_path("stdlib")), Path(__file__).parent)
NOT_FOLLOWED = (*(f"{folder}/" for folder in FOLDERS), "<")


class Steps:
    """Follows everything but torch and the standard library."""

    def __init__(self) -> None:
        self.seen = hashlib.sha256()

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename.startswith(NOT_FOLLOWED):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        self.seen.update(f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}\n".encode())
        return self._step

    def _step(self, frame: Any, event: str, _: Any) -> Any:
        self.seen.update(b"%d " % frame.f_lasti)
        return self._step


def path_of(source: Any, call: Call) -> str:
    args, kwargs = copy.deepcopy((call.args, call.kwargs))
    steps, before = Steps(), sys.gettrace()
    gc.collect()
    gc.disable()  # what it calls, it calls at any time
    sys.settrace(steps)
    try:
        torch.manual_seed(0)  # of those that draw
        with torch.no_grad():
            result = source(*args, **kwargs)
    finally:
        sys.settrace(before)
        gc.enable()
    return f"{steps.seen.hexdigest()} {_sizes_of(result)}"


def _sizes_of(result: Any) -> str:
    leaves, structure = torch.utils._pytree.tree_flatten(result)
    sizes = [tuple(leaf.shape) if torch.is_tensor(leaf) else type(leaf).__name__ for leaf in leaves]
    return f"{sizes} {structure}"
