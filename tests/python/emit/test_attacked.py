# SPDX-License-Identifier: Apache-2.0
"""What an attack on emitted programs found: each of these was wrong, or did not compile."""

import dycl
import pytest
import torch
from python.emit import emitted


def compiled(tmp_path, model, *example, name="net", **options):
    dycl.compile(model, example, threads=1, **options).save(tmp_path / "net.dycl")
    return emitted.Program.of(tmp_path / "net.dycl", tmp_path / "out", name)


def leaves(native, *inputs):
    return [value.tolist() for _, value in native.run(*inputs)]


class Weight(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.tensor([5.0, 6.0]))

    def forward(self, x):
        if x.sum() > 2:
            return self.w
        y = x
        if x.sum() > 0:
            y = self.w
        return y


def test_a_weight_stays_when_it_may_be_an_input(tmp_path):
    native = compiled(tmp_path, Weight().eval(), torch.ones(2))
    for factor in (3.0, 0.5, -1.0, 3.0, -2.0, 0.5):
        x = factor * torch.ones(2)
        assert leaves(native, x) == [Weight()(x).tolist()]
    native.close()


def written_after(x):
    y = x.clone()
    if y.sum() > 100:
        y = y + 1
    x.add_(1)
    return y


@pytest.mark.parametrize("sizes", [None, {"x": {0: torch.export.Dim("n", max=8)}}])
def test_a_result_is_copied_before_its_input_is_written(tmp_path, sizes):
    native = compiled(tmp_path, written_after, torch.ones(4), dynamic_shapes=sizes)
    x = torch.ones(4)
    assert leaves(native, x) == [[1, 1, 1, 1]]
    assert x.tolist() == [2, 2, 2, 2]
    native.close()


def kept_in_a_list(x):
    seen = [x.clone()]
    while x.sum() < 10:
        x.add_(1)
        seen.append(x.clone())
    return seen[0], x * 1, len(seen)


def test_what_a_list_holds_is_copied_before_its_input_is_written(tmp_path):
    native = compiled(tmp_path, kept_in_a_list, torch.ones(4))
    x = torch.ones(4)
    assert leaves(native, x) == [[1, 1, 1, 1], [3, 3, 3, 3], 3]
    native.close()


def names_of_companions(given_x, x, state_x, left_x, written_x, x_given_, size_n):
    if x.sum() > 100:
        return given_x + state_x + left_x + written_x + x_given_ + size_n
    x.add_(1)
    return x * 2


def words(nullptr, not_eq, NULL, EOF, errno, kWeb0, kTypes, int64_t, guarded, require, check, handle_):  # noqa: N803
    total = nullptr + not_eq + NULL + EOF + errno + kWeb0 + kTypes + int64_t + guarded + require
    if total.sum() > 0:
        return total + check + handle_
    return total


def example(index, count, package, options, net_session, net_result, linux, argc):
    total = index + count + package + options + net_session + net_result
    if total.sum() > 0:
        return total + linux
    return total - argc


@pytest.mark.parametrize(
    "model",
    [
        names_of_companions,
        pytest.param(words, marks=pytest.mark.long),
        pytest.param(example, marks=pytest.mark.long),
    ],
)
def test_inputs_of_any_name_are_told_apart(tmp_path, model):
    count = model.__code__.co_argcount
    given = [torch.full((2,), float(number + 1)) for number in range(count)]
    native = compiled(tmp_path, model, *(one.clone() for one in given))
    wanted = model(*(one.clone() for one in given)).tolist()
    assert leaves(native, *(one.clone() for one in given)) == [wanted]
    native.close()
    emitted.build_command(tmp_path / "out", "net", "example/main.c", ("-O0",))
    emitted.build_command(tmp_path / "out", "net", "test/main.cpp", ("-O0",))


def test_sizes_and_inputs_may_have_the_same_name(tmp_path):
    def add(size_n, x, y):
        return size_n + x.sum() + y.sum()

    n, other = torch.export.Dim("n", max=9), torch.export.Dim("v_n", max=9)
    shapes = {"size_n": None, "x": {0: n}, "y": {0: other}}
    native = compiled(tmp_path, add, torch.ones(2), torch.ones(3), torch.ones(4), dynamic_shapes=shapes)
    assert leaves(native, torch.ones(2), torch.ones(5), torch.ones(6)) == [[12, 12]]
    native.close()


KEYS = [
    "a/*b",
    "a*/b",
    "a??/",
    "a\u202eb",
    "*/ int evil; /*",
    "nullptr",
    "EOF",
    "errno",
    "a\\",
    "new\nline",
    "%s {0}",
]


def test_keys_of_any_text_are_names_and_comments(tmp_path):
    def keyed(x):
        if x.sum() > 0:
            return {key: x * number for number, key in enumerate(KEYS)}
        return dict.fromkeys(KEYS, x)

    native = compiled(tmp_path, keyed, torch.ones(2))
    assert [path for path, _ in native.run(torch.ones(2))] == KEYS
    assert "*/ int evil" not in (tmp_path / "out" / "include" / "net.h").read_text()
    native.close()


@pytest.mark.parametrize("result", ["text", "message", "key"])
def test_a_text_with_a_zero_is_refused(tmp_path, result):
    def model(x):
        if result == "message" and x.sum() > 5:
            raise ValueError("a\0b")
        return (x, "a\0b") if result == "text" else {"a\0b": x} if result == "key" else x

    dycl.compile(model, (torch.ones(2),), threads=1).save(tmp_path / "net.dycl")
    with pytest.raises(emitted.Refused, match="zero character"):
        emitted.emit(tmp_path / "net.dycl", tmp_path / "out", "net")


def simple(x):
    return x * 2 if x.sum() > 0 else x


QUICK = ("string",)
ANY = [*QUICK, "dycl", "2nd-net", "dycl_runtime", "main", "NULL", "size_t", "class", "ü"]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in ANY]
)
def test_a_program_may_have_any_name(tmp_path, name):
    dycl.compile(simple, (torch.ones(2),), threads=1).save(tmp_path / "net.dycl")
    folder = emitted.emit(tmp_path / "net.dycl", tmp_path / "out", name)
    (source,) = (folder / "src").glob("*.cpp")
    native = emitted.Program(folder, source.stem, emitted.build(folder, source.stem))
    assert leaves(native, torch.ones(2)) == [[2, 2]]
    native.close()
    (folder / "user.cpp").write_text(
        f'#include <string.h>\n#include <stdio.h>\n#include "{source.stem}.hpp"\n'
    )
    emitted.run(
        ["g++", "-std=c++17", *emitted.WARNINGS, f"-I{folder}/include", "-fsyntax-only", folder / "user.cpp"]
    )


def exchanged(x, y):
    a, b = x, y
    if x.sum() > 0:
        a, b = y, x
    return a, b


def test_two_results_that_may_be_inputs_are_copied_apart(tmp_path):
    native = compiled(tmp_path, exchanged, torch.ones(2), torch.zeros(2))
    for x, y in ((torch.ones(2), -torch.ones(2)), (-torch.ones(2), torch.full((2,), 7.0))):
        assert leaves(native, x, y) == [value.tolist() for value in exchanged(x, y)]
    native.close()


def written_from_a_list(x, y):
    seen = [y.clone()]
    while seen[-1].sum() < 10:
        seen.append(seen[-1] + 1)
    x.sub_(x - seen[-1])
    x.copy_(seen[-1])
    if x.sum() > 11:
        raise ValueError("eleven")
    return x + 1


def test_an_input_may_be_written_from_a_list(tmp_path):
    model = written_from_a_list
    native = compiled(tmp_path, model, torch.ones(2), torch.ones(2))
    for start in (1.0, 4.5, 80.0):
        ours, theirs = torch.full((2,), start), torch.full((2,), start)
        y = torch.full((2,), start / 2)
        try:
            wanted = [model(theirs, y.clone()).tolist()]
        except ValueError as error:
            with pytest.raises(emitted.Failed, match=str(error)):
                native.run(ours, y.clone())
        else:
            assert leaves(native, ours, y.clone()) == wanted
        assert ours.tolist() == theirs.tolist()
    native.close()
