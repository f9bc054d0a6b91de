# SPDX-License-Identifier: Apache-2.0
"""Results in which one object stands in several places."""

import json
import subprocess
import sys
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from pathlib import Path

import dycl
import numpy as np
import torch
from python.torch.case import v

A = v(1.0, 2.0)


@dataclass
class Part:
    x: torch.Tensor
    others: list


Pair = namedtuple("Pair", "left right")


def shared_parts(x):
    inner = [x * 2]
    part = Part(x + 1, inner)
    ordered = OrderedDict(first=part)
    known = (1, [2])
    pair = Pair(ordered, inner)
    return {
        "inner": inner,
        "part": part,
        "ordered": ordered,
        (1, (2, "key")): known,
        "pair": pair,
        "again": [pair, part, inner, known, ordered, ()],
    }


def check_shared_parts(result):
    torch.testing.assert_close(result["again"][2][0], A * 2)
    assert result["part"].others is result["inner"]
    assert result["ordered"]["first"] is result["part"]
    assert result["pair"].left is result["ordered"]
    assert result["pair"].right is result["inner"]
    for place, name in enumerate(("pair", "part", "inner", (1, (2, "key")), "ordered")):
        assert result["again"][place] is result[name]


def test_one_object_stays_one(tmp_path):
    program = dycl.compile(shared_parts, A)
    check_shared_parts(program(A))
    check_shared_parts(shared_parts(A))
    program.save(tmp_path / "shared.dycl")
    check_shared_parts(dycl.load(tmp_path / "shared.dycl")(A))


def test_equal_objects_stay_two():
    first, second = dycl.compile(lambda x: ([x * 2], [x * 2]), A)(A)
    assert first is not second


def test_records_of_a_list_share_their_parts():
    def walk(x):
        before = [1, 2]
        spans = []
        for n in range(int(x.sum())):
            size = [n]
            spans.append({"a": size, "b": size})
        after = [3]
        return before, spans, before, after, after

    program = dycl.compile(walk, A)
    for total in (A, A * 0, A * 2):
        before, spans, again, after, last = program(total)
        assert spans == walk(total)[1]
        assert before is again
        assert after is last == [3]
        assert len({id(span) for span in spans}) == len(spans)


def twice(x):
    part = [x * 2]
    return {"a": part, "b": part}


def test_c_names_every_place(tmp_path):
    dycl.compile(twice, A).save(tmp_path / "twice.dycl")
    np.savez(tmp_path / "in.npz", x=A.numpy())
    document = run_command(tmp_path, "twice.dycl", "x")
    assert [output["name"] for output in document["outputs"]] == ["a.0", "b.0"]
    shared = {"list": [{"value": 0}], "number": 1}
    assert document["structure"] == {"dict": [["a", shared], ["b", {"same": 1}]]}


def write_and_call_it_so(x):
    x += 1
    return {"written": {"x": x * 5}}


def test_a_result_that_is_called_written_has_a_name_of_its_own(tmp_path):
    dycl.compile(write_and_call_it_so, A).save(tmp_path / "written.dycl")
    np.savez(tmp_path / "in.npz", x=A.numpy())
    run_command(tmp_path, "written.dycl", "x")
    results = np.load(tmp_path / "out.npz")
    assert results["written.x"].tolist() == [10.0, 15.0]
    assert results["written.x#2"].tolist() == [2.0, 3.0]


def run_command(folder: Path, package: str, name: str) -> dict:
    command = [sys.executable, "-m", "dycl", "run", str(folder / package), "--inputs", str(folder / "in.npz")]
    command += ["--output", str(folder / "out.npz"), "--json", str(folder / "run.json")]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads((folder / "run.json").read_text())
