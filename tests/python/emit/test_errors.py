# SPDX-License-Identifier: Apache-2.0
"""What an emitted program says when it is used wrongly, or when the model raises: typed errors."""

import ctypes
import subprocess
from pathlib import Path

import dycl
import pytest
import torch
from python.emit import emitted

HERE = Path(__file__).name


def checked(x, n=3):
    if x.sum() > 100:
        raise ValueError(f"too much for {n}")
    while x.sum() < n:
        x = x + 1
    return {"x": x, "n": n}


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, x):
        self.seen += x
        if x.sum() > 3:
            raise RuntimeError("more than three")
        return self.seen * 2


def doubled_in_place(x):
    x *= 2
    if x.sum() > 10:
        raise ValueError("more than ten")
    return x + 1


def rows(x):
    if x.sum() > 0:
        return x * 2
    return x.sum(0)


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    program = compiled(tmp_path_factory.mktemp("rows"), rows, torch.ones(3, 2))
    yield program
    program.close()


def reason(call):
    with pytest.raises(emitted.Failed) as failure:
        call()
    return failure.value.reason


def compiled(tmp_path, model, *example, name="net", **options):
    dycl.compile(model, example, threads=1, **options).save(tmp_path / f"{name}.dycl")
    return emitted.Program.of(tmp_path / f"{name}.dycl", tmp_path / name, name)


def test_each_wrong_view_has_its_reason(tmp_path):
    native = compiled(
        tmp_path, rows, torch.ones(3, 2), dynamic_shapes={"x": {0: torch.export.Dim("n", max=8)}}
    )
    assert native.run(torch.ones(5, 2))[0][1].shape == (5, 2)
    assert reason(lambda: native.run(torch.ones(3, 2, dtype=torch.float64))) == "run.input_dtype"
    assert reason(lambda: native.run(torch.ones(3))) == "run.input_rank"
    assert reason(lambda: native.run(torch.ones(3, 4))) == "run.input_dim"
    assert reason(lambda: native.run(torch.ones(9, 2))) == "run.input_range"
    assert reason(lambda: native.run()) == "run.input_count"
    assert reason(lambda: native.run([torch.ones(3, 2)])) == "run.input_kind"
    view = emitted.view_of(torch.ones(3, 2), keep := [])
    view.data = None
    assert reason(lambda: native.run_views(view)) == "run.input_missing"
    view = emitted.view_of(torch.ones(3, 2), keep)
    view.byte_size -= 1
    assert reason(lambda: native.run_views(view)) == "run.input_bytes"
    view = emitted.view_of(torch.ones(3, 2), keep)
    view.dims = None
    assert reason(lambda: native.run_views(view)) == "run.input_missing"
    view = emitted.view_of(torch.ones(3, 2), keep)
    view.rank = 99
    assert reason(lambda: native.run_views(view)) == "run.input_rank"
    native.close()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("run_views", (None, None, 0, None)), ("session_create", (None, None)), ("open", (None, None, None))],
)
def test_null_handles_are_errors(native, name, arguments):
    assert reason(lambda: native.check(native.function(name)(*arguments))) == "run.null_argument"


def test_null_inputs_are_errors_and_nothing_can_be_freed(native):
    run = native.function("run_views")
    assert reason(lambda: native.check(run(native.session, None, 1, None))) == "run.null_argument"
    native.function("session_free")(None)
    native.function("close")(None)


def test_options_of_another_size_or_device_are_refused(native, tmp_path):
    options = emitted.Options(struct_size=3)
    program = ctypes.c_void_p()
    run = lambda: native.check(  # noqa: E731
        native.function("open")(b"net.dycl", ctypes.byref(options), ctypes.byref(program))
    )
    assert reason(run) == "run.options_size"
    options.struct_size = ctypes.sizeof(options)
    options.device_kind = 2
    assert reason(run) == "run.device"
    options.device_kind = 1
    assert reason(run) == "package.not_found"


def test_a_package_that_is_missing_damaged_or_another_one_is_refused(tmp_path):
    compiled(tmp_path, rows, torch.ones(3, 2)).close()
    folder, library = tmp_path / "net", tmp_path / "net" / "libnet.so"
    dycl.compile(checked, (torch.ones(2),), threads=1).save(tmp_path / "other.dycl")
    damaged = bytearray((tmp_path / "net.dycl").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.dycl").write_bytes(damaged)
    for package, wanted in {"missing": "package.not_found", "other": "package.other_program"}.items():
        with pytest.raises(emitted.Failed) as failure:
            emitted.Program(folder, "net", library, tmp_path / f"{package}.dycl")
        assert failure.value.reason == wanted
    with pytest.raises(emitted.Failed) as failure:
        emitted.Program(folder, "net", library, tmp_path / "damaged.dycl")
    assert failure.value.reason.startswith("package.")


def test_the_exception_of_the_model_has_type_message_and_line(tmp_path):
    native = compiled(tmp_path, checked, torch.ones(2))
    line = checked.__code__.co_firstlineno + 2
    with pytest.raises(emitted.Failed) as failure:
        native.run(torch.full((2,), 60.0))
    error = failure.value
    assert (error.reason, error.exception, error.message) == ("model.raised", "ValueError", "too much for 3")
    assert f"{HERE}:{line}:" in error.place
    assert error.text == f"{error.place}: ValueError: too much for 3"
    native.close()


def test_a_state_is_kept_reset_and_left_by_a_failed_run(tmp_path):
    native = compiled(tmp_path, Counting().eval(), torch.ones(2), state=True)
    twice = [native.run(torch.ones(2))[0][1].tolist() for _ in range(2)]
    assert twice == [[2, 2], [4, 4]]
    with pytest.raises(emitted.Failed, match="more than three"):
        native.run(torch.full((2,), 5.0))
    assert native.run(torch.ones(2))[0][1].tolist() == [6, 6]
    native.reset()
    assert native.run(torch.ones(2))[0][1].tolist() == [2, 2]
    native.close()


def test_an_input_that_the_model_writes_to_has_new_contents_also_if_it_raises(tmp_path):
    native = compiled(tmp_path, doubled_in_place, torch.ones(2))
    x = torch.ones(2)
    assert native.run(x)[0][1].tolist() == [3, 3]
    assert x.tolist() == [2, 2]
    x = torch.full((2,), 4.0)
    with pytest.raises(emitted.Failed, match="more than ten"):
        native.run(x)
    assert x.tolist() == [8, 8]
    native.close()


def endless(x):
    while x.sum() > 0:
        x = x * 1.0
    return x


def test_a_loop_can_be_limited_and_stopped(tmp_path):
    native = compiled(tmp_path, endless, torch.ones(2))
    native.library.net_limit_trips(native.session, ctypes.c_uint64(1000))
    assert reason(lambda: native.run(torch.ones(2))) == "run.step_limit"
    stop = ctypes.c_int(1)
    native.library.net_watch(native.session, ctypes.byref(stop))
    assert reason(lambda: native.run(torch.ones(2))) == "run.interrupted"
    native.library.net_watch(native.session, None)
    assert native.run(-torch.ones(2))[0][1].tolist() == [-1, -1]
    native.close()


def test_two_programs_live_in_one_process(tmp_path):
    one = compiled(tmp_path, rows, torch.ones(3, 2), name="one")
    other = compiled(tmp_path, endless, torch.ones(2), name="other")
    assert one.run(torch.ones(3, 2))[0][1].tolist() == [[2, 2]] * 3
    assert other.run(-torch.ones(2))[0][1].tolist() == [-1, -1]
    one.close()
    other.close()


def words(x):
    return x, "positive" if x.sum() > 0 else "not"


def test_texts_that_are_known_are_results(tmp_path):
    native = compiled(tmp_path, words, torch.ones(2))
    assert native.run(torch.ones(2))[1] == ("1", "positive")
    assert native.run(-torch.ones(2))[1] == ("1", "not")
    native.close()


def test_a_name_is_made_a_word_and_the_folder_is_the_default(tmp_path):
    dycl.compile(rows, (torch.ones(3, 2),), threads=1).save(tmp_path / "my-net.2.dycl")
    command = [emitted.BUILD / "dycl", "emit", "my-net.2.dycl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "my_net_2" / "include" / "my_net_2.h").exists()
    assert "my_net_2/README.md" in done.stderr + done.stdout


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    dycl.compile(rows, (torch.ones(3, 2),), threads=1).save(tmp_path / "net.dycl")
    (tmp_path / "taken").write_text("")
    command = [emitted.BUILD / "dycl", "emit", tmp_path / "net.dycl", "-o", tmp_path / "taken"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "[emit.cannot_write]" in done.stderr


USER = """
#include <cstdio>
#include <vector>
#include "net.hpp"

int main(int, char** arguments) {
  const char* vendors[] = {arguments[2]};
  net_options options{};
  options.struct_size = sizeof options;
  options.vendor_folders = vendors;
  options.vendor_folder_count = 1;
  const net::Program program(arguments[1], &options);
  net::Session session(program);
  std::vector<float> x{1, 2, 3, 4, 5, 6};
  std::printf("%g\\n", session.run(x.data()).as.r0.result[5]);
  try {
    session.run(nullptr);
  } catch (const net::Error& error) {
    std::printf("%d %s\\n", error.code == NET_USAGE, error.reason.c_str());
  }
}
"""


def test_the_class_of_cpp_throws_what_the_functions_of_c_return(tmp_path):
    compiled(tmp_path, rows, torch.ones(3, 2)).close()
    folder = tmp_path / "net"
    (folder / "user.cpp").write_text(USER)
    command = ["g++", "-std=c++17", *emitted.WARNINGS, f"-I{folder}/include", folder / "user.cpp"]
    command += [f"-L{folder}", "-lnet", f"-Wl,-rpath,{folder}", "-o", folder / "user"]
    subprocess.run(command, check=True)
    command = [folder / "user", folder / "net.dycl", Path(torch.__file__).parents[1]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "12\n1 run.input_missing\n"


def doubled_twice(x):
    y = x * 2
    while y.sum() < 4:
        y = y + 1
    return y, y * 2, y[:1]


@pytest.mark.parametrize("sizes", [None, {"x": {0: torch.export.Dim("n", max=8)}}])
def test_results_may_be_inputs_of_the_next_run(tmp_path, sizes):
    native = compiled(tmp_path, doubled_twice, torch.ones(3), dynamic_shapes=sizes)
    x = torch.ones(3)
    native.run(x)
    for _ in range(4):
        for which in (1, 0, 1):
            wanted = doubled_twice(x := doubled_twice(x)[which])
            given = native.run_views(native.listed()[which])
            for (_, one), other in zip(given, wanted, strict=True):
                assert torch.equal(one, other)
    native.close()


def added_in_place(x):
    x += 1
    return x * 2


def test_a_result_is_no_input_that_is_written_to(tmp_path):
    native = compiled(tmp_path, added_in_place, torch.ones(3))
    native.run(torch.ones(3))
    assert reason(lambda: native.run_views(native.listed()[0])) == "run.inputs_overlap"
    native.close()
