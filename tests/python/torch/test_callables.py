# SPDX-License-Identifier: Apache-2.0
"""Whatever a model calls: equal to eager or refused. `-m long` tries all callables, others a few each day."""

import datetime
import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import dycl
import pytest
import torch
from python.torch.callables import judge, worker
from python.torch.callables.excluded import EXCLUDED
from python.torch.callables.judge import Place, verdict_of
from python.torch.callables.namespaces import all_targets
from python.torch.callables.programs import programs_of
from python.torch.callables.search import calls_of

TESTS = Path(__file__).parents[2]
FEW = 8  # callables, with about a hundred programs
TARGETS = {target.name: target for target in all_targets()}


def run(*options, seconds):
    command = [sys.executable, "-m", "python.torch.callables", *options]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=seconds)


def test_a_few_callables_others_each_day():
    seed = datetime.date.today().toordinal()
    print(f"python -m python.torch.callables --sample {FEW} --seed {seed}")
    done = run("--sample", str(FEW), "--seed", str(seed), seconds=900)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.suite("callables")
def test_every_callable(record_property):
    done = run("--jobs", "2", seconds=6 * 3600)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]
    for kind in ("equal", "refused"):
        record_property(kind, re.search(rf"(\d+) {kind}", done.stdout.splitlines()[-1]).group(1))


# ---- the generator itself


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """The first compilation imports much, which programs must not be blamed for."""
    with warnings.catch_warnings():
        worker.warm_up(tmp_path_factory.mktemp("cache"))


def calls(name):
    return calls_of(TARGETS[name], set(), lambda number: None)


def test_the_namespaces_are_all_there():
    assert len(TARGETS) > 3000
    for name in ("builtins.sum", "numpy.put", "torch.nn.init.ones_", "torch._foreach_mul_", "list.append"):
        assert name in TARGETS


def test_what_is_left_out_exists_and_has_a_reason():
    assert set(EXCLUDED) <= set(TARGETS)
    assert all(EXCLUDED.values())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bisect.insort", "list"),
        ("builtins.sum", "iterator"),
        ("numpy.add", "array"),
        ("numpy.put", "array"),
        ("struct.pack_into", "bytearray"),
        ("statement.ior", "set"),
        ("torch.nn.init.ones_", "tensor"),
        ("torch._foreach_mul_", "tensors"),
        ("torch.Tensor.add_", "dynamic"),
        ("operator.setitem", "dict"),
        ("builtins.setattr", "spy"),
        ("dict.get", "missing"),
    ],
)
def test_calls_are_found_and_seen_to_write(name, kind, warm):
    assert (kind, name != "dict.get") in {(call.kind, call.writes) for call in calls(name)}


def programs(name):
    return {program.shape: program for program in programs_of(name, calls(name))}


def test_a_call_that_writes_gets_every_shape(warm):
    shapes = {"branch", "outside", "loop", "alias", "arms", "either", "view", "partial"}
    assert shapes <= set(programs("numpy.put"))
    assert {"bound", "unbound"} <= set(programs("list.append"))
    assert {"result", "later"} <= set(programs("numpy.ndarray.view"))


@pytest.fixture
def place(tmp_path, monkeypatch, warm):
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path, tmp_path / "cache")


def test_programs_are_compiled_and_compared(place):
    found = programs("list.append")
    assert verdict_of(found["branch"], place).kind == "equal"
    refused = verdict_of(found["outside"], place)
    assert (refused.kind, refused.code) == ("refused", "python.state_across_calls")


def raises(error):
    def compiled(function, args, **options):
        raise error

    return compiled


def changes_a_global(function, args, **options):
    function.__globals__["a"].append(1.0)
    return function


def changes_the_process(function, args, **options):
    torch.set_default_dtype(torch.float64)
    return function


def leaves_a_file(function, args, **options):
    Path("left").touch()
    return function


FAULTS = {
    "result: is": lambda function, args, **options: lambda x: x + 1,
    "raised KeyError": lambda function, args, **options: lambda x: {}["b"],
    "compile raised ValueError": raises(ValueError("b")),
    "internal error": raises(dycl.InternalError("b")),
    "changed a global": changes_a_global,
    "changed the default dtype": changes_the_process,
    "changed files": leaves_a_file,
}


@pytest.mark.parametrize("detail", FAULTS)
def test_what_is_wrong_is_noticed(detail, place, monkeypatch):
    program = programs("list.append")["outside"]
    monkeypatch.setattr(judge.dycl, "compile", FAULTS[detail])
    verdict = verdict_of(program, place)
    assert verdict.kind == "wrong"
    assert detail in verdict.detail


def test_a_refusal_is_one(place, monkeypatch):
    monkeypatch.setattr(judge.dycl, "compile", raises(dycl.UnsupportedError("no", code="python.class")))
    assert verdict_of(programs("list.append")["outside"], place).kind == "refused"


def test_a_crash_is_noticed_and_the_rest_goes_on(place, monkeypatch):
    def crashes_in_a_loop(program, place):
        if program.shape == "loop":
            os.kill(os.getpid(), signal.SIGKILL)
        return judge.Verdict("equal")

    monkeypatch.setattr(worker, "verdict_of", crashes_in_a_loop)
    outcome = worker.outcome_of(TARGETS["list.append"], place.cache)
    kinds = [verdict["kind"] for verdict in outcome.verdicts]
    assert "crashed" in next(v["detail"] for v in outcome.verdicts if v["kind"] == "wrong")
    assert kinds.count("wrong") < kinds.count("equal")
    assert kinds[-1] == "equal"
