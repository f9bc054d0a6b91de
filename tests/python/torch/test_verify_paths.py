# SPDX-License-Identifier: Apache-2.0
"""dycl.verify beyond the given inputs: what is searched, forced and compared inside, and what is kept."""

import hashlib
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import dycl
import pytest
import torch
from python.torch.case import v
from torch import nn


def gated(x):
    if x.sum() > 0:
        return x * 2.5
    if x[0] > 1:
        raise ValueError("as it is")
    if (x * x).sum() < -1:
        return x.exp() + 3
    return x - 1


def counting(x):
    steps = 0
    while x.sum() > 1:
        x = x * 0.5
        steps = steps + 1
    if steps > 1000:
        return x.tanh()
    return x + steps


def shaken(x):
    doubled = x * 2
    shares = doubled.softmax(0)
    return shares.flip(0) if x.sum() > 100 else shares.flip(0) + 1


def plain(x):
    return (x * 3 + 1).relu()


def chosen(x):
    double, more = x * 2, x + 1
    return (double if x.sum() > 0 else more).relu()


class Filling(nn.Module):
    """What it does depends on the calls before."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        self.total += x.abs().mean()
        if self.total > 4:
            return x.tanh() * 2.5
        return x + 1


POSITIVE, NEGATIVE, RAISING = v(1.0, 2.0), v(-1.0, -2.0), v(2.0, -4.0)


def line_of(model, offset):
    return f"{Path(__file__).name}:{model.__code__.co_firstlineno + offset}"


@pytest.fixture(scope="module")
def program():
    return dycl.compile(gated, POSITIVE)


def test_inputs_are_found_for_edges_that_the_given_ones_leave(program):
    report = dycl.verify(program, gated, [NEGATIVE], search=8.0)
    assert report.ok, report
    assert sorted(report.ways.values()) == ["forced", *["found"] * 2, *["given"] * 3]
    assert [entry.found for entry in report.inputs] == [False, True, True]
    assert "on 1 inputs and 2 found, against eager" in str(report)
    assert "5 of 6 edges taken: 3 given, 2 found, 1 forced" in str(report)


def test_the_search_is_the_same_for_a_seed_and_may_be_left_out(program):
    first, second = (dycl.verify(program, gated, [NEGATIVE], search=8.0, seed=7) for _ in range(2))
    assert str(first) == str(second)
    alone = dycl.verify(program, gated, [NEGATIVE], search=0.0)
    assert (len(alone.inputs), len(alone.missed)) == (1, 3)
    assert set(alone.ways.values()) == {"given", "forced"}
    assert dycl.verify(program, gated, [NEGATIVE], search=None).subnets == []


def test_what_no_input_reaches_is_forced_marked_and_compared(program):
    report = dycl.verify(program, gated, [POSITIVE, NEGATIVE, RAISING], search=0.2)
    assert report.ok, report
    assert len(report.missed) == 1
    (behind,) = [subnet for subnet in report.subnets if line_of(gated, 6) in subnet.lines]
    assert (behind.calls, behind.forced) == (1, 1)
    assert all(subnet.calls and not subnet.forced for subnet in report.subnets if subnet is not behind)
    table = [row.split() for row in str(report).splitlines() if row.startswith("        s")]
    assert table[0] == ["sub-DNN", "backend", "calls", "forced", "max", "error", "lines"]
    (row,) = [row for row in table if row[-1] == line_of(gated, 6)]
    assert row[1:4] == ["onnxruntime", "1", "1"]


def test_loops_behind_forced_decisions_end():
    report = dycl.verify(dycl.compile(counting, POSITIVE), counting, [POSITIVE], search=0.0)
    assert report.ok, report
    assert set(report.ways.values()) == {"given", "forced"}
    assert any(subnet.forced for subnet in report.subnets)


def test_a_program_without_branches_is_looked_into_too():
    report = dycl.verify(dycl.compile(plain, POSITIVE), plain, [POSITIVE, NEGATIVE], search=1.0)
    assert report.ok, report
    assert [subnet.calls for subnet in report.subnets] == [1]
    assert report.decisions == {"equal": 0, "undecided": 0}


def test_edges_that_lead_to_one_block_count_apart():
    program = dycl.compile(chosen, POSITIVE)
    parallel = [edge for edge in program.edges if [other[:2] for other in program.edges].count(edge[:2]) == 2]
    assert [edge[2] for edge in parallel] == [0, 1]
    assert [program.outcomes[edge][3] for edge in parallel] == ["True", "False"]
    alone = dycl.verify(program, chosen, [POSITIVE], search=0.0)
    assert [alone.ways[edge] for edge in parallel] == ["given", "forced"]
    assert [alone.edges[edge] for edge in parallel] == [1, 0]
    assert f"{line_of(chosen, 2)} `return (double if x.sum() > 0 else more).relu()`: False never" in str(
        alone
    )
    assert dycl.verify(program, chosen, [POSITIVE, NEGATIVE], search=0.0).missed == []


def test_a_program_with_state_is_searched_in_sequences_of_calls():
    model = Filling().eval()
    program = dycl.compile(model, POSITIVE, state=True)
    program(NEGATIVE * 2)  # verification begins anew
    report = dycl.verify(program, model, [POSITIVE, NEGATIVE], search=60.0)
    assert report.ok, report
    assert report.missed == []
    assert [entry.follows for entry in report.inputs[:2]] == [0, 1]
    assert all(subnet.calls and not subnet.forced for subnet in report.subnets), report
    assert float(model.total) == 0
    torch.testing.assert_close(program(POSITIVE), POSITIVE + 1)
    with_more = dycl.verify(program, model, [POSITIVE, NEGATIVE, POSITIVE], search=0.0)
    assert with_more.ok, with_more
    assert "True never taken" not in str(with_more)


def test_a_program_that_forgets_its_state_differs():
    class Adding(Filling):
        def forward(self, x):
            self.total += 1
            return x + self.total

    class Keeping(Filling):
        def forward(self, x):
            self.total += 1
            return x + 1 + self.total * 0

    program = dycl.compile(Adding().eval(), POSITIVE, state=True)
    report = dycl.verify(program, Keeping().eval(), [POSITIVE, POSITIVE], search=None)
    assert [entry.status for entry in report.inputs] == ["equal", "different"]


def test_what_is_written_into_arguments_is_compared():
    def halved(x):
        x *= 0.5
        return x.sum()

    def left(x):
        return (x * 0.5).sum()

    program = dycl.compile(halved, POSITIVE.clone())
    assert dycl.verify(program, halved, [POSITIVE], search=None).ok
    report = dycl.verify(program, left, [POSITIVE], search=None)
    assert "after the call, args[0]: is [0.5, 1.0], should be [1.0, 2.0]" in str(report)
    assert not report.ok


def tampered(folder, program):
    """The program from a package in which one constant, 2.5, is another number in the sub-DNN's graph."""
    program.save(folder / "right.dycl")
    with zipfile.ZipFile(folder / "right.dycl") as package:
        package.extractall(folder / "wrong")
    manifest = json.loads((folder / "wrong" / "manifest.json").read_text())
    changed = 0
    for name, entry in manifest["entries"].items():
        path = folder / "wrong" / name
        right, wrong = struct.pack("<f", 2.5), struct.pack("<f", 2.75)
        if name.endswith("graph.onnx") and right in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(right, wrong))
            entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            changed += 1
    (folder / "wrong" / "manifest.json").write_text(json.dumps(manifest))
    assert changed == 1
    return dycl.load(folder / "wrong")


def test_a_wrong_constant_is_named_with_its_sub_dnn_operation_and_line(program, tmp_path):
    report = dycl.verify(tampered(tmp_path, program), gated, [POSITIVE], search=0.0)
    assert not report.ok
    (wrong,) = [subnet for subnet in report.subnets if subnet.problem]
    assert wrong.lines == [line_of(gated, 2)]
    assert wrong.problem.startswith(f"result 0 of {wrong.names[0]} differs from the reference by ")
    assert f"first operation that is not as in the program's graph: Mul at {__file__}" in wrong.problem
    assert f":{gated.__code__.co_firstlineno + 2}:" in wrong.problem
    assert wrong.problem in str(report)
    with pytest.raises(dycl.PathMismatch, match="is not as in the program's graph"):
        report.check()


def test_the_first_operation_that_a_backend_computes_otherwise_is_named():
    values = torch.linspace(-3, 3, 101)
    program = dycl.compile(shaken, values, backend="openvino")
    report = dycl.verify(program, shaken, [values], tolerance=1e-12, search=0.0)
    problems = [subnet.problem for subnet in report.subnets if subnet.problem]
    assert problems, report
    assert "first differing operation: softmax" in problems[0]
    assert f":{shaken.__code__.co_firstlineno + 2}:" in problems[0]


def test_a_report_is_kept_in_the_package_and_shown_by_the_native_binary(program, command, tmp_path):
    report = dycl.verify(program, gated, [POSITIVE, NEGATIVE], search=0.0)
    program.save(tmp_path / "net.dycl", report)
    shown = command("inspect", tmp_path / "net.dycl", "--verification")
    assert (shown.returncode, shown.stdout) == (0, f"{report}\n"), shown.stderr
    data = json.loads(command("inspect", tmp_path / "net.dycl", "--verification", "--json").stdout)
    assert (data["ok"], data["version"], data["text"]) == (True, 1, str(report))
    assert [edge["by"] for edge in data["edges"]] == list(report.ways.values())
    dycl.load(tmp_path / "net.dycl").save(tmp_path / "again.dycl")
    assert (tmp_path / "again.dycl").read_bytes() == (tmp_path / "net.dycl").read_bytes()


def test_a_package_without_a_report_says_so(program, command, tmp_path):
    program.save(tmp_path / "net.dycl")
    shown = command("inspect", tmp_path / "net.dycl", "--verification")
    assert shown.returncode == 2
    assert "this package keeps no verification report" in shown.stderr


def test_the_shell_keeps_what_it_verified(command, tmp_path, monkeypatch):
    (tmp_path / "gate.py").write_text("def f(x):\n    return x * 2 if x.sum() > 0 else x\n")
    monkeypatch.chdir(tmp_path)
    shell = [sys.executable, "-m", "dycl"]
    options = ["--input", "x=2xf32=1,2", "--random", "1", "--search", "5"]
    subprocess.run([*shell, "compile", "gate.py:f", "-o", "f.dycl", *options], check=True)
    shown = command("inspect", tmp_path / "f.dycl", "--verification").stdout
    assert "3 of 3 edges taken" in shown
    assert "distinct sub-DNNs compared and equal to the reference" in shown
    again = [*shell, "verify", "f.dycl", "--model", "gate.py:f", "--keep", *options[:2], "--search", "0"]
    subprocess.run(again, check=True)
    assert "f on 1 inputs, against eager" in command("inspect", tmp_path / "f.dycl", "--verification").stdout
