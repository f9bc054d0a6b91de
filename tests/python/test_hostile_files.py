# SPDX-License-Identifier: Apache-2.0
"""Small files that would fill the memory, and devices that never end."""

import os
import resource
import subprocess
import sys
import zipfile

import dycl
import numpy as np
import onnx
import pytest
from dycl import _search
from dycl.cli.inputs import read_npz
from dycl.errors import source_lines
from onnx import helper
from python.conftest import BINARY

FEW = 1 << 30  # bytes


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (FEW, FEW))


def test_only_source_is_read_for_a_message(tmp_path):
    endless = tmp_path / "endless"
    endless.symlink_to("/dev/zero")
    code = f"from dycl.errors import source_lines; assert source_lines({str(endless)!r}, 1, 1) == []"
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True, preexec_fn=limited)
    assert source_lines(__file__, 1, 1)


def test_long_names_of_functions_are_cut_in_messages(tmp_path):
    domain, functions = "f", []
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(domain, 1)]
    names = [f"{number:03d}" + "n" * 1000 for number in range(180)]
    for number, name in enumerate(names):
        last = number + 1 == len(names)
        calls = [helper.make_node("Identity", ["x"], ["y"])] if last else []
        if not last:
            times = 2 if number >= len(names) - 14 else 1
            steps = ["x"] + [f"t{step}" for step in range(times - 1)] + ["y"]
            calls = [
                helper.make_node(names[number + 1], [steps[step]], [steps[step + 1]], domain=domain)
                for step in range(times)
            ]
        functions.append(helper.make_function(domain, name, ["x"], ["y"], calls, imports))
    graph = helper.make_graph(
        [helper.make_node(names[0], ["a"], ["b"], domain=domain)],
        "g",
        [helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, [2])],
    )
    model = helper.make_model(graph, opset_imports=imports, functions=functions)
    path = tmp_path / "long.onnx"
    onnx.save(model, path)
    done = subprocess.run(
        [str(BINARY), "compile", str(path), "-o", str(tmp_path / "out.dycl"), "--stop-after", "import_onnx"],
        env={"DYCL_VENDOR_PATH": os.pathsep.join(map(str, _search.vendor_folders()))},
        timeout=100,
        preexec_fn=limited,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_an_array_has_the_size_that_its_header_says(tmp_path):
    path = tmp_path / "bomb.npz"
    np.savez(path, x=np.zeros(4, np.float32))
    with zipfile.ZipFile(path) as archive:
        header = archive.read("x.npy")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header + bytes(1 << 20))

    def model(x):
        return x

    with pytest.raises(dycl.UsageError, match=r"x\.npy has 1048592 bytes of data, not 16"):
        read_npz(path, model)
