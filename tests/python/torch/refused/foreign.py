# SPDX-License-Identifier: Apache-2.0
"""Refused: what torch.jit made, which has no Python code any more."""

import warnings

import torch
from python.torch.refused.case import refused
from torch import nn

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch.jit is deprecated, and in use
    TRACED_FUNCTION = torch.jit.trace(lambda x: x * 2, torch.ones(2))
    SCRIPTED_FUNCTION = torch.jit.script(torch.nn.functional.relu6)


def traced(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.trace(module, torch.ones(2))


@refused("self.part(x)", r"TopLevelTracedModule.*torch\.jit", r"before torch\.jit\.trace\(\)")
class TracedPart(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = traced(nn.Linear(2, 2))

    def forward(self, x):
        return self.part(x) + 1


@refused("self.part(x)", r"TopLevelTracedModule.*torch\.jit", "before")
class TracedPartInATry(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = traced(nn.Linear(2, 2))

    def forward(self, x):
        try:
            return self.part(x)
        except AttributeError:
            return x - 100


@refused("self.part.forward(x)", r"ScriptMethod.*torch\.jit", "before")
class ForwardOfATracedPart(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = traced(nn.Linear(2, 2))

    def forward(self, x):
        return self.part.forward(x)


@refused("self.part(x)", r"RecursiveScriptModule.*torch\.jit", "before")
class ScriptedPart(nn.Module):
    def __init__(self):
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.part = torch.jit.script(nn.Linear(2, 2))

    def forward(self, x):
        return self.part(x)


@refused("TRACED_FUNCTION(x)", r"ScriptFunction.*torch\.jit", "before")
def traced_function(x):
    return TRACED_FUNCTION(x)


@refused("SCRIPTED_FUNCTION(x, False)", r"ScriptFunction.*torch\.jit", "before")
def scripted_function_of_a_flag(x):
    return SCRIPTED_FUNCTION(x, False)


@torch.jit.script
def scripted_powers(x: torch.Tensor):
    return x * 2**3


@torch.jit.script
def scripted_numbers(x: torch.Tensor):
    return int(x[0]) ** 2


@torch.jit.script
def scripted_exceptions(x: torch.Tensor):
    if bool(x.sum() > 0):
        raise ValueError("no")
    return x


@refused("scripted_powers(x)", "which torch.jit made", "as it was before")
def numbers_that_torchscript_computes_while_compiling(x):
    return scripted_powers(x)


@refused("scripted_numbers(x)", "which torch.jit made", "as it was before")
def numbers_of_torchscript(x):
    return scripted_numbers(x)


@refused("scripted_exceptions(x)", "which torch.jit made", "as it was before")
def exceptions_of_torchscript(x):
    return scripted_exceptions(x)
