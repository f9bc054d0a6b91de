# SPDX-License-Identifier: Apache-2.0
"""n independent gates give at most 3n + 8 blocks and text that is linear in n, whatever a path does."""

import re
import time

import dycl
import pytest
import torch
from python.torch.case import v
from python.torch.gated import KINDS, Plain
from python.torch.harness import check

INPUTS = [v(1.0, 2.0), v(0.0, 2.0), v(1.0, 0.0), v(0.0, 0.0)]


def compiled(kind, n):
    torch.manual_seed(0)
    return check(kind(n).eval(), INPUTS, every_path=False)


def blocks_of(text):
    return len(re.findall(r"^\s*b\d+(?:\(.*\))?:", text, re.MULTILINE))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_gates_add_up(kind):
    lengths = {}
    for n in (4, 16, 64):
        text = str(compiled(kind, n).hcfg)
        assert 0 < blocks_of(text) <= 3 * n + 8, f"n = {n}: {blocks_of(text)} blocks"
        lengths[n] = len(text)
    per_gate = (lengths[16] - lengths[4]) / 12
    assert lengths[64] <= lengths[16] + 1.3 * 48 * per_gate, lengths


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_256_gates_add_up(kind):
    text = str(compiled(kind, 256).hcfg)
    assert 0 < blocks_of(text) <= 3 * 256 + 8
    assert len(text) <= 1.3 * 4 * len(str(compiled(kind, 64).hcfg))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_4000_gates_add_up(kind):
    torch.manual_seed(0)
    program = dycl.compile(kind(4000).eval(), (INPUTS[0],))
    assert 0 < blocks_of(str(program.hcfg)) <= 3 * 4000 + 8


@pytest.mark.long
def test_compile_time_is_linear_in_the_gates():
    times = {}
    for n in (500, 500, 1000, 2000):  # the first warms up
        start = time.perf_counter()
        dycl.compile(Plain(n).eval(), (INPUTS[0],))
        times[n] = time.perf_counter() - start
    assert times[2000] <= 1.5 * 4 * times[500], times
