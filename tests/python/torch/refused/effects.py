# SPDX-License-Identifier: Apache-2.0
"""Refused: randomness, the clock, files, globals, eval, writes into inputs and weights, state."""

import collections
import datetime
import os
import pickle
import random
import sys
import threading
import time
import uuid

import numpy
import torch
from python.torch.refused.case import refused
from torch import nn
from torch.nn import functional

COUNT = 0
HISTORY = []
TABLE = {}
COUNTS = collections.Counter()


@refused("torch.rand(2)", "random", "pass|argument|outside")
def random_tensor(x):
    return x + torch.rand(2)


@refused("torch.randn_like(x)", "random", "pass|argument|outside")
def random_like(x):
    if x.sum() > 0:
        return x + torch.randn_like(x)
    return x


@refused("x.bernoulli()", "random", "pass|argument|outside")
def random_method(x):
    return x.bernoulli()


@refused("torch.multinomial(x, 1)", "random", "pass|argument|outside")
def random_choice(x):
    return torch.multinomial(x, 1)


@refused("torch.randperm(4)", "random", "pass|argument|outside")
def random_permutation_of_static_size(x):
    return x * torch.randperm(4)[0]


@refused("torch.manual_seed(0)", "random", "outside|before|remove")
def seeding(x):
    torch.manual_seed(0)
    return x


@refused("functional.dropout(x)", "random|dropout|training", r"training=False|eval\(\)")
def functional_dropout(x):
    return functional.dropout(x)


@refused("self.drop(x)", "Dropout.*training|training.*Dropout", r"model\.eval\(\)", training=True)
class DropoutInTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x)


@refused(
    "self.norm(x)",
    "BatchNorm.*training|training.*BatchNorm",
    r"model\.eval\(\)",
    training=True,
    example=torch.ones(2, 2),
)
class BatchNormInTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x):
        return self.norm(x)


@refused("time.time()", r"time\.time", "pass|argument|outside")
def the_clock(x):
    start = time.time()
    return x * start


@refused("datetime.datetime.now()", "now", "pass|argument|outside")
def the_date(x):
    return x * datetime.datetime.now().day


@refused("random.random()", r"random\.random|random", "pass|argument|outside")
def python_random(x):
    if random.random() > 0.5:
        return x
    return -x


@refused("numpy.random.rand()", "random", "pass|argument|outside")
def numpy_random(x):
    return x * numpy.random.rand()


@refused("os.environ.copy()", r"environ", "pass|argument|outside")
def the_environment(x):
    return x * len(os.environ.copy())


@refused("open(__file__)", "open", "outside|before")
def reading_a_file(x):
    with open(__file__) as file:
        return x * len(file.readline())


@refused("os.getpid()", "getpid", "pass|argument|outside")
def the_process(x):
    return x * os.getpid()


@refused("uuid.uuid4()", "uuid4|urandom", "pass|argument|outside")
def unique_names(x):
    return {str(uuid.uuid4()): x}


@refused("input()", "input", "pass|argument|outside")
def asking_the_user(x):
    return x * float(input())


@refused("torch.save(x,", "save", "outside|return")
def saving(x):
    torch.save(x, "never.pt")
    return x


@refused("pickle.dumps(x)", "pickle.dumps.*no Python source", "torch function")
def pickling(x):
    return len(pickle.dumps(x)) * x


@refused("threading.Thread(", "thread", "outside|call")
def starting_a_thread(x):
    threading.Thread(target=print).start()
    return x


@refused("sys.exit()", "exit", "raise|outside")
def leaving_the_process(x):
    if x.sum() > 0:
        sys.exit()
    return x


@refused("COUNT += 1", "global.*COUNT|COUNT.*global", "return|self|argument")
def global_counter(x):
    global COUNT
    COUNT += 1
    return x * COUNT


@refused("HISTORY.append(x)", "list that exists before the call", "new one in forward")
def global_list(x):
    HISTORY.append(x)
    return x


@refused('TABLE["x"] = x', "dict that exists before the call", "new one in forward")
def global_dict(x):
    if x.sum() > 0:
        TABLE["x"] = x
    return x


@refused("os.environ[", "environ", "outside|remove")
def writing_the_environment(x):
    os.environ["DYCL_NEVER"] = "1"
    return x


@refused('eval("x + 1")', "eval", "write|call|instead")
def evaluated_text(x):
    return eval("x + 1")


@refused('exec("y = 1")', "exec", "write|call|instead")
def executed_text(x):
    exec("y = 1")
    return x


@refused("locals()", "locals", "name|dict|instead")
def local_names(x):
    y = x * 2
    return locals()["y"]


@refused("view.add_(1)", "memory another live tensor shares", r"clone\(\)")
def write_to_what_is_a_view_on_some_paths(x):
    y = x * 1
    view = y[:1] if x.sum() > 0 else x[:1] * 2
    view.add_(1)
    return y, view


@refused("y[1:].copy_(y[:-1])", "shares memory with another operand", "clone", example=torch.ones(3))
def copy_onto_itself(x):
    y = x * 1
    y[1:].copy_(y[:-1])
    return y


@refused("y.add_(5)", "element of a list whose length depends", r"clone\(\)")
def write_to_an_element_of_a_list_of_unknown_length(x):
    items = []
    y = x * 1
    for _ in range(int(x.abs().sum())):
        items.append(y)
    y.add_(5)
    return items


@refused("self.weight.data.add_(1)", "weight|parameter|in place|in-place", "copy|clone|instead|outside")
class WritesAParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        self.weight.data.add_(1)
        return x * self.weight


@refused("self.seen += x", "buffer", r"copy.*clone\(\)")
class WritesABuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, x):
        self.seen += x
        return self.seen * 1


@refused("self.state + x", "state|before", "state=True|argument|return")
class StateAcrossCalls(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.zeros(2)

    def forward(self, x):
        self.state = self.state + x
        return x


@refused("self.count + 1", "count|state|before", "state=True|argument|return")
class CounterAcrossCalls(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count = self.count + 1
        return x * self.count


@refused("self.train()", "train.*changes an object", "__init__")
class SwitchesToTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        self.train()
        return self.drop(x)


@refused("x.requires_grad_()", "grad", "no_grad|inference|outside|detach")
def asking_for_gradients(x):
    y = (x.requires_grad_() * 2).sum()
    y.backward()
    return x.grad


@refused("x.register_hook(print)", "hook", "outside|forward hook|remove")
def tensor_hook(x):
    x.register_hook(print)
    return x


@refused("torch.set_default_dtype(", "default_dtype", "outside|before")
def changing_a_setting(x):
    torch.set_default_dtype(torch.float64)
    return x


@refused("x.data_ptr()", "data_ptr", "remove|value")
def addresses(x):
    return x * (x.data_ptr() % 2)


@refused("id(x)", r"id\(\)", "`is`")
def identities_as_numbers(x):
    return x * (id(x) % 2)


@refused("seen.add(3)", "passed to the model and is neither a list", "copy", example=(torch.ones(2), {1}))
def write_into_an_argument(x, seen):
    seen.add(3)
    return x


@refused("nn.Linear(2, 2)", "Linear is made while the program runs", "__init__")
def layer_made_in_forward(x):
    return nn.Linear(2, 2)(x)


@refused("torch.is_grad_enabled()", "context that changes the answer", "before")
def whether_gradients_are_enabled_inside(x):
    with torch.enable_grad():
        return x * 2 if torch.is_grad_enabled() else x


@refused("torch.is_inference_mode_enabled()", "context that changes the answer", "before")
def whether_it_is_inference_inside(x):
    with torch.inference_mode(), torch.no_grad():
        return x * 2 if torch.is_inference_mode_enabled() else x


@refused("self[key] = 1.0", "changes|exists before", "copy|new one|forward")
class WritingMissing(nn.Module):
    class Filling(dict):
        def __missing__(self, key):
            self[key] = 1.0
            return 2.0

    def __init__(self):
        super().__init__()
        self.table = self.Filling()

    def forward(self, x):
        return x * self.table["x"]


@refused('COUNTS["x"] += 1', "exists before the call", "new one in forward")
def counting_calls(x):
    COUNTS["x"] += 1
    return x * COUNTS["x"]


@refused(
    "x.view(2, 1).requires_grad",
    "view of one with gradients",
    "detach",
    example=torch.ones(2, requires_grad=True),
)
def gradients_of_a_view(x):
    return x * 2 if x.view(2, 1).requires_grad else x
