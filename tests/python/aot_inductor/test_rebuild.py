# SPDX-License-Identifier: Apache-2.0
"""A sub-DNN rebuilt from its payload computes what the fragments say, before any compiler sees it."""

import pytest
import torch
from dycl_inductor.rebuild import Subnet, parse_type
from dycl_worker import Failed


def payload_of(node, inputs, types, **changes):
    names = [f"i{n}" for n in range(inputs)]
    fragment = {
        "inputs": [f"x{n}" for n in range(inputs)],
        "nodes": [{"name": "v0", "kwargs": {}, **node}],
        "outputs": [{"value": "v0"}],
    }
    return {
        "inputs": names, "weights": [], "outputs": ["r"], "constants": {}, "outside": [], "types": types,
        "fragments": [fragment], "calls": [{"fragment": 0, "in": names, "out": ["r"]}], **changes,
    }  # fmt: skip


def test_types_are_read_with_their_open_sizes():
    assert parse_type("f32[1,s0]") == (torch.float32, [1, "s0"])
    assert parse_type("i64[]") == (torch.int64, [])
    with pytest.raises(Failed, match="no tensors of str"):
        parse_type("str[2]")


def test_operators_and_literals_are_called_as_written():
    node = {"op": "aten::add.Tensor", "args": [{"value": "x0"}, {"value": "x1"}], "kwargs": {"alpha": 3}}
    (given,) = Subnet(payload_of(node, 2, []))(torch.ones(2), torch.ones(2))
    assert given.tolist() == [4, 4]
    node = {"op": "aten::full", "args": [[2], {"float": (0.5).hex()}], "kwargs": {"dtype": {"dtype": "f64"}}}
    (given,) = Subnet(payload_of(node, 0, []))()
    assert (given.dtype, given.tolist()) == (torch.float64, [0.5, 0.5])


def test_a_tensor_that_was_a_size_becomes_a_number():
    node = {"op": "aten::slice.Tensor", "args": [{"value": "x0"}, 0, 0, {"value": "x1"}]}
    (given,) = Subnet(payload_of(node, 2, []))(torch.arange(5), torch.tensor(2))
    assert given.tolist() == [0, 1]


def test_a_constant_that_decides_a_size_must_be_inside():
    node = {"op": "aten::slice.Tensor", "args": [{"value": "x0"}, 0, 0, {"value": "x1"}]}
    payload = payload_of(node, 2, [], constants={"c0": {"type": "i64[]"}}, outside=["c0"])
    payload["inputs"] = ["i0"]
    payload["calls"][0]["in"] = ["i0", "c0"]
    with pytest.raises(Failed) as failed:
        Subnet(payload)
    assert failed.value.told["code"] == "aot_inductor.number_outside"
    inside = {**payload, "outside": [], "constants": {"c0": {"type": "i64[]", "hex": "0200000000000000"}}}
    (given,) = Subnet(inside)(torch.arange(5))
    assert given.tolist() == [0, 1]


def test_narrow_reads_no_tensor():
    node = {"op": "aten::narrow.Tensor", "args": [{"value": "x0"}, 0, {"value": "x1"}, 2]}
    (given,) = Subnet(payload_of(node, 2, []))(torch.arange(5), torch.tensor(3))
    assert given.tolist() == [3, 4]


@pytest.mark.parametrize("name", ["floor_divide", "div.Tensor_mode", "remainder.Tensor", "fmod.Tensor"])
def test_the_most_negative_integer_divided_by_minus_one_ends_nothing(name):
    options = {"rounding_mode": "trunc"} if "mode" in name else {}
    node = {"op": f"aten::{name}", "args": [{"value": "x0"}, {"value": "x1"}], "kwargs": options}
    least = torch.iinfo(torch.int64).min
    (given,) = Subnet(payload_of(node, 2, []))(torch.tensor([least, 7, -7]), torch.tensor([-1, -1, 2]))
    eager = getattr(torch, name.split(".")[0])(torch.tensor([7, -7]), torch.tensor([-1, 2]), **options)
    assert given[1:].tolist() == eager.tolist()
    assert given[0].item() == (least if "div" in name else 0)


def test_results_never_lie_in_the_inputs_memory_by_name():
    node = {"op": "aten::relu", "args": [{"value": "x0"}]}
    x = torch.ones(2)
    (given,) = Subnet(payload_of(node, 1, [], outputs=["i0"]))(x)
    assert given.data_ptr() != x.data_ptr()


def test_what_only_unneeded_results_depend_on_is_not_computed():
    payload = payload_of({"op": "aten::relu", "args": [{"value": "x0"}]}, 2, [])
    payload["inputs"] = ["i0"]
    payload["fragments"][0]["nodes"].append(
        {"name": "v1", "op": "aten::neg", "args": [{"value": "x1"}], "kwargs": {}}
    )
    payload["fragments"][0]["outputs"].append({"value": "v1"})
    payload["calls"] = [{"fragment": 0, "in": ["i0", None], "out": ["r", "s"]}]
    (given,) = Subnet(payload)(torch.tensor([-1.0, 2.0]))
    assert given.tolist() == [0, 2]
    payload["outputs"] = ["s"]
    with pytest.raises(Failed, match="needs a value that its ONNX form does without"):
        Subnet(payload)(torch.ones(2))


def test_operators_of_other_libraries_are_refused_by_name():
    node = {"op": "torchvision::nms", "args": [{"value": "x0"}]}
    with pytest.raises(Failed, match="torchvision::nms"):
        Subnet(payload_of(node, 1, []))(torch.ones(1))
