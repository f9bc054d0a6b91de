# SPDX-License-Identifier: Apache-2.0
"""Calls of torch that published models make: numbers given as tensors, assertions, sizes put together."""

import collections
import enum

import numpy as np
import torch
from python.torch.case import case, m, s, v
from torch import nn

# ---- tensors where torch takes numbers


@case(*[(s(n), v(1.0, 2.0)) for n in (3, 0, 1, 7)], unreachable=1)  # n + 1 sizes are below 0 only where n are
def sizes_given_as_tensors(n, x):
    return torch.zeros(n), torch.ones(n + 1, 2), torch.arange(n), torch.full((n, 2), 0.5), x.new_zeros(n)


@case(*[(s(n), m([1.0, 2.0, 3.0, 4.0])) for n in (2, 1, 4, 3, 0, -1)], may_raise=True, every_path=False)
def shapes_given_as_tensors(n, x):
    return x.view(n, -1), x.reshape(-1, n), x.expand(n, 4), x.repeat(n, 1)


@case(*[(s(n), v(1.0, 2.0, 3.0)) for n in (2.0, 0.5, -1.0)])
def numbers_given_as_tensors(n, x):
    return torch.add(x, x, alpha=n), torch.clamp(x, max=n), x.masked_fill(x > 2, n), torch.full_like(x, n)


@case(*[(s(n), v(1.0, 2.0, 3.0)) for n in (2, 0, 1)])
def rows_given_as_tensors(n, x):
    return x.narrow(0, n, 1), x.select(0, n)


@case(*[(s(n), v(a, 2.0, 3.0)) for n, a in ((2, 1.0), (-5, 1.0), (2, -9.0))], may_raise=True)
def a_size_below_zero(n, x):
    return torch.zeros(n) if x.sum() > 0 else x


# ---- assertions


@case(v(1.0, 2.0), v(-1.0, 0.0), v(0.0, -1.0), may_raise=True)
def assertions_of_torch(x):
    torch._assert(x.sum() > 0, f"{x.shape[0]} numbers below 0")
    torch._assert(x.shape[0] == 2, "two")
    return x * 2


# ---- settings


@case(v(1.0, 2.0))
def deterministic_algorithms_are_asked_for(x):
    return x + 1, torch.are_deterministic_algorithms_enabled()


# ---- sizes put together


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def a_size_stays_a_size(x):
    y = x[x > 0]
    whole = y.shape + (2,)
    assert isinstance(whole, torch.Size)
    assert isinstance(whole[:1], torch.Size)
    return whole, (3,) + y.shape, y.shape * 2, whole[1:], whole.numel(), torch.Size([y.shape[0], 4])


@case(v(1.0, 2.0), v(-1.0, -2.0), may_raise=True)
def a_size_takes_whole_numbers(x):
    y = x[x > 0]
    if y.shape[0] > 0:
        return y.shape + ("a",)
    return y.shape + (1,)


# ---- memory of a size that the input decides


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def sums_behind_a_zero(x):
    y = x[x > 0]
    out = y.new_empty(y.size()[:0] + (y.size(0) + 1,))
    out.narrow(0, 0, 1).zero_()
    torch.cumsum(y, dim=0, out=out.narrow(0, 1, y.size(0)))
    return out


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def slices_that_are_written(x):
    y = x[x > 0]
    out = y.new_zeros(y.size(0) + 2)
    first, rest = out[:1], out[1:]
    rest.fill_(3)
    first.fill_(4)
    out.add_(1)
    return out, first, rest, first + 1


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def columns_that_are_written(x):
    y = x[x > 0]
    out = torch.zeros(y.size(0), 3)
    out[:, 1:].copy_(y[:, None].expand(-1, 2))
    return out


# ---- matrices and vectors: a backend lost the transposition


@case(m([1.0, 2.0], [3.0, 4.0]), m([-1.0, 0.5], [2.0, 7.0]))
def a_transposed_matrix_by_a_vector(x):
    y = x[0]
    return x.T @ y, torch.mv(x.t(), y), y @ x.T, torch.addmv(y, x.t(), y), (x.T * 2) @ y, y @ y


@case(m([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]), m([-1.0, 0.5], [2.0, 7.0], [0.0, 1.0]))
def transposed_matrices_by_a_vector(x):
    batch = torch.stack([x, x + 1])
    return batch.transpose(1, 2) @ x[:, 0], x.T.double() @ x[:, 0].double()


# ---- masks


@case(v(1.0, 2.0, 3.0), v(3.0, 2.0, 1.0), v(-1.0, -2.0, -3.0), v(0.0, 0.0, 0.0))
def elements_of_a_mask_are_written(x):
    mask = x > 1
    mask[torch.argmax(x)] = False
    other = torch.nonzero(x).flatten() > 0
    other[:1] = True
    return mask, other, x[mask]


@case(v(1.0, 2.0, 2.0), v(3.0, 2.0, 1.0), v(-1.0, -2.0, -3.0))
def the_diagonal_is_filled(x):
    same = x[:, None] == x[None]
    numbers = same.float()
    return same.fill_diagonal_(False), numbers.fill_diagonal_(0.5), numbers[:2].fill_diagonal_(7)


@case(v(1.0, 2.0, 2.0), v(3.0, 2.0, 1.0), v(-1.0, -2.0, -3.0))
def the_first_place_found(x):
    places = (x == 2).nonzero()
    return x if len(places) == 0 else x + places[0].item()


@case(torch.ones(2, 4), torch.zeros(2, 4))
def a_known_tensor_as_a_size(x):
    return x.view(x.size(0), torch.div(x.size(1), 2, rounding_mode="trunc"), 2)


# ---- kinds


class Mode(str, enum.Enum):
    """As packages write it, for Pythons without StrEnum."""

    CONSTANT = "constant"
    GAUSSIAN = "gaussian"

    def __str__(self):
        return self.value


@case(v(1.0, 2.0))
def members_that_are_texts(x):
    mode = Mode("constant")
    assert mode == Mode.CONSTANT
    assert mode != Mode.GAUSSIAN
    assert mode < Mode.GAUSSIAN
    return x, mode == "constant"


@case(v(1.0, 2.0), v(-1.0, 2.0))
def old_names_of_tensor_types(x):
    kinds = [isinstance(x, kind) for kind in (torch.FloatTensor, torch.LongTensor, torch.cuda.FloatTensor)]
    is_whole = isinstance(x.long(), (int, torch.IntTensor, torch.LongTensor))
    return kinds, is_whole, isinstance(3, torch.IntTensor)


@case(v(1.0, 2.0), v(-1.0, 2.0))
def the_only_element_of_a_set(x):
    found = {isinstance(item, torch.Tensor) for item in (x, x + 1)}
    answer = found.pop()
    return x, answer, len(found)


# ---- written in other ways than torch has them


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def halves_of_a_size_that_the_input_decides(x):
    y = x[x > 0]
    first, second = torch.chunk(torch.cat([y, y + 1]), 2, dim=0)
    return first, second, torch.stack([y, y]).chunk(2, -2)[1]


@case(*[v(*row) for row in ([1.0, -1.0, 2.0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0])])
def a_column_of_a_size_that_the_input_decides(x):
    y = torch.stack([x[x > 0]] * 3, 1)
    y[..., -1] += 1
    column = y[:, 0]
    column *= 2
    y += 1
    return y, column


@case(v(1.0, 2.0, 0.0), v(-1.0, 1e-45, float("inf")), v(3.4e38, -0.0, 1e-38))
def neighbours(x):
    up, down = torch.nextafter(x, x + 1), torch.nextafter(x, torch.zeros_like(x))
    return up, down, torch.nextafter(x.double(), x.double() - 1), up == x


@case(v(1.0, 2.0), v(-1.0, 2.0))
def as_tensor_of_a_tensor(x):
    same = torch.as_tensor(x)
    return torch.as_tensor(x > 0, dtype=torch.float32), same is x, torch.as_tensor(x, device=x.device) + 1


@case(v(1.0, 2.0), v(-1.0, 2.0))
def it_has_that_size_already(x):
    y = torch.zeros(2)
    return y.resize_as_(x).copy_(x), y


@case(torch.arange(6.0), -torch.arange(6.0))
def bounds_of_numpy(x):
    return x[np.int64(1) : np.int64(3)], x[(slice(np.int32(0), np.int64(2)),)]


# ---- texts


class Experts(nn.ModuleDict):
    def forward(self, x):
        for place in torch.nonzero(x > 0):
            x = self[f"expert_{place[0]}"](x)
        return self[f"expert_{x.argmax()}"](x)


@case(v(1.0, 2.0), v(-1.0, -2.0), v(1.0, -2.0), v(-1.0, 2.0), unreachable=2)
class ExpertsByName(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.experts = Experts({f"expert_{n}": nn.Linear(2, 2) for n in range(2)})

    def forward(self, x):
        return self.experts(x)


@case(v(1.0, 2.0), v(-1.0, 0.5), may_raise=True)
def a_number_of_a_tensor_in_a_message(x):
    if x.sum() < 0:
        raise ValueError(f"{x.sum()} is {x.sum():.2f}")
    return x


class Makers(collections.OrderedDict):
    def __getitem__(self, key):
        made = super().__getitem__(key)
        return made() if super().__contains__(key) else None


MAKERS = Makers(relu=nn.ReLU, tanh=nn.Tanh)


@case(v(1.0, 2.0), v(-1.0, 0.5))
def a_dict_that_makes_what_it_holds(x):
    return MAKERS["relu"](x), MAKERS["tanh"](x)


# ---- layers that write to what they are given, and functions of TorchScript


@torch.jit.script
def scripted(x, y):
    z = torch.addcmul(x, x, y)
    return z.mul_(y)


@case(v(1.0, 2.0), v(-1.0, 0.5))
def a_scripted_function_of_tensors(x):
    return scripted(x, x + 1) if x.sum() > 0 else scripted(x + 1, x)


@case(v(1.0, 2.0), v(-1.0, 0.5))
class InPlaceOnWhatIsKnown(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))

    def forward(self, x):
        known = torch.zeros(2) - 1
        return x + self.layers(torch.ones(2)), nn.ReLU(inplace=True)(known), known
