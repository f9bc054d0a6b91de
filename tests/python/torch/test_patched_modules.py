# SPDX-License-Identifier: Apache-2.0
"""Layers made in forward where somebody has put a wrapper around torch.nn.Module.__init__."""

import functools
import subprocess
import sys
from pathlib import Path

import dycl
import torch
from python.torch.case import v
from torch import nn

AFTER_THE_COMPILER = """
import torch
torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
assert torch.nn.Module.__init__.__module__ == "torch._dynamo.mutation_guard"
from python.torch.test_patched_modules import A, B, compiled_and_eager
for x in (A, B):
    got, expected = compiled_and_eager(x)
    assert torch.equal(got, expected), (got, expected)
"""

A, B = v(1.0, -2.0), v(-1.0, -2.0)


class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(x) * getattr(self, "scale", 1.0)


def makes_layers(x):
    if x.sum() > -2:
        return Wrapper()(x)
    return nn.Softmax(dim=-1)(x)


def compiled_and_eager(x):
    return dycl.compile(makes_layers, A)(x), makes_layers(x)


def test_after_the_wrapper_of_torch_compile():
    tests = Path(__file__).parents[2]
    command = [sys.executable, "-c", AFTER_THE_COMPILER]
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_wrapper_of_the_user_is_run(monkeypatch):
    init = nn.Module.__init__

    @functools.wraps(init)
    def with_scale(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.scale = 3.0

    monkeypatch.setattr(nn.Module, "__init__", with_scale)
    for x in (A, B):
        got, expected = compiled_and_eager(x)
        assert torch.equal(got, expected)
