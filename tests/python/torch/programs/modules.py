# SPDX-License-Identifier: Apache-2.0
"""Modules: layers, attribute writes, hooks, containers of modules, switches, inheritance."""

import copy

import torch
from python.torch.case import case, v
from torch import nn
from torch.nn.utils import stateless

A, B = v(1.0, 2.0), v(-3.0, -1.0)


@case(A, B)
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        h = self.linear(x)
        if x.sum() > 0:
            h = torch.relu(h)
        return h


@case(v(9.0, 9.0), v(1.0, 1.0), v(-9.0, -9.0), v(0.25, 0.25))
class LayersInALoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            if x.sum() > 2 - i:
                x = layer(x)
            else:
                x = x + 1
        return x


@case(v(0), v(1), v(2), v(-1))
class SwitchByIndex(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))

    def forward(self, i):
        return self.experts[int(i)](torch.ones(2))


@case((A, v(0.0, 5.0)), (A, v(5.0, 0.0)), unreachable=1)
class SwitchByArgmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh())])

    def forward(self, x, scores):
        return self.experts[scores.argmax().item()](x)


@case(v(0), v(1))
class SwitchByDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Linear(2, 3)})

    def forward(self, i):
        name = "a" if i == 0 else "b"
        return self.heads[name](torch.ones(2)), name, list(self.heads.keys())


@case(A, B)
class AttributeWrites(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.last = None

    def forward(self, x):
        self.last = x * self.scale
        if x.sum() > 0:
            self.last = self.last + 1
        return self.last


@case(A, B)
class CountsItsSteps(nn.Module):
    def forward(self, x):
        self.steps = 0
        for _ in range(3):
            if x.sum() > 0:
                self.steps += 1
            x = x - 1
        return x, self.steps


@case(A, B)
class WritesToAChild(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.mode = "plain"

    def forward(self, x):
        self.child.mode = "up" if x.sum() > 0 else "down"
        return self.child(x), self.child.mode


@case(A, B, unreachable=2)
class ListOnSelf(nn.Module):
    def forward(self, x):
        self.seen = []
        for i in range(2):
            self.note(x * i)
        return self.seen, len(self.seen)

    def note(self, t):
        if t.sum() >= 0:
            self.seen.append(t)


@case(A, B)
class MethodsAndProperties(nn.Module):
    factor = 3

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.5, 2.0]))

    @property
    def doubled(self):
        return self.weight * 2

    @staticmethod
    def positive(t):
        return bool(t.sum() > 0)

    @classmethod
    def times(cls, t):
        return t * cls.factor

    def __len__(self):
        return 7

    def forward(self, x):
        if self.positive(x):
            return self.times(x) + self.doubled
        return x * len(self)


class Block(nn.Module):
    def __init__(self, width=2):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, scale=1.0):
        return self.linear(x) * scale


class GatedBlock(Block):
    def forward(self, x, scale=1.0):
        if x.sum() > 0:
            return x + super().forward(x, scale=scale)
        return x


@case(A, B)
class InheritedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = GatedBlock(), Block()

    def forward(self, x):
        return self.b(self.a(x, scale=2.0), 0.5)


@case(A, B)
class SequentialOfOwnModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(GatedBlock(), nn.ReLU(), GatedBlock(), nn.Identity())

    def forward(self, x):
        return self.body(x), len(self.body), self.body[1:](x)


def add_one(module, args, output):
    return output + 1


def negate_input(module, args):
    return (-args[0],)


def only_looks(module, args, output):
    module.looked = True


class WithHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = GatedBlock()
        self.block.register_forward_hook(add_one)
        self.block.register_forward_pre_hook(negate_input)
        self.block.linear.register_forward_hook(only_looks)

    def forward(self, x):
        return self.block(x)


case(A, B)(WithHooks)


@case(A, B)
class HookOnTheModelItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_forward_hook(self._double_if_positive)

    @staticmethod
    def _double_if_positive(module, args, output):
        return output * 2 if output.sum() > 0 else None

    def forward(self, x):
        return x + 0.5


@case(A, B)
class SharedParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)
        self.second.weight = self.first.weight

    def forward(self, x):
        y = self.first(x)
        return self.second(y) if x.sum() > 0 else y, self.first.weight is self.second.weight


@case(A, B)
class BuffersAndParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([1.0, 2.0]))
        self.register_buffer("missing", None)
        self.params = nn.ParameterList([nn.Parameter(torch.ones(2) * i) for i in range(2)])

    def forward(self, x):
        x = x - self.mean
        if self.missing is None and x.sum() > -2:
            x = x + self.params[1]
        return x * sum(p.sum() for p in self.params)


@case(A, B)
class ThresholdInAParameter(nn.Module):
    def __init__(self):
        super().__init__()
        self.threshold = nn.Parameter(torch.tensor(1.0))
        self.static = torch.tensor(3.0)

    def forward(self, x):
        if self.static > 2:
            x = x * 2
        return x + 1 if x.sum() > self.threshold else x - 1


@case(A, B)
class TrainingFlag(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x):
        if self.training:
            return x  # static
        h = self.norm(self.drop(x)[None])[0]
        return h if x.sum() > 0 else -h


@case(A, B)
class NamedChildren(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        for name, child in self.named_children():
            if name == "up" or x.sum() > 0:
                x = child(x)
        return x, [name for name, _ in self.named_parameters()]


@case(A, B)
class GetattrByName(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            setattr(self, f"layer{i}", nn.Linear(2, 2))

    def forward(self, x):
        for i in range(2):
            layer = getattr(self, f"layer{i}")
            x = layer(x) if x.sum() > 0 else x + i
        return x, hasattr(self, "layer7")


@case(A, B)
class ModuleAsAnArgument(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(2, 2), nn.Linear(2, 2)

    def apply_to(self, module, x):
        return module(x) if x[0] > 0 else x

    def forward(self, x):
        return self.apply_to(self.up if x[1] > 0 else self.down, x)


@case(A, B)
class RecurrentLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(2, 3)
        self.gru = nn.GRU(2, 3, batch_first=True)

    def forward(self, x):
        h, c = self.cell(x[None])
        if x.sum() > 0:
            h, c = self.cell(x[None], (h, c))
        out, last = self.gru(x[None, None])
        return h + out[:, 0], last


@case(torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4), torch.linspace(1, -2, 32).reshape(1, 2, 4, 4))
class ConvolutionsAndPooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(3, 4)

    def forward(self, x):
        h = nn.functional.relu(self.norm(self.conv(x)))
        if x.sum() > -1:
            h = nn.functional.max_pool2d(h, 2)
        return self.head(self.pool(h).flatten(1)).softmax(-1)


@case(A, B)
class ChildrenChosenOnce(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.order = [2, 0]

    def forward(self, x):
        chosen = [self.blocks[i] for i in self.order]
        for block in chosen if x.sum() > 0 else reversed(chosen):
            x = block(x)
        return x


class Callable:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, t):
        return t * self.factor


@case(A, B)
class PlainObjectsOnAModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.helper = Callable(4)
        self.config = {"depth": 2, "names": ["a", "b"]}
        self.act = torch.tanh

    def forward(self, x):
        for name in self.config["names"][: self.config["depth"]]:
            x = self.act(self.helper(x)) if x.sum() > 0 else x + len(name)
        return x


@case(A, B, make=lambda: Gate().eval().forward)
def bound_method_as_the_model(x):
    raise AssertionError("never called: the case compiles a bound method")  # static


@case(A, B, make=lambda: nn.Sequential(GatedBlock(), nn.Tanh()).eval())
def sequential_as_the_model(x):
    raise AssertionError("never called: the case compiles a Sequential")  # static


@case(v(1.0), v(-1.0))
class CopiesItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0]))

    def forward(self, x):
        other = copy.deepcopy(self)
        if x.sum() > 0:
            return x if other is self else other.weight * x  # static
        return -x


@case(A, B)
class PutIntoTheModeItHas(nn.Module):
    """As decoding loops do: eval(), train(False) and to(dtype) give the module as it is."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        self.eval()
        layer = self.linear.train(False).to(torch.float32)
        h = layer(x).type(torch.float64)
        return h.type(x.dtype) if x.sum() > 0 else h.to(torch.float32) + 1


# ---- layers whose tables and lists are written, and then called


class Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1d(2)
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.resize = nn.Upsample(size=[1, 2])


@case(A, B)
class CallsWithOtherParameters(Written):
    def forward(self, x):
        weights = {"weight": self.linear.weight * x.sum()}
        y = torch.func.functional_call(self.linear, weights, (x,))
        if x.sum() > 0:
            y = y + self.linear(x)
        return y


@case(A, B)
class CallsWithParametersInDepth(Written):
    def forward(self, x):
        weights = {"0.weight": self.linear.weight * 2, "0.bias": x}
        y = torch.func.functional_call(self.layers, weights, (x,))
        return y if x.sum() > 0 else stateless.functional_call(self.layers, weights, (x,))


@case(A, B)
class CallsWithOtherBuffers(Written):
    def forward(self, x):
        y = torch.func.functional_call(self.norm, {"running_mean": x}, (x.view(1, 2) * 2,))
        return y if x.sum() > 0 else -y


@case(A, B)
class CallsWithAllParametersMoved(Written):
    def forward(self, x):
        weights = {name: value + x.mean() for name, value in self.linear.named_parameters()}
        y = torch.func.functional_call(self.linear, weights, (x,))
        return y if x.sum() > 0 else -y


@case(A, B)
class WritesToATableOfParameters(Written):
    def forward(self, x):
        weight = self.linear._parameters["weight"]
        self.linear._parameters["weight"] = weight * x.sum()
        y = self.linear(x)
        self.linear._parameters.update(weight=weight)
        return y if x.sum() > 0 else y + self.linear(x)


@case(A, B)
class TakesAParameterAway(Written):
    def forward(self, x):
        bias = self.linear._parameters.pop("bias")
        found = hasattr(self.linear, "bias")
        self.linear._parameters["bias"] = None
        y = self.linear(x)
        self.linear._parameters["bias"] = bias
        return (y if x.sum() > 0 else -y), found


@case(A, B)
class WritesToTheListOfALayer(Written):
    def forward(self, x):
        self.resize.size[1] = 4
        y = self.resize(x.view(1, 1, 1, 2))
        self.resize.size[1] = 2
        return y if x.sum() > 0 else -y
