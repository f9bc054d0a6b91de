# SPDX-License-Identifier: Apache-2.0
"""Calls of a program, compiled or loaded from its package, are held against the example's."""

import json
import os
import subprocess
import sys
import zipfile
from collections import OrderedDict

import dycl
import pytest
import torch
from python.torch.case import v
from python.torch.signatures import (
    Batch,
    Config,
    Mode,
    Pair,
    applied,
    configured,
    first_of,
    nested,
    numbers,
    plain,
    shared,
    variadic,
)

HOW = ["compiled", "loaded", "saved twice"]


@pytest.fixture(params=HOW)
def made(request, tmp_path):
    """compile(), or what comes back from a package."""

    def make(model, args, kwargs=None):
        program = dycl.compile(model, args, kwargs)
        for number in range(HOW.index(request.param)):
            path = tmp_path / f"{number}.dycl"
            program.save(path)
            program = dycl.load(path)
        return program

    return make


def refused(program, *args, **kwargs):
    with pytest.raises(dycl.UsageError) as caught:
        program(*args, **kwargs)
    return caught.value


def test_frozen_arguments_are_named_with_both_values(made):
    program = made(plain, (v(1.0, 2.0),), {"mode": "fast"})
    assert torch.equal(program(v(1.0, 2.0), mode="fast"), v(2.0, 4.0))
    assert torch.equal(program(v(1.0, 2.0), "fast"), v(2.0, 4.0))
    error = refused(program, v(1.0, 2.0), mode="slow")
    assert error.message == "compiled for mode='fast'; called with 'slow'"
    assert error.code == "call.frozen"
    error = refused(program, v(1.0, 2.0), mode="fast", scale=3)
    assert error.message == "compiled for scale=2, its default; called with 3"
    assert refused(program, v(1.0, 2.0)).message == "the argument 'mode' is missing"
    assert "without an argument 'other'" in refused(program, v(1.0, 2.0), "fast", other=1).message
    assert "f32" in refused(program, v(1, 2), mode="fast").message
    assert "x" in refused(program, v(1.0, 2.0, 3.0), mode="fast").message


def arguments(**changes):
    given = {
        "batch": Batch(v(1.0, 2.0), 2.0),
        "pair": Pair(v(3.0, 4.0), v(1.0, 1.0)),
        "parts": {"a": v(1.0, 1.0), "skip": v(5.0, 5.0)},
        "options": {"mode": Mode.FAST, "sizes": [1, (2, 3)]},
    }
    return {**given, **changes}


def test_structures_go_in_and_come_out(made):
    program = made(nested, (), arguments())
    result = program(**arguments())
    assert result["mode"] == "fast"
    assert torch.equal(result["total"], v(5.0, 8.0))
    low = program(**arguments(batch=Batch(v(-9.0, -9.0), 2.0)))
    assert torch.equal(low[0], v(-15.0, -14.0))
    assert low[1] == [1, (2, 3)]


KEYS = "compiled for parts with the keys"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": Batch(v(1.0, 2.0), 3.0)}, "compiled for batch.scale=2.0; called with 3.0"),
        ({"batch": Pair(v(1.0), v(1.0))}, "compiled for batch=a Batch; called with "),
        ({"pair": (v(1.0, 2.0), v(1.0, 2.0))}, "compiled for pair=a Pair of 2; called with "),
        ({"parts": {"a": v(1.0, 1.0)}}, f"{KEYS} ['a', 'skip']; called with the keys ['a']: 'skip' missing"),
        (
            {"parts": {"a": v(1.0, 1.0), "skip": v(5.0, 5.0), "b": 1}},
            f"{KEYS} ['a', 'skip']; called with the keys ['a', 'skip', 'b']: 'b' too many",
        ),
        (
            {"parts": {"skip": v(5.0, 5.0), "a": v(1.0, 1.0)}},
            f"{KEYS} ['a', 'skip']; called with the keys ['skip', 'a']: the order differs",
        ),
        ({"parts": OrderedDict(a=v(1.0, 1.0), skip=v(5.0, 5.0))}, "compiled for parts=a dict with the keys"),
        ({"options": {"mode": Mode.SLOW, "sizes": [1, (2, 3)]}}, "compiled for options="),
        ({"options": {"mode": Mode.FAST, "sizes": [1, [2, 3]]}}, "compiled for options="),
        ({"options": {"mode": Mode.FAST, "sizes": [True, (2, 3)]}}, "compiled for options="),
        ({"options": {"sizes": [1, (2, 3)], "mode": Mode.FAST}}, "compiled for options="),
    ],
)
def test_other_structures_are_refused(made, changes, message):
    program = made(nested, (), arguments())
    assert refused(program, **arguments(**changes)).message.startswith(message)


@pytest.mark.parametrize(
    ("values", "other"),
    [
        ((1, 2.0), (1.0, 2.0)),
        ((1, 2.0), (True, 2.0)),
        ((0.0, 1.0), (-0.0, 1.0)),
        ((float("inf"), 1.0), (float("nan"), 1.0)),
        ((2**60, 1), (2**60 + 1, 1)),
        ((1, 2), [1, 2]),
        ([1, 2], [1, 2, 3]),
    ],
)
def test_numbers_are_compared_to_the_type_and_the_bit(made, values, other):
    program = made(numbers, (v(1.0, 2.0), values))
    program(v(1.0, 2.0), type(values)(values))
    assert refused(program, v(1.0, 2.0), other).code == "call.frozen"


def test_nan_is_itself(made):
    program = made(numbers, (v(1.0, 2.0), (float("nan"), 1.0)))
    assert program(v(1.0, 2.0), (float("nan"), 1.0))[0].isnan().all()


def test_objects_are_known_by_class_and_attributes(made):
    program = made(configured, (v(1.0, 2.0), Config(2, ["a"])))
    result, names = program(v(1.0, 2.0), Config(2, ["a"]))
    assert torch.equal(result, v(3.0, 4.0))
    assert names == ["a"]
    assert refused(program, v(1.0, 2.0), Config(3, ["a"])).message.startswith("compiled for config=")
    assert refused(program, v(1.0, 2.0), Config(2, ["b"])).code == "call.frozen"


def test_an_object_changed_since_is_seen():
    config = Config(2, ["a"])
    program = dycl.compile(configured, (v(1.0, 2.0), config))
    config.names.append("b")
    assert refused(program, v(1.0, 2.0), config).code == "call.frozen"
    config.names.pop()
    program(v(1.0, 2.0), config)


def test_star_arguments(made):
    program = made(variadic, (v(1.0), v(2.0), v(3.0)), {"k": v(4.0)})
    assert torch.equal(program(v(1.0), v(2.0), v(3.0), k=v(4.0)), v(24.0))
    assert "of 2" in refused(program, v(1.0), v(2.0), k=v(4.0)).message
    assert "keys ['k']" in refused(program, v(1.0), v(2.0), v(3.0), other=v(4.0)).message
    assert "flag=True" in refused(program, v(1.0), v(2.0), v(3.0), flag=False, k=v(4.0)).message


def test_identity_of_arguments(made):
    items = [v(1.0)]
    program = made(shared, (items, items))
    assert torch.equal(program(items, items), v(2.0))
    assert refused(program, items, [v(1.0)]).code == "call.identity"


def test_keys_may_be_any_text(made):
    keys = ["line\nbreak", "ü", ""]
    program = made(first_of, ({key: v(1.0) for key in keys},))
    assert torch.equal(program({key: v(3.0) for key in keys}), v(6.0))
    assert refused(program, {key: v(1.0) for key in keys[1:]}).code == "call.frozen"


def test_functions_are_known_by_name(made):
    program = made(applied, (v(1.0, -2.0, 3.0), torch.relu))
    assert torch.equal(program(v(1.0, -2.0, 3.0), torch.relu), v(1.0, 0.0, 3.0))
    assert refused(program, v(1.0, -2.0, 3.0), torch.abs).code == "call.frozen"


def test_what_a_package_cannot_hold_is_said_when_it_is_called(tmp_path):
    model, x = torch.nn.ReLU(), v(1.0, -2.0, 3.0)
    program = dycl.compile(applied, (x, model))
    assert torch.equal(program(x, model), v(1.0, 0.0, 3.0))
    program.save(tmp_path / "p.dycl")
    loaded = dycl.load(tmp_path / "p.dycl")
    error = refused(loaded, x, model)
    assert error.code == "call.not_stored"
    assert "function=ReLU()" in error.message
    assert "leave the argument out" in error.hint
    assert torch.equal(loaded(x), v(1.0, 0.0, 3.0))


def test_a_class_that_its_name_does_not_lead_to_is_refused(tmp_path):
    class Local:
        def __init__(self, image):
            self.image = image

    def model(batch):
        return batch.image * 2 if batch.image.sum() > 0 else batch.image

    program = dycl.compile(model, (Local(v(1.0)),))
    assert torch.equal(program(Local(v(1.0))), v(2.0))
    program.save(tmp_path / "p.dycl")
    error = refused(dycl.load(tmp_path / "p.dycl"), Local(v(1.0)))
    assert error.code == "call.class"
    assert "Local" in error.message


def test_another_process_takes_the_same_calls(tmp_path):
    dycl.compile(nested, (), arguments()).save(tmp_path / "p.dycl")
    script = """
import sys, dycl
from python.torch.test_signatures import arguments, refused, Mode
program = dycl.load(sys.argv[1])
assert program(**arguments())["mode"] == "fast"
print(refused(program, **arguments(options={"mode": Mode.SLOW, "sizes": [1, (2, 3)]})).code)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "p.dycl")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "call.frozen\n", done.stderr


def test_a_package_says_how_it_is_called(tmp_path):
    path = tmp_path / "p.dycl"
    dycl.compile(plain, (v(1.0, 2.0),), {"mode": "fast"}).save(path)
    with zipfile.ZipFile(path) as package:
        document = json.loads(package.read("signature.json"))
    assert [p["name"] for p in document["parameters"]] == ["x", "mode", "scale"]
    assert document["version"] == 1
