# SPDX-License-Identifier: Apache-2.0
"""Programs that write to lists, dicts and objects of the caller: whose they are, and what is refused."""

import functools

import dycl
import pytest
import torch
from python.torch.case import v

A, B = v(1.0, 2.0), v(-1.0, -2.0)


def pool(features):
    if features["x"].sum() > 0:
        features["pooled"] = features["x"].mean()
    return features


def test_the_caller_gets_his_own_objects():
    program = dycl.compile(pool, {"x": A})
    given = {"x": A.clone()}
    x = given["x"]
    result = program(given)
    assert result is given
    assert given["x"] is x
    assert given["pooled"] == 1.5
    assert list(program({"x": B})) == ["x"]


def test_a_package_writes_too(tmp_path):
    dycl.compile(pool, {"x": A}).save(tmp_path / "pool.dycl")
    given = {"x": A}
    assert dycl.load(tmp_path / "pool.dycl")(given) is given
    assert given["pooled"] == 1.5


def test_verify_compares_what_is_left_in_arguments():
    program = dycl.compile(pool, {"x": A})
    dycl.verify(program, pool, [({"x": A},), ({"x": B},)]).check()

    def other(features):
        if features["x"].sum() > 0:
            features["pooled"] = features["x"].sum()
            return {"x": features["x"], "pooled": features["x"].mean()}
        return features

    report = dycl.verify(program, other, [({"x": A},)])
    assert "after the call, args[0]['pooled']: is 1.5, should be 3.0" in str(report)


def test_the_example_keeps_what_it_holds():
    example = {"x": A}
    dycl.compile(pool, example)
    assert list(example) == ["x"]


def both(first, second):
    first["k"] = first["x"] + 1
    return second.get("k", second["x"])


def test_one_object_in_two_places_is_told():
    program = dycl.compile(both, ({"x": A}, {"x": B}))
    given = {"x": A}
    with pytest.raises(dycl.UsageError, match="'second' is the same object as 'first'"):
        program(given, given)
    assert list(given) == ["x"]
    torch.testing.assert_close(program({"x": A}, {"x": B}), B)


def test_one_object_in_two_places_of_the_example_stays_one():
    example = {"x": A}
    program = dycl.compile(both, (example, example))
    given = {"x": B}
    torch.testing.assert_close(program(given, given), B + 1)
    with pytest.raises(dycl.UsageError, match="must be the same object"):
        program({"x": A}, {"x": A})


def test_a_call_with_other_contents_is_told():
    def add(x, names):
        names.append("x")
        return x * len(names)

    program = dycl.compile(add, (A, ["a"]))
    names = ["a"]
    torch.testing.assert_close(program(A, names), A * 2)
    assert names == ["a", "x"]
    with pytest.raises(dycl.UsageError, match="compiled for names"):
        program(A, names)


def shorten(xs, x):
    if x > 0:
        xs.pop()


def test_a_path_that_changes_nothing_leaves_the_callers_tensors():
    program = dycl.compile(shorten, ([A, B], torch.tensor(1.0)))
    base = torch.arange(4.0)
    given = [base[:2], base[2:]]
    program(given, torch.tensor(-1.0))
    base += 10
    assert given[0].tolist() == [10.0, 11.0]
    first, second = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    kept = [first, second]
    program(kept, torch.tensor(1.0))
    assert len(kept) == 1
    assert kept[0] is first


def test_an_element_that_is_added_again_is_that_very_object():
    def lengthen(xs, x):
        xs.append(xs[0])
        for _ in range(2):
            if x > 0:
                xs.append(x)

    given, x = [A.clone()], torch.tensor(1.0)
    dycl.compile(lengthen, ([A], torch.tensor(-1.0)))(given, x)
    assert len(given) == 4
    assert given[1] is given[0]
    assert given[2] is x


def test_dicts_of_a_list_stay_the_callers():
    given = [{"x": A}, {"x": B}]
    first, _ = given
    program = dycl.compile(shorten, ([{"x": A}, {"x": B}], torch.tensor(1.0)))
    program(given, torch.tensor(1.0))
    assert given == [first]
    assert given[0] is first


def test_a_list_that_a_loop_fills_with_the_callers_tensors_is_refused():
    def collect(x, out):
        while x > 1:
            out.append(x)
            x = x * 0.5
        return x

    with pytest.raises(dycl.UnsupportedError, match="which of its elements these are") as caught:
        dycl.compile(collect, (v(3.0), []))
    assert caught.value.code == "python.write_to_argument"
    assert "clone" in caught.value.hint


def test_a_list_in_the_result_and_in_an_argument_is_one():
    def fill(d):
        d["made"] = made = [d["x"], d["x"] * 2]
        return {"made": made, "again": [made]}

    x = A.clone()
    given = {"x": x}
    result = dycl.compile(fill, {"x": A})(given)
    assert result["made"] is given["made"]
    assert result["again"][0] is given["made"]
    assert given["made"][0] is x


def test_an_exception_behind_a_write_is_refused():
    def write_and_raise(d):
        d["y"] = d["x"] + 1
        if d["x"].sum() > 0:
            raise ValueError("too large")
        return d["x"]

    with pytest.raises(dycl.UnsupportedError, match="after it has changed a list, dict or object") as caught:
        dycl.compile(write_and_raise, {"x": A})
    assert caught.value.code == "python.write_before_raise"


@functools.lru_cache
def table():
    return {"a": 1}


def test_what_a_cache_keeps_is_not_written_to():
    def change(x):
        table()["b"] = 2
        return x

    with pytest.raises(dycl.UnsupportedError, match="lru_cache") as caught:
        dycl.compile(change, A)
    assert caught.value.code == "python.write_to_argument"


def test_a_set_of_the_caller_is_not_written_to():
    def change(x, seen):
        seen.add(3)
        return x

    with pytest.raises(dycl.UnsupportedError, match="passed to the model") as caught:
        dycl.compile(change, (A, {1}))
    assert caught.value.code == "python.write_to_argument"


def test_a_dict_of_the_caller_is_not_kept_from_call_to_call():
    class Keeps(torch.nn.Module):
        last = None

        def forward(self, d):
            d["n"] = d["x"] * 2 if self.last is None else self.last["n"]
            self.last = d
            return d["x"]

    with pytest.raises(dycl.UnsupportedError, match="a list, dict or object of the caller's"):
        dycl.compile(Keeps().eval(), {"x": A}, state=True)
