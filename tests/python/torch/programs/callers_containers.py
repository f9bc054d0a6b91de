# SPDX-License-Identifier: Apache-2.0
"""Writes to lists, dicts and objects that the caller passes: the caller finds them there."""

from collections import OrderedDict
from dataclasses import dataclass, field

import torch
from python.torch.case import call, case, v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


@case(call({"x": A, "kind": "a"}), call({"x": B, "kind": "a"}))
def a_new_key(features):
    x = features["x"]
    if x.sum() > 0:
        features["pooled"] = x.mean()
    return features


@case(call({"x": A}), call({"x": B}))
def a_key_that_goes_and_comes_back(features):
    x = features.pop("x")
    features["n"] = 3
    if x.sum() > 0:
        features["x"] = x
    return x * 2


@case(call({"x": A, "y": B}), call({"x": B, "y": B}))
def two_keys_change_places(d):
    if d["x"].sum() > 0:
        d["x"], d["y"] = d["y"], d["x"]
    return d["x"] + 1, d is d


@case(call(A, []), call(B, []), call(v(1.0, -1.0), []), call(v(-1.0, 1.0), []))
def an_empty_list_is_filled(x, out):
    for i in range(2):
        if x[i] > 0:
            out.append(x)
        else:
            out.append(0)
    return len(out)


@case(call(v(3.0), []), call(v(0.5), []))
def a_list_of_a_length_that_the_input_decides(x, out):
    while x > 1:
        out.append(x.clone())
        x = x * 0.5
    return x


@case(call([A, B]), call([B, A]))
def items_of_a_list(xs):
    if xs[0].sum() > 0:
        xs[1] = xs[0]
        xs.append(xs[0] * 2)
    else:
        del xs[1]
    return xs[0].sum()


@case(call({"deep": [{"x": A}]}), call({"deep": [{"x": B}]}))
def a_dict_in_a_list_in_a_dict(d):
    inner = d["deep"][0]
    if inner["x"].sum() > 0:
        inner["y"] = inner["x"] + 1
        d["deep"].append({})
    return d["deep"]


@dataclass
class Box:
    x: torch.Tensor
    seen: int = 0
    others: list = field(default_factory=list)


@case(call(Box(A)), call(Box(B)))
def attributes_of_an_object(box):
    if box.x.sum() > 0:
        box.seen += 1
        box.x = box.x * 2
        box.others.append(box.x)
    else:
        box.late = "set"
    return box.x.sum()


@case(call(OrderedDict(x=A, y=B)), call(OrderedDict(x=B, y=B)))
def the_order_of_keys(d):
    if d["x"].sum() > 0:
        d.move_to_end("x")
    d["z"] = d["x"] + d["y"]
    return list(d)


@case(call({"x": A}), call({"x": B}))
def a_tensor_that_is_written_in_place(d):
    y = d["x"]
    if y.sum() > 0:
        y += 1
    d["same"] = d["x"]
    return y * 2


@case(call({"x": A}), call({"x": B}))
def changed_and_changed_back(d):
    d["y"] = d["x"] * 2
    total = sum(d.values())
    del d["y"]
    return total if d["x"].sum() > 0 else -total


@case(call({"x": A}), call({"x": B}))
def a_list_that_the_model_makes(d):
    made = [d["x"], 1]
    d["made"] = made
    if d["x"].sum() > 0:
        made.append(d["x"] + 1)
    return made


@case(call(A, {"x": B}), call(B, {"x": B}))
def an_early_return_behind_a_write(x, d):
    if x.sum() > 0:
        d["early"] = x
        return d
    d.clear()
    return x
