# SPDX-License-Identifier: Apache-2.0
"""docs/refused.md: what it says is refused is refused with that code, and its way out answers as eager."""

import re
from pathlib import Path
from typing import Any

import dycl
import numpy as np
import pytest
import torch
from python.torch.harness import check
from torch import nn
from torch.nn import functional

PAGE = Path(__file__).parents[3] / "docs" / "refused.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
CODE = re.compile(r"def refused\(.*\):  # (\S+)")
INPUTS = [torch.tensor([1.0, 2.0]), torch.tensor([-3.0, 0.5]), torch.tensor([0.25, 0.25])]


def functions_of(block: str, file: Path) -> dict[str, Any]:
    """Runs the block from a file: DyCL reads its source, and eager's decisions are told by its lines."""
    import collections
    import time

    file.write_text(block)
    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": functional, "np": np, "time": time}
    names["collections"] = collections
    torch.manual_seed(0)
    exec(compile(block, str(file), "exec"), names)
    return names


def test_the_page_has_blocks_and_each_names_a_code():
    assert len(BLOCKS) >= 10
    assert all(CODE.search(block) and "def works(" in block for block in BLOCKS)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_what_the_page_calls_refused_is_refused_and_its_way_out_works(number, tmp_path):
    functions = functions_of(BLOCKS[number], tmp_path / "net.py")
    with pytest.raises(dycl.UnsupportedError) as caught:
        dycl.compile(functions["refused"], INPUTS[0])
    assert caught.value.code == CODE.search(BLOCKS[number])[1], str(caught.value)
    assert caught.value.hint
    check(functions["works"], INPUTS, every_path=False)
