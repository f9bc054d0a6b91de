# SPDX-License-Identifier: Apache-2.0
"""Sub-DNNs of one program on several backends: by rules, or each on the fastest."""

import json
import subprocess
import sys

import dycl
import pytest
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.again = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        x = self.first(x).relu()
        for _ in range(2):
            if x.sum() > 1.0:
                x = self.again(x).relu()
        return x


INPUTS = [torch.full((2, 6), value) for value in (-2.0, 0.1, 1.0, 4.0)]


def compiled(backend):
    torch.manual_seed(0)
    model = Gated().eval()
    program = dycl.compile(model, (INPUTS[0],), backend=backend, threads=1)
    for x in INPUTS:
        torch.testing.assert_close(program(x), model(x), rtol=1e-5, atol=1e-6)
    return program


def placed(program, folder):
    """Backend of each sub-DNN, and what was measured, as the package tells."""
    program.save(folder / "net.dycl")
    core = dycl.load(folder / "net.dycl")
    assert torch.equal(core(INPUTS[3]), program(INPUTS[3]))
    return core.stats()["backends"].keys()


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ({"s0": "openvino", "*": "onnxruntime"}, {"onnxruntime", "openvino"}),
        ({"s0": "openvino"}, {"onnxruntime", "openvino"}),
        ({"test_placement.py:*": "openvino", "*": "onnxruntime"}, {"openvino"}),
        ({"nothing*": "openvino", "*": "onnxruntime"}, {"onnxruntime"}),
    ],
)
def test_rules_place_sub_dnns(rules, wanted, tmp_path):
    assert placed(compiled(rules), tmp_path) == wanted


def test_auto_takes_the_fastest_and_says_what_it_measured(tmp_path):
    used = placed(compiled("auto:onnxruntime,openvino"), tmp_path)
    assert used <= {"onnxruntime", "openvino"}
    command = [sys.executable, "-m", "dycl", "inspect", str(tmp_path / "net.dycl"), "--json"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (subnet, *_) = json.loads(shown)["subnets"]
    times = subnet["choice"]["nanoseconds"]
    assert times.keys() == {"onnxruntime", "openvino"}
    assert subnet["backend"] == min(times, key=times.get)


def test_auto_leaves_out_a_backend_that_cannot():
    def double(x):
        return x * 2 if x.sum() > 0 else x

    example = torch.ones(3, dtype=torch.float64)
    program = dycl.compile(double, (example,), backend="auto:openvino,onnxruntime", threads=1)
    assert torch.equal(program(example), double(example))
    assert program.stats()["backends"].keys() == {"onnxruntime"}


@pytest.mark.parametrize("backend", ["auto:onnxruntime,nothing", {"s0": "nothing"}, {"s0": ""}])
def test_a_backend_that_is_named_must_exist(backend):
    with pytest.raises(dycl.Error, match=r"nothing|is not a backend"):
        dycl.compile(Gated().eval(), (INPUTS[0],), backend=backend)


def test_what_one_backend_lacks_another_computes():
    """The refusal names the call inside the sub-DNN, and rules that work."""

    def best(x):
        likely = x.softmax(-1)
        values, places = torch.topk(likely, 2)
        return values if places[0] == 1 else -values

    examples = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 3.0, 2.0])
    with pytest.raises(dycl.BackendError, match="openvino computes f64 as f32") as caught:
        dycl.compile(best, examples[:1], backend="openvino", threads=1)
    assert caught.value.line == best.__code__.co_firstlineno + 2
    rules = json.loads(caught.value.hint.partition("backend=")[2])
    program = dycl.compile(best, examples[:1], backend=rules, threads=1)
    for x in examples:
        torch.testing.assert_close(program(x), best(x))
