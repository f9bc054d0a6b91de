# SPDX-License-Identifier: Apache-2.0
"""Refused: idioms of published models that would have to be guessed."""

import collections
import copy
import importlib.util
import os

import torch
from python.torch.refused.case import refused
from torch import nn
from torch.utils.checkpoint import checkpoint


@refused(
    "nn.Linear(2, 2)", r"torch\.nn\.modules\.linear\.Linear is made while .* random numbers", "in __init__"
)
def a_layer_with_parameters_is_made(x):
    return nn.Linear(2, 2)(x)


@refused("nn.Linear(2, 2)", r"torch\.nn\.modules\.linear\.Linear is made while", "in __init__")
class ALayerInsideOfAMadeOneHasParameters(nn.Module):
    class Projection(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x):
            return self.inner(x)

    def forward(self, x):
        return self.Projection()(x)


class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(x)


@refused("layer._modules", r"'_modules' of a python\.torch\.refused\.published\.Wrapper", "in __init__")
def the_children_of_a_made_layer(x):
    layer = Wrapper()
    return x * len(layer._modules)


@refused("layer.act = torch.relu", "to something of another kind", "another name")
def a_child_is_replaced_by_a_function(x):
    layer = Wrapper()
    layer.act = torch.relu
    return layer(x)


@refused("self.act = nn.ReLU()", r"set before torch\.nn\.Module\.__init__", "first")
class AChildIsSetTooEarly(nn.Module):
    class Late(nn.Module):
        def __init__(self):
            self.act = nn.ReLU()
            super().__init__()

        def forward(self, x):
            return self.act(x)

    def forward(self, x):
        return self.Late()(x)


class Proxy(nn.Module):
    def __getattr__(self, name):
        return super().__getattr__(name)

    def forward(self, x):
        return x


@refused("Proxy()", r"whose class defines __getattr__", "in __init__")
def a_made_layer_looks_its_attributes_up(x):
    return Proxy()(x)


@refused("nn.Softmax(dim=int(x[0]))", r"the argument 'dim' of torch\.nn\.modules\.activation\.Softmax", "")
def a_layer_made_of_a_number_of_the_input(x):
    return nn.Softmax(dim=int(x[0]))(x)


@refused("nn.Dropout(0.5)(x)", "Dropout is in training mode", r"model\.eval\(\)")
def a_made_layer_is_in_training_mode(x):
    return nn.Dropout(0.5)(x)


@refused("nn.LayerNorm(2)", "LayerNorm is made while .* new ones in each call", "affine=False")
def a_normalization_with_parameters_is_made(x):
    return nn.LayerNorm(2)(x)


@refused("nn.BatchNorm1d(2, affine=False)(x)", "BatchNorm1d is in training mode", r"model\.eval\(\)")
def a_made_normalization_keeps_statistics(x):
    x = x.view(1, 2)
    return nn.BatchNorm1d(2, affine=False)(x)


@refused("self.inner.to(torch.float64)", "changes an object that lives outside", "in __init__")
class ALayerIsConverted(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner.to(torch.float64)(x.double())


@refused(
    "self._modules", "'_modules' of a 'AChildIsAddedBeforeTheyAreCounted' object .* wrote to", "their names"
)
class AChildIsAddedBeforeTheyAreCounted(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.ReLU(), nn.Tanh()])

    def forward(self, x):
        self.part = self.parts[0]
        return self.part(x) * len(self._modules)


@refused('importlib.util.find_spec("no_such.part")', "would import the packages above", "the package itself")
def looking_for_a_part_of_a_package_would_import_it(x):
    return x + 1 if importlib.util.find_spec("no_such.part") else x


@refused("ctx.needs_input_grad", "knows no autograd", "leave it out")
class AnAutogradFunctionAsksForGradients(nn.Module):
    class Asks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1 if ctx.needs_input_grad[0] else x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    def forward(self, x):
        return self.Asks.apply(x)


class AnInputIsSavedAsItIs(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2 if x.sum() > 0 else x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        return grad


@refused("AnInputIsSavedAsItIs.apply(x)", "saves an input that forward returns as it is", r"view_as\(x\)")
def an_autograd_function_saves_what_it_returns(x):
    return AnInputIsSavedAsItIs.apply(x)


@refused("checkpoint(torch.relu, x, use_reentrant=False, debug=True)", "debugs", "the function itself")
def a_checkpoint_that_debugs(x):
    return checkpoint(torch.relu, x, use_reentrant=False, debug=True)


class Defaults(collections.defaultdict):
    pass


@refused("Defaults(list, a=x)", "Defaults is made from values", "a class that derives from object")
def a_class_of_dicts_with_defaults(x):
    return Defaults(list, a=x)["a"]


class Values(dict):
    pass


@refused("copy.copy(Values(a=x))", "copy.copy", "yourself")
def a_derived_dict_is_copied(x):
    return copy.copy(Values(a=x))["a"]


@refused("str(Values(a=1))", "__repr__|__str__|text|shown", "")
def a_derived_dict_is_shown(x):
    return x + len(str(Values(a=1)))


@refused("parts[: int(x[0])]", "a slice of a list or tuple must be known", "")
def a_tuple_of_any_length(x):
    parts = (x, x + 1)
    return torch.stack(list(parts[: int(x[0])]))


@refused("{1 + 0j: 1.0, 0: 3.0}[int(x[0])]", "a key of a dict must be known", "")
def a_key_that_equals_a_number_in_its_own_way(x):
    return x + {1 + 0j: 1.0, 0: 3.0}[int(x[0])]


@refused(
    "os.path.isfile",
    "isfile.. has side effects, or its result depends on more than its arguments",
    "pass what it gives as an input",
)
def a_file_is_looked_for(x):
    return x + 1 if os.path.isfile("/no/such/file") else x


@refused("torch.tensor([x[n] for n in kept], dtype", "of torch.int32 of a list of tensors", "that it makes")
def tensors_of_a_list_become_numbers_of_another_kind(x):
    kept = [n for n in range(2) if x[n] > 0]
    return torch.tensor([x[n] for n in kept], dtype=torch.int32)
