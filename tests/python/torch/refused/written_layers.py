# SPDX-License-Identifier: Apache-2.0
"""Refused: layers whose tables of hooks are written, or that are written in two ways at once."""

import torch
from python.torch.refused.case import refused
from torch import nn
from torch.nn.modules import module as modules


class Plain(nn.Module):
    def forward(self, x):
        return x * 2


PLAIN = Plain()


class WithLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("shift", torch.ones(2))


@refused("self.linear(x)", r"a .*Linear is called whose '_forward_hooks' were written to", "before compiling")
class AHookIsAddedToTheTable(WithLinear):
    def forward(self, x):
        self.linear._forward_hooks[9] = lambda module, given, made: made * 2
        y = self.linear(x)
        del self.linear._forward_hooks[9]
        return y


@refused("PLAIN(x)", r"a .*Plain is called whose '_forward_pre_hooks' were written to", "before compiling")
def a_hook_is_added_to_a_module_of_the_user(x):
    PLAIN._forward_pre_hooks[5] = lambda module, given: (given[0] * 3,)
    y = PLAIN(x)
    del PLAIN._forward_pre_hooks[5]
    return y


@refused("PLAIN(x)", r"a .*Plain is called whose '_forward_hooks' were written to", "before compiling")
def a_table_of_hooks_is_replaced(x):
    hooks = PLAIN._forward_hooks
    PLAIN._forward_hooks = {5: lambda module, given, made: made * 3}
    y = PLAIN(x)
    PLAIN._forward_hooks = hooks
    return y


@refused("PLAIN(x)", "'_global_forward_hooks' were written to", "before compiling")
def a_hook_is_added_for_all_layers(x):
    modules._global_forward_hooks[5] = lambda module, given, made: made * 3
    y = PLAIN(x)
    del modules._global_forward_hooks[5]
    return y


@refused("self.linear._parameters = {}", "is written, and holds others", "entries")
class ATableIsReplaced(WithLinear):
    def forward(self, x):
        table = self.linear._parameters
        self.linear._parameters = {}
        y = self.linear(x)
        self.linear._parameters = table
        return y


@refused("self.shift = shift * 2", "the dict that holds it is used by itself", "the attribute alone")
class ATableAndTheAttributeAreUsed(WithLinear):
    def forward(self, x):
        table, shift = self._buffers, self.shift
        self.shift = shift * 2
        y = x + table["shift"]
        self.shift = shift
        return y


class Owner:
    k = 3


OWNER = Owner()
OWNER.k = 1


@refused("OWNER.k = x.sum()", "the dict that holds it is used by itself", "the attribute alone")
def a_dict_of_attributes_and_an_attribute_are_used(x):
    attributes = OWNER.__dict__
    OWNER.k = x.sum()
    y = x * attributes["k"]
    OWNER.k = 1
    return y
