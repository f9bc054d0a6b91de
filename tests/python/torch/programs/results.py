# SPDX-License-Identifier: Apache-2.0
"""Results and inputs of every structure, allowed to differ per path; keyword and optional inputs."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from python.torch.case import call, case, s, v
from torch import nn

A, B = v(1.0, 2.0), v(-1.0, -2.0)


@dataclass
class Output:
    logits: torch.Tensor
    hidden: list[torch.Tensor] = field(default_factory=list)
    exit_layer: int = -1
    note: str | None = None


class Scores(NamedTuple):
    best: Any
    rest: Any = ()


@case(A, B)
def a_tuple(x):
    return (x, x * 2) if x.sum() > 0 else (x, x + 1)


@case(A, B)
def a_list(x):
    return [x] if x.sum() > 0 else [x, x + 1]


@case(A, B)
def a_dict(x):
    return {"y": x, "n": 1} if x.sum() > 0 else {"n": 2, "y": -x}


@case(A, B)
def a_dataclass(x):
    if x.sum() > 0:
        return Output(x, [x, x * 2], 1, "early")
    return Output(logits=x)


@case(A, B)
def a_named_tuple(x):
    return Scores(x, (1, 2)) if x.sum() > 0 else Scores(best=x)


@case(A, B)
def none_or_a_tensor(x):
    return x if x.sum() > 0 else None


@case(A, B)
def strings_ints_floats_bools(x):
    if x.sum() > 0:
        return "up", 1, 2.5, True, None, x
    return "down", -1, float("inf"), False, None, x


@case(A, B)
def another_kind_per_path(x):
    if x.sum() > 0:
        return x
    return {"error": "negative", "code": 3}


@case(A, B)
def a_number_or_a_tensor(x):
    return 0 if x.sum() > 0 else x


@case(A, B)
def int_or_float(x):
    return 1 if x.sum() > 0 else 2.0


@case(A, B)
def deeply_nested(x):
    inner = {"a": [x, (x * 2, {"b": None})], "c": ()}
    if x.sum() > 0:
        inner["a"].append([])
    return [inner, (inner["c"], {})]


@case(A, B)
def computed_numbers(x):
    n = int(x.sum())
    return {"n": n, "half": n / 2, "big": n > 2, "x": x, "list": [n, n + 1]}


@case(A, B)
def shape_and_dtype_of_a_path(x):
    y = x if x.sum() > 0 else x[:1]
    return y.shape[0], y.numel(), list(y.shape), y.dim(), y


@case(A, B)
def the_input_itself(x):
    return x if x.sum() > 0 else (x, x)


@case(A, B)
def a_constant_tensor(x):
    return torch.tensor([1, 2, 3]) if x.sum() > 0 else torch.zeros(2, 2)


@case(A, B)
def views_of_the_input(x):
    return x[:1], x.view(2, 1), x.t() if x.sum() > 0 else x.expand(3, 2)


@case(A, B)
def empty_results(x):
    return () if x.sum() > 0 else []


@case(A, B)
def tensors_of_many_dtypes(x):
    kinds = [torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8, torch.bool]
    y = x.abs()
    return [y.to(kind) for kind in kinds] if x.sum() > 0 else [y.to(torch.int8), y.to(torch.int16)]


@case(A, B)
def empty_tensors(x):
    e = x[:0]
    return (e, e.sum(), torch.cat([e, x])) if x.sum() > 0 else (e.numel(), e.any(), e.all())


@case((A, B), (B, A))
def two_inputs(x, y):
    return x * 2 if x.sum() > y.sum() else y


@case(({"a": A, "b": [B, A.clone()]},), ({"a": B, "b": [A, A.clone()]},))
def dict_input(batch):
    if batch["a"].sum() > 0:
        return batch["b"][0]
    return batch["b"][1] + batch["a"]


@case(([A, B],), ([B, A],))
def list_input(items):
    total = 0
    for t in items:
        total = total + t
    return total if items[0].sum() > 0 else items[1]


@case(((A, (B, 3)),), ((B, (A, 3)),))
def nested_tuple_input(data):
    a, (b, n) = data
    return a * n if a.sum() > 0 else b


@case((Output(A, [B], 4),), (Output(B, [A], 4),))
def dataclass_input(output):
    if output.logits.sum() > 0:
        return output.hidden[0] * output.exit_layer
    return output.logits


@case((Scores(A, B),), (Scores(B, A),))
def named_tuple_input(scores):
    return scores.best if scores.best.sum() > 0 else scores.rest * 2


@case(call(A, y=B), call(B, y=A))
def keyword_input(x, *, y):
    return x + y * 2 if x.sum() > 0 else y


@case(call(A), call(B))
def optional_input_left_out(x, mask=None):
    if mask is not None:
        x = x * mask  # static
    return x if x.sum() > 0 else -x


@case(call(A, A.clone()), call(B, A))
def optional_input_given(x, mask=None):
    if mask is not None:
        x = x * mask
    return x if x[0] > 0 else x * 3


@case(call(A, v(0.0, 1.0)), call(A, v(1.0, 0.0)))
def optional_input_decides(x, mask=None):
    if mask is None:
        return x  # static
    return x * mask if mask[0] > 0 else x


@case((A, "fast", 2), (B, "fast", 2))
def static_inputs(x, mode, n):
    if mode == "fast" and x.sum() > 0:
        return x * n
    return x, mode


@case(call(A, flag=True, scale=0.5), call(B, flag=True, scale=0.5))
def static_keyword_inputs(x, flag=False, scale=1.0):
    return x * scale if flag and x.sum() > 0 else x


@case((A, B), (B, B))
def star_inputs(*tensors):
    return sum(t.sum() for t in tensors) if tensors[0].sum() > 0 else len(tensors)


@case(call(a=A, b=B), call(a=B, b=A))
def double_star_inputs(**tensors):
    names = sorted(tensors)
    return names if tensors["a"].sum() > 0 else tensors["b"]


@case((s(3.0), v(1, 2)), (s(-3.0), v(1, 2)))
def inputs_of_several_dtypes(x, k):
    return k * x if x > 0 else k


@case((A, True), (B, True))
def same_tensor_given_twice(x, flag):
    pair = (x, x)
    return pair[0] is pair[1] if x.sum() > 0 else pair


@case(call(A, B), call(B, A))
class ForwardWithOptionals(nn.Module):
    def forward(self, x, past=None, *, use_cache=True, scale: float = 2.0):
        h = x * scale
        if past is not None:
            h = torch.cat([past, h])
        if h.sum() > 0:
            return (h, h) if use_cache else (h,)
        return {"h": h, "past": past}


class Odd:
    """Neither dataclass nor tuple."""

    def __eq__(self, other):
        return type(other) is Odd and torch.equal(self.x, other.x)

    __hash__ = None


@case(v(1.0, 2.0), v(-1.0, -2.0))
def a_plain_object(x):
    odd = Odd()
    odd.x = x * 2
    if x.sum() > 0:
        return odd
    return x


@case(call(v(1.0)), call(v(-1.0)))
def optional_keywords_left_out(x, *more, scale=2.0, **extra):
    if x > 0:
        x = x * scale
    return x, len(more), sorted(extra)


@case(call(v(1.0), v(2.0), late=v(3.0)), call(v(-1.0), v(2.0), late=v(3.0)))
def optional_keywords_given(x, *more, scale=2.0, **extra):
    if x > 0:
        x = x * scale + more[0]
    return x, extra


@case(v(1.0, 2.0), v(-1.0, -2.0))
def autocast_to_bfloat16(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.nn.functional.linear(x, torch.ones(3, 2))
    kind = "low" if y.dtype == torch.bfloat16 else "full"
    return (y.float() + 1, kind) if y.float().sum() > 0 else (y.float(), kind)
