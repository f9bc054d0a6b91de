# SPDX-License-Identifier: Apache-2.0
"""Models that keep something between calls in containers and plain objects, for test_state_structures."""

import collections
import dataclasses
import types

import torch
from torch import nn

MODELS = []


def model(source):
    MODELS.append(source)
    return source


@model
class NoneAtFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        y = x if self.last is None else x + self.last
        self.last = x * 1
        return y


@model
class NoneAgain(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", None)

    def forward(self, x):
        y = x if self.sum is None else self.sum + x
        self.sum = y if x.sum() > 0 else None
        return y * 1


@model
class CountsAndAsksForParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.count = 0

    def forward(self, x):
        self.count += 1
        return self.inner(x).to(next(self.parameters()).dtype) * self.count


@model
class AnotherKindOfNumber(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count = self.count + 0.5
        return x * self.count


@model
class AnotherDtype(nn.Module):
    def __init__(self):
        super().__init__()
        self.sum = torch.zeros(2, dtype=torch.int64)

    def forward(self, x):
        self.sum = self.sum + x
        return self.sum * 1


@model
class FilledDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        if "r" not in self.cache:
            self.cache["r"] = torch.zeros(2)
        self.cache["r"] = self.cache["r"] * 0.5 + x
        return self.cache["r"] * 1


@model
class DictOfOneShape(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {"sum": torch.zeros(2), "count": 0}

    def forward(self, x):
        self.cache["sum"] = self.cache["sum"] + x
        self.cache["count"] += 1
        return self.cache["sum"] / self.cache["count"], self.cache["count"]


@model
class KeysByThePath(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = {}
        self.counts = collections.defaultdict(int)

    def forward(self, x):
        key = "above" if x.sum() > 0 else "below"
        self.sums[key] = self.sums.get(key, 0) + x
        self.counts[key] += 1
        return self.sums[key] * 1, len(self.sums), self.counts["above"] - self.counts["below"]


class Sums:
    def __init__(self):
        self.count = 0
        self.sum = torch.zeros(2)


@model
class PlainObject(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = Sums()

    def forward(self, x):
        self.sums.count += 1
        if x.sum() > 0:
            self.sums.sum = self.sums.sum + x
        return self.sums.sum / self.sums.count


@dataclasses.dataclass
class Record:
    step: int = 0
    memory: torch.Tensor | None = None


@model
class NewObjectAtEachCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.record = Record()

    def forward(self, x):
        memory = x * 1 if self.record.memory is None else self.record.memory + x
        self.record = Record(self.record.step + 1, memory)
        return memory * self.record.step


class WithSlots:
    __slots__ = ("count", "sum")

    def __init__(self):
        self.count, self.sum = 0, None


@model
class ObjectsWithoutDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.named = WithSlots(), types.SimpleNamespace(last=None)

    def forward(self, x):
        self.kept.count += 1
        self.kept.sum = x * 1 if self.kept.sum is None else self.kept.sum + x
        before, self.named.last = self.named.last, x * 2
        return self.kept.sum * self.kept.count, x if before is None else before


@model
class ClearedAndRefilled(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = []
        self.one, self.other = nn.Linear(2, 2), nn.Linear(2, 3)

    def forward(self, x):
        before = len(self.features)
        self.features.clear()
        self.features.append(self.one(x))
        self.features.append(self.other(x))
        return sum(feature.sum() for feature in self.features), before


@model
class ReadBeforeItIsRefilled(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = []

    def forward(self, x):
        y = x * 1
        for each in self.last:
            y = y + each
        self.last.clear()
        self.last.extend([x * 1, x * 2])
        return y


@model
class WrittenBeforeItIsRead(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x):
        self.scratch = x * 2
        if x.sum() > 0:
            self.scratch = self.scratch + 1
        return self.scratch * 1


@model
class LeftAsItWas(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(2))
        self.mode, self.sizes = "plain", [1, 2]

    def forward(self, x):
        self.weight = self.weight.to(x.device)
        self.mode = "pl" + "ain"
        self.sizes.append(3)
        self.sizes.pop()
        self.sizes[0] = 1
        return x + self.weight * self.sizes[0]


@model
class GrowingTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.zeros(0, 2)

    def forward(self, x):
        self.rows = torch.cat([self.rows, x[None]])
        return self.rows.sum(0), self.rows.shape[0]


@model
class KeysAndValues(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = {}
        self.query = nn.Linear(2, 2)

    def forward(self, x):
        for layer in range(2):
            keys, values = self.query(x)[None], x[None] * 2
            if layer in self.kept:
                keys = torch.cat([self.kept[layer][0], keys])
                values = torch.cat([self.kept[layer][1], values])
            self.kept[layer] = (keys, values)
            x = (keys @ x).softmax(0) @ values
        return x


@model
class LastRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.zeros(0, 2)

    def forward(self, x):
        self.rows = torch.cat([self.rows, x[None]])[-3:]
        return self.rows.mean(0)


@model
class GrowingLists(nn.Module):
    def __init__(self):
        super().__init__()
        self.tensors, self.numbers = [], []

    def forward(self, x):
        self.tensors.append(x * 1)
        self.numbers.append(x.sum().item())
        return torch.stack(self.tensors).mean(0), len(self.tensors), x * sum(self.numbers)


@model
class Window(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = []
        self.short = collections.deque(maxlen=2)

    def forward(self, x):
        self.window.append(x * 1)
        self.short.append(x * 1)
        if len(self.window) > 3:
            self.window.pop(0)
        return torch.stack(self.window).mean(0), torch.stack(list(self.short)).sum(0)


@model
class HiddenState(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.rnn = nn.LSTMCell(2, 3), nn.GRU(2, 3)
        self.state, self.hidden = None, None

    def forward(self, x):
        self.state = self.cell(x[None], self.state)
        y, self.hidden = self.rnn(x[None, None], self.hidden)
        return self.state[0].sum(), self.state[1] * 1, y


@model
class Modes(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode, self.names, self.turn = "warm", ["a", "b", "c"], 0
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))

    def forward(self, x):
        y = self.layers[self.turn](x)
        self.turn = (self.turn + 1) % 2
        if x.sum() < 0:
            self.mode = "run"
        return y if self.mode == "warm" else y * 2


@model
class WrittenInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.given, self.made = {"sum": torch.zeros(2)}, None

    def forward(self, x):
        if self.made is None:
            self.made = torch.zeros(2)
        self.given["sum"].add_(x)
        self.made.add_(self.given["sum"])
        return self.given["sum"] * 1, self.made * 1


@model
class SharedMemory(nn.Module):
    """One tensor under two names, a view of it, and one list under two names."""

    def __init__(self):
        super().__init__()
        self.one = self.other = self.part = None
        self.list = []
        self.same_list = self.list

    def forward(self, x):
        if self.one is None:
            self.one = torch.zeros(4)
            self.other, self.part = self.one, self.one[1:3]
        self.part.add_(x)
        self.one.mul_(2)
        self.list.append(x * 1)
        return self.other * 1, self.one is self.other, torch.stack(self.same_list).sum(0)


@model
class ViewOfABuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("whole", torch.zeros(4))
        self.register_buffer("kept", torch.zeros(2))
        self.begin = self.kept

    def forward(self, x):
        before = self.kept * 1
        self.whole.add_(1)
        self.kept = self.whole[:2]
        return before + x, self.begin * 1


@model
class WritesToWhatItHeldAtFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = torch.zeros(2)
        self.begin = self.kept

    def forward(self, x):
        old = self.kept
        self.kept = old + 1
        old.add_(x)
        return x + self.begin


@model
class AsksForStrides(nn.Module):
    def __init__(self):
        super().__init__()
        self.square = torch.zeros(2, 2)

    def forward(self, x):
        asked = self.square.is_contiguous()
        self.square = (self.square + x).t()
        return asked, self.square * 1


class Layer(nn.Module):
    def __init__(self, store, name):
        super().__init__()
        self.store, self.name, self.linear = store, name, nn.Linear(2, 2)

    def forward(self, x):
        y = self.linear(x) + self.store.get(self.name, 0)
        self.store[self.name] = y
        return y * 1


@model
class LayersWithOneStore(nn.Module):
    def __init__(self):
        super().__init__()
        store = {}
        self.one, self.other = Layer(store, "one"), Layer(store, "other")

    def forward(self, x):
        return self.other(self.one(x))


@model
class OfTheClass(nn.Module):
    """The class has the attribute at first, or nobody has it."""

    count = 0

    def forward(self, x):
        self.count = self.count + 1
        if hasattr(self, "extra"):
            y = x + self.extra
            if x.sum() > 0:
                del self.extra
            return y * self.count
        self.extra = x * 1
        return x * 2


@model
class InnerLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.steps, self.seen = None, 0, set()

    def forward(self, x):
        hidden = torch.zeros(2) if self.hidden is None else self.hidden
        while hidden.sum() < 5:
            hidden = hidden + x.abs() + 0.1
            self.steps += 1
        self.hidden = hidden * 0.5
        self.seen.add(len(self.seen) % 3)
        return hidden, self.steps, len(self.seen)


@model
class SharedOnSomePaths(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = torch.zeros(2), torch.zeros(2)

    def forward(self, x):
        self.other = self.one if x.sum() > 0 else self.one.clone()
        if x[0] > 1.5:
            self.one = self.one.clone()
        self.one.add_(x)
        return self.one * 1, self.other * 1, self.one is self.other


class Node:
    def __init__(self, value):
        self.value, self.next = value, None


@model
class ObjectsInARing(nn.Module):
    def __init__(self):
        super().__init__()
        self.node = Node(torch.zeros(2))
        self.node.next = Node(torch.ones(2))
        self.node.next.next = self.node

    def forward(self, x):
        self.node.value = self.node.value + x
        self.node = self.node.next
        return self.node.value * 1, self.node.next.value * 1


@model
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack, self.count = [], 0

    def forward(self, x):
        if x.sum() > 0:
            self.stack.append(x * 1)
        elif self.stack:
            self.stack.pop()
        self.count += 1
        if self.count % 3 == 0:
            self.stack = []
        return len(self.stack), self.stack[-1] * 1 if self.stack else x * 0


@model
class CallsALayerTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = NoneAtFirst()

    def forward(self, x):
        y = self.layer(x)
        return y + self.layer(y) if x.sum() > 0 else y
