# SPDX-License-Identifier: Apache-2.0
"""Which lines of the zoo's own functions eager runs."""

import sys
from pathlib import Path
from types import CodeType

import torch

import zoo

FOLDER = str(Path(zoo.__file__).parent)
CONFIGURED = ("resnet.py", "transformer.py")  # shared parts whose branches depend on how they are built only


def missed_lines(model, calls):
    """Lines of the functions that are entered, which no call runs: "file.py:12"."""
    entered: set[CodeType] = set()
    seen: set[tuple[CodeType, int]] = set()

    def trace(frame, event, argument):
        file = frame.f_code.co_filename
        if not file.startswith(FOLDER) or file.endswith(CONFIGURED):
            return None
        entered.add(frame.f_code)
        seen.add((frame.f_code, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with torch.no_grad():
            for call in calls:
                model(*call)
    finally:
        sys.settrace(before)
    lines = {(code, line) for code in entered for _, _, line in code.co_lines() if line is not None}
    return sorted(f"{Path(code.co_filename).name}:{line}" for code, line in lines - seen)
