# SPDX-License-Identifier: Apache-2.0
"""dycl.verify where workers compile: it looks into their sub-DNNs, and sees a wrong compiler."""

import json
import os
import subprocess
import sys

import dycl
import pytest
from python.torch.case import v

# Workers read this file when they start: from then on their compiler takes tanh for the logistic function.
MISTAKEN = """
import sys

if sys.orig_argv[-1] == "dycl_tvm":
    from dycl_tvm import convert

    def mistaken(model, right=convert.to_relax):
        for node in model.graph.node:
            node.op_type = "Sigmoid" if node.op_type == "Tanh" else node.op_type
        return right(model)

    convert.to_relax = mistaken
if sys.orig_argv[-1] == "dycl_inductor":
    import torch
    from dycl_inductor import rebuild

    rebuild._OWN["aten::tanh"] = torch.sigmoid
"""
SQUASHED = """
import json, sys
import dycl, torch

def squashed(x):
    doubled = x * 2
    bent = doubled.tanh()
    return bent + 1

x = torch.tensor([0.5, -0.25, 2.0])
program = dycl.compile(squashed, x, backend=sys.argv[1], threads=1)
report = dycl.verify(program, squashed, [x], search=0.0)
print(json.dumps(report.to_dict()))
"""


@pytest.mark.parametrize("backend", ["tvm", pytest.param("aot_inductor", marks=pytest.mark.long)])
def test_a_compiler_that_mistakes_an_operation_is_caught_and_the_operation_named(backend, tmp_path):
    (tmp_path / "mistaken").mkdir()
    (tmp_path / "mistaken" / "sitecustomize.py").write_text(MISTAKEN)
    (tmp_path / "squashed.py").write_text(SQUASHED)
    # A cache of its own: what such a compiler makes must stay here.
    path = os.pathsep.join([str(tmp_path / "mistaken"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, tmp_path / "squashed.py", backend], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert not report["ok"]
    assert [one["status"] for one in report["inputs"]] == ["different"]
    (subnet,) = report["subnets"]
    assert (subnet["names"], subnet["backend"]) == (["s0"], backend)
    assert set(subnet["lines"]) == {f"squashed.py:{line}" for line in (6, 7, 8)}
    assert subnet["problem"].startswith("result 0 of s0 differs from the reference by ")
    assert "first differing operation: tanh at " in subnet["problem"]
    assert "squashed.py:7:" in subnet["problem"]
    assert subnet["problem"] in report["text"]


def halving(x):
    steps = 0
    while x.abs().max() > 1:
        x = x * 0.5
        steps += 1
    return x.relu(), steps


def test_sub_dnns_of_tvm_are_compared_on_every_edge():
    program = dycl.compile(halving, v(3.0, 1.0), backend="tvm", threads=1)
    report = dycl.verify(program, halving, [v(3.0, 1.0)], tolerance=5e-5, search=20.0)
    assert report.ok, report
    assert report.missed == []
    assert report.subnets
    assert all(subnet.calls and subnet.backend == "tvm" for subnet in report.subnets), report
