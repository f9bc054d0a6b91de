# SPDX-License-Identifier: Apache-2.0
"""What runs when a module is called, or an attribute read: what is written there, whoever put it there."""

import copy
import functools

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn

X = v(1.0, -2.0)


def eager(model, *args):
    with torch.no_grad():
        return model(*copy.deepcopy(args))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(2, 2)
        self.second = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))
        self.encoder = nn.TransformerEncoderLayer(2, 1, 4, batch_first=True)

    def forward(self, x):
        return self.encoder(self.second(self.first(x)).reshape(1, 1, 2))


def doubling(original):
    @functools.wraps(original)
    def call(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        return result * 2 if isinstance(self, nn.Linear) else result

    return call


@pytest.mark.parametrize("name", ["__call__", "_call_impl"])
@pytest.mark.parametrize("kind", [nn.Module, nn.Linear], ids=lambda kind: kind.__name__)
def test_a_patched_call_runs_as_it_is_written(kind, name, monkeypatch):
    net = Net().eval()
    plain = eager(net, X)
    monkeypatch.setattr(kind, name, doubling(getattr(kind, name)))
    wanted = eager(net, X)
    assert not torch.allclose(plain, wanted)
    torch.testing.assert_close(dycl.compile(net, X)(X), wanted)
    monkeypatch.undo()
    torch.testing.assert_close(dycl.compile(net, X)(X), plain)


def test_a_patched_forward_of_a_layer_runs_as_it_is_written(monkeypatch):
    def forward(self, x):
        return x * 3 if x.sum() > 0 else nn.functional.linear(x, self.weight)

    net = Net().eval()
    monkeypatch.setattr(nn.Linear, "forward", forward)
    program = dycl.compile(net.first, X)
    for x in (X, -X):
        torch.testing.assert_close(program(x), eager(net.first, x))


class Overrides(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)

    def __call__(self, x):
        return super().__call__(x) * 2

    def forward(self, x):
        return self.first(x)


def test_an_own_call_may_go_on_with_that_of_the_base():
    net = nn.Sequential(Overrides()).eval()
    net[0].register_forward_hook(lambda module, args, result: result + 1)
    torch.testing.assert_close(dycl.compile(net, X)(X), eager(net, X))


class Shy:
    def __get__(self, instance, owner):
        raise AttributeError("not here")


class Fallback:
    value = Shy()

    @property
    def other(self):
        raise AttributeError("nor here")

    def __getattr__(self, name):
        return {"value": 2.0, "other": 3.0}[name]


FALLBACK = Fallback()


def falls_back(x):
    return x * FALLBACK.value * FALLBACK.other


def test_an_attribute_whose_descriptor_gives_up_is_asked_of_getattr():
    assert torch.equal(dycl.compile(falls_back, X)(X), falls_back(X))
