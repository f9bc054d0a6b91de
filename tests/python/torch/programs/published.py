# SPDX-License-Identifier: Apache-2.0
"""Idioms of published models: layers made in forward, questions about the process, what autograd adds."""

import enum
import functools
import heapq
import importlib.metadata
import importlib.util
import itertools
import logging
import os
import platform
from typing import List

import numpy as np
import torch
from python.torch.case import case, v
from torch import nn
from torch.utils.checkpoint import checkpoint
from tqdm import tqdm, trange

A, B = v(1.0, 2.0), v(-1.0, -2.0)


# ---- layers made in forward


@case(A, B)
def layers_without_parameters(x):
    y = nn.Softmax(dim=-1)(x) + nn.Sigmoid()(x)
    if x.sum() > 0:
        y = nn.LeakyReLU(negative_slope=0.1)(y)
    return nn.Sequential(nn.ReLU(), nn.Tanh())(y)


@case(A, B)
def a_loss_with_weights(x):
    weights = torch.tensor([1.0, 3.0])
    return nn.CrossEntropyLoss(weight=weights, reduction="none")(x.view(1, 2), torch.tensor([1]))


class PartOfAnother(nn.Module):
    def __init__(self):
        super().__init__()
        self.whole = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 3))

    def forward(self, x):
        return nn.Sequential(*list(self.whole.children())[:-1])(x)


case(A, B)(PartOfAnother)


@case(A, B)
def a_layer_made_on_each_trip(x):
    for dim in range(2):
        if x.sum() > dim:
            x = x + nn.Softmax(dim=0)(x * (dim + 1))
    return x


class Scale(nn.Module):
    """A layer of the model's own, without parameters."""

    def __init__(self, factor, act=None):
        super().__init__()
        self.factor = factor
        self.act = nn.Tanh() if act is None else act

    def forward(self, x):
        if x.sum() > 0:
            return self.act(x) * self.factor
        return x - self.factor if self.training else x


class Doubled(nn.Module):
    @property
    def factor(self):
        return 2

    def forward(self, x):
        return x * self.factor


class Halved(Scale):
    def forward(self, x):
        return super().forward(x) / 2


@case(A, B)
def layers_of_the_models_own(x):
    y = Scale(2.0)(x) + Scale(x.max(), act=nn.ReLU())(x)
    layer = Halved(3.0)
    layer.factor = layer.factor + 1
    return layer(Doubled()(y)), isinstance(layer, nn.Module), hasattr(layer, "missing")


class MadeWhereItIsUsed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        wrapped = Scale(0.5, act=self.inner)
        return wrapped(x)


case(A, B)(MadeWhereItIsUsed)


@case(A, B)
def an_attribute_of_a_made_layer_is_written(x):
    layer = nn.LeakyReLU(0.5)
    if x.sum() > 0:
        layer.negative_slope = 0.25
    return layer(x - 3)


@case(A, B)
def a_made_layer_is_put_into_evaluation(x):
    layer = nn.Sequential(nn.Dropout(0.5), nn.Tanh())
    same = layer.eval()
    y = layer(x) + nn.Dropout(0.9).eval()(x)
    return y, same is layer, layer.training, layer[0].training


@case(A, B)
def a_made_layer_is_put_into_evaluation_on_each_trip(x):
    for step in range(3):
        if x.sum() > step:
            x = nn.Dropout(0.5).eval()(x) * 0.9
    return x


@case(A, B)
def made_layers_that_normalize(x):
    rows = x.view(1, 2) * torch.tensor([[1.0], [2.0]])
    y = nn.LayerNorm(2, elementwise_affine=False)(x) + nn.GroupNorm(1, 2, affine=False)(x.view(1, 2))
    y = y + nn.BatchNorm1d(2, affine=False, track_running_stats=False)(rows)
    if x.sum() > 0:
        y = y + nn.InstanceNorm1d(1)(x.view(1, 1, 2))[0]
    return y + nn.BatchNorm1d(2, affine=False).eval()(rows)


class MovedToWhereItIs(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.LSTM(2, 2, batch_first=True))

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = nn.GELU().to(device)(x) + nn.ReLU().to(device=x.device, non_blocking=True)(x)
        self.inner.to(x.device)
        return self.inner.to(x.device, torch.float32)[0](x)


case(A, B)(MovedToWhereItIs)


# ---- tables of layers


class TablesAreReadAfterAWrite(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.register_buffer("scale", torch.ones(2))
        self.last = None

    def forward(self, x):
        self.last = x * 2
        if x.sum() > 0:
            self.last = self.last + 1
        dtype = next(self.parameters()).dtype
        names = [name for name, _ in self.named_parameters()] + [name for name, _ in self.named_buffers()]
        y = self.inner(self.last.to(dtype)) * len(names) + len(list(self.modules()))
        self.last = None
        return y


case(A, B)(TablesAreReadAfterAWrite)


# ---- questions about the process


@functools.lru_cache
def has_package(name):
    return importlib.util.find_spec(name) is not None


@case(A, B)
def packages(x):
    if has_package("numpy") and not has_package("no_such_package"):
        x = x + len(importlib.metadata.version("torch"))
    try:
        importlib.metadata.version("no_such_package")
    except importlib.metadata.PackageNotFoundError:
        x = x * 2
    return x


@case(A, B)
def platform_and_devices(x):
    x = x + torch.cuda.device_count() if torch.cuda.is_available() else x
    if platform.system() == "Linux" and not torch.distributed.is_initialized():
        x = x * 2
    return x


@case(A, B)
def backends_of_torch(x):
    backends = torch.backends
    if backends.mps.is_available() or not backends.mkldnn.is_available():
        return x  # static
    if backends.cudnn.is_available():
        return x + backends.cudnn.version()
    return x * 2 if backends.cudnn.version() is None else x + 1  # static


@case(A, B)
def environment(x):
    if os.environ.get("DYCL_NO_SUCH_VARIABLE", "0") == "0" and "DYCL_NO_SUCH_VARIABLE" not in os.environ:
        x = x + 1
    try:
        return x + len(os.environ["DYCL_NO_SUCH_VARIABLE"])
    except KeyError as error:
        return x * 2 if os.getenv("DYCL_NO_SUCH_VARIABLE") is None else x + len(str(error))


# ---- what autograd adds


class Sparse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim=-1):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, x.sum(dim, keepdim=True))

    @staticmethod
    def backward(ctx, grad):
        return grad, None


sparse = Sparse.apply


class KeepsItsFunction(nn.Module):
    of_class = Sparse.apply

    def __init__(self):
        super().__init__()
        self.function = Sparse.apply

    def forward(self, x):
        here = Sparse.apply
        y = self.function(x) + KeepsItsFunction.of_class(x, 0) + here(x)
        return y + sparse(x) if x.sum() > 0 else self.of_class(y)


case(A, B)(KeepsItsFunction)


class Clamped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low):
        ctx.save_for_backward(x)
        ctx.low = low
        if x.sum() > 0:
            return x.clamp(min=low) + ctx.low
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class WithContext(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2, x.sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, grad, _):
        return grad * 2


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


@case(A, B)
def autograd_functions(x):
    doubled, total = WithContext.apply(x)
    y = doubled.clone()
    z = InPlace.apply(y)
    return Clamped.apply(x, 0.5), doubled + total, y, z is y


@case(A, B)
def checkpoints(x):
    def block(t, scale=1.0):
        return t.relu() * scale if t.sum() > 0 else t - 1

    return checkpoint(block, x, use_reentrant=True) + checkpoint(block, x, scale=2.0, use_reentrant=False)


# ---- numbers of numpy


@case(A, B)
def numbers_of_numpy(x):
    x = x * np.sqrt(2.0) + np.float32(0.1) - np.int64(3)
    y = np.float64(2) * x / np.float32(3)
    return torch.clamp(y, min=np.float32(-1.5), max=np.float64(0.7)), x.reshape(np.int64(2), 1)


# ---- the standard library


@case(v(3.0, 1.0, 2.0), v(1.0, 2.0, 3.0), v(2.0, 3.0, 1.0), v(2.0, 1.0, 3.0), every_path=False)
def heap_of_scores(x):
    heap = []
    for i in range(3):
        heapq.heappush(heap, (x[i].item(), i))
    score, first = heapq.heappop(heap)
    replaced = heapq.heappushpop(heap, (2.5, 9))
    return x[first] + score, replaced[1], heap[0][1]


@case(A, B, every_path=False)
def heaps_that_are_known(x):
    heap = [5, 1, 4]
    heapq.heapify(heap)
    if x.sum() > 0:
        heapq.heapreplace(heap, 7)
    try:
        heapq.heappop([])
    except IndexError as error:
        x = x + len(str(error))
    return x + heap[0] + sum(heapq.nlargest(2, heap)) - sum(heapq.nsmallest(1, heap))


@case(A, B)
def groups(x):
    total = 0
    parts = [(1, x), (1, x + 1 if x.sum() > 0 else x), (2, x * 3)]
    for key, members in itertools.groupby(parts, key=lambda part: part[0]):
        total = total * 10 + sum([part for _, part in members]) * key
    skipped = [key for key, _ in itertools.groupby("aabba")]
    groups = list(itertools.groupby("aab"))
    return total + len(skipped) + len(list(groups[0][1]))


# ---- super() with arguments


class Base:
    def __init__(self, x):
        self.x = x

    def go(self):
        return self.x + 1


class Derived(Base):
    def __init__(self, x):
        super(Derived, self).__init__(x)  # noqa: UP008 - what old code writes

    def go(self):
        return super(Derived, self).go() * 2  # noqa: UP008


@case(A, B)
def super_with_arguments(x):
    return Derived(x).go() if x.sum() > 0 else Base(x).go()


# ---- what the input chooses


class ExpertByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleDict({f"expert_{number}": nn.Linear(2, 2) for number in range(2)})

    def forward(self, x):
        return self.experts[f"expert_{int(x[0])}"](x)


case(v(0.0, 1.0), v(1.0, 2.0), v(5.0, 0.0), may_raise=True)(ExpertByName)


@case(v(-1.0, 0.0), v(0.0, 0.0), v(7.0, 0.0), v(2.0, 0.0))
def a_key_made_of_text_and_a_number(x):
    scales = {"{-1}": 2.0, "{0}": 3.0, "{07}": 5.0, "{+2}": 7.0, "other": 11.0}
    return x + scales.get("{" + str(int(x[0])) + "}", 13.0)


@case(v(0.0, 1.0), v(2.0, 1.0), v(9.0, 1.0), v(-1.0, 1.0), every_path=False)
def a_part_of_a_list(x):
    history = [x, x + 1, x + 2]
    count = int(x[0])
    numbers = [1.0, 2.0, 3.0][count:]
    return (
        torch.stack([x, *history[:2]]).sum(0),
        len(history[:count]),
        torch.tensor(numbers),
        [10, 20, 30][:count],
    )


@case(A, B)
def data_of_a_tensor_of_the_programs_own(x):
    table = torch.arange(2.0).repeat(2)
    for place in range(2):
        table.data[place] = place + 5.0
    rows = torch.zeros(2, 2)
    rows.T[0] = x
    return table.sum() + x, rows


@case(A, B)
def a_hint_for_torchscript(x):
    items = torch.jit.annotate(List[torch.Tensor], [])
    items.append(x)
    return items[0] * 2


@case(v(1.0, 3.0), v(2.0, 0.0))
def numbers_of_the_input_as_a_new_tensor(x):
    first, second = x.long().tolist()
    return x.new_tensor([first, second]) * 2, x.new_tensor(x), x.new_tensor([1, 2], dtype=torch.int64)


@case(A, B)
def a_logger_found_in_forward(x):
    logger = logging.getLogger(__name__)
    if x.sum() > 0:
        logger.info("positive: %s", x.shape)
        return x
    return x * 2


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


class Name(str, enum.Enum):
    LOW = "level_0"
    HIGH = "level_1"


@case(v(0.0, 1.0), v(1.0, 1.0), v(2.0, 1.0), every_path=False)
def members_of_enumerations_as_keys(x):
    number = int(x[0])
    by_number = {Level.LOW: 1.0, Level.HIGH: 2.0, "0": 3.0, None: 4.0, (0,): 5.0}
    by_text = {Name.LOW: 10.0, Name.HIGH: 20.0, 0: 30.0}
    return x + by_number.get(number, 0.0) + by_text.get(f"level_{number}", 0.0)


class Colour(enum.Enum):
    RED = 0


@case(v(0.0, 1.0), v(1.0, 1.0), v(2.0, 1.0), every_path=False)
def members_of_enumerations_beside_numbers(x):
    number = int(x[0])
    y = x + number * Level.HIGH + (number < Level.HIGH) + 10 * (number == Colour.RED)
    if number == Level.HIGH:
        y = y * 2
    if number in (Level.LOW, 7):
        y = y - 1
    if number in {Level.HIGH: "high"}:
        y = y + 3
    match number:
        case Level.LOW:
            return y + 100
        case _:
            return y


# ---- an autograd function that returns its argument: another tensor, the same memory


class Assigned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scratch, value, place):
        ctx.place = place
        scratch.data[place] = value
        return scratch

    @staticmethod
    def backward(ctx, grad):
        return grad, grad[ctx.place], None


@case(A, B)
def an_autograd_function_returns_its_argument(x):
    scratch = torch.zeros(2, 2)
    assigned = Assigned.apply(scratch, x, 0) if x.sum() > 0 else Assigned.apply(scratch, x, 1)
    assigned += 1
    return scratch, assigned, assigned is scratch


# ---- progress bars and hints to other compilers are left out


@case(A, B)
def progress_is_shown(x):
    for number in tqdm(range(2), desc="adding"):
        x = x + number
    with tqdm(total=3) as bar:
        for _ in trange(3):
            x = x * 2 if x.sum() > 0 else x - 1
            bar.update(1)
            bar.set_postfix(a=1)
    torch._dynamo.mark_static_address(x)
    return x, len(tqdm([1, 2]))


# ---- checks, and lists of tensors


@case(A, B, v(0.0, 0.0), v(9.0, 1.0), may_raise=True)
def checks_of_torch(x):
    torch._check_with(ValueError, bool(x.sum() >= 0), lambda: "negative")
    torch._check(x.shape[0] == 2, lambda: f"{x.shape[0]} elements")
    torch._check(bool(x.sum() != 0), "nothing to divide by")
    torch._check_value(bool(x[0] < 9))
    return x / x.sum()


@case(A, B, v(-1.0, 2.0))
def numbers_picked_into_a_tensor(x):
    places = torch.arange(2, dtype=torch.int32) + 5
    return torch.tensor([places[n] for n in range(2) if x[n] > 0])


@case(A, B, v(-1.0, 2.0))
def numbers_picked_into_a_wider_tensor(x):
    return torch.tensor([x[n] for n in range(2) if x[n] > 0], dtype=torch.float64)
