# SPDX-License-Identifier: Apache-2.0
"""`dycl bundle`: a folder that runs a package where there is nothing else."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import dycl
import numpy as np
import onnx
import pytest

from python import models

INPUT = ["--input", "x=3xf32=1,2,3"]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory, command):
    """(model, options of compile, options of bundle) → the folder, and what the command printed."""
    made = {}

    def bundle(name: str, *options: str, compiled: tuple[str, ...] = ()):
        key = (name, options, compiled)
        if key not in made:
            folder = tmp_path_factory.mktemp("bundle")
            onnx.save(getattr(models, name)(), folder / "m.onnx")
            path = os.environ["PATH"]  # in which TVM finds a linker
            done = command("compile", folder / "m.onnx", "-o", folder / "m.dycl", *compiled, PATH=path)
            assert done.returncode == 0, done.stderr
            done = command("bundle", folder / "m.dycl", "-o", folder / "out", *options)
            assert done.returncode == 0, done.stderr
            made[key] = folder / "out", done
        return made[key]

    return bundle


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder / "run", *arguments], env={}, capture_output=True, text=True, timeout=60, check=False
    )


def run_in_empty_root(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs where the bundle's folder is the root: no other file, no /proc, no /sys."""
    enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
    path = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        [*enter, folder, "/run", *arguments],
        env=path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_bundle_runs_where_there_is_nothing_else(bundles, command):
    folder, _ = bundles("choose")
    wanted = command("run", folder.parent / "m.dycl", *INPUT).stdout
    assert "f32[3]" in wanted
    for done in (run(folder, *INPUT), run_in_empty_root(folder, *INPUT)):
        assert (done.returncode, done.stdout) == (0, wanted), done.stderr


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino", "tvm"])
def test_no_library_of_a_bundle_needs_another_one(bundles, backend):
    folder, _ = bundles("choose", "--allow-native", compiled=("--backend", backend))
    (loader,) = (folder / "lib" / "system").glob("ld-linux*")
    libraries = [folder / "lib" / "dycl-run", *(folder / "lib").glob("*.so*")]
    libraries = [library for library in libraries if not library.name.startswith("version-of-")]
    assert len(libraries) >= 4
    for library in libraries:
        path = f"{folder}/lib:{folder}/lib/system"
        listed = subprocess.run(
            [loader, "--library-path", path, "--list", library],
            env={},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "not found" not in listed
        found = [line.split("=>")[1].split()[0] for line in listed.splitlines() if "=>" in line]
        assert found
        assert not [file for file in found if not file.startswith(str(folder))], (library, listed)
    done = run(folder, *INPUT)
    assert done.returncode == 0, done.stderr


def test_openvino_says_that_it_needs_proc_rather_than_wait_for_ever(bundles):
    folder, _ = bundles("choose", "--allow-native", compiled=("--backend", "openvino"))
    done = run_in_empty_root(folder, *INPUT)
    assert done.returncode == 4
    assert "mount /proc or /sys" in done.stderr


def test_a_bundle_may_be_moved_and_linked_to(bundles, tmp_path):
    folder, _ = bundles("choose")
    moved = shutil.copytree(folder, tmp_path / "a place" / "moved")
    (tmp_path / "linked").symlink_to(moved / "run")
    done = subprocess.run(
        ["./linked", *INPUT], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, run(folder, *INPUT).stdout), done.stderr


def test_the_table_lists_every_file_but_licences_with_its_size(bundles):
    folder, done = bundles("choose")
    lines = (folder / "SIZES.txt").read_text().splitlines()
    listed = {words[1]: int(words[0]) for words in (line.split() for line in lines[:-1])}
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert set(listed) == {name for name in files if name != "SIZES.txt" and not name.startswith("licences/")}
    for name, size in listed.items():
        assert files[name].stat().st_size == size
    assert "onnxruntime" in done.stdout
    assert {"run", "model.dycl", "lib/dycl-run", "lib/libdycl.so.0"} <= set(listed)
    assert not [name for name in listed if "python" in name]


def test_licences_of_all_owners_are_there(bundles):
    folder, done = bundles("choose")
    assert "Apache License" in (folder / "licences" / "DyCL" / "LICENSE").read_text()
    (vendor,) = (folder / "licences").glob("onnxruntime-*")
    assert (vendor / "LICENSE").stat().st_size > 500
    assert (folder / "licences" / "libc6" / "copyright").is_file()
    assert "no licence text was found" not in done.stderr


def test_what_is_stripped_is_said_and_the_rest_runs(bundles, command):
    folder, done = bundles("choose", "--strip-unused")
    assert "left out: the control-flow graph: no export to ONNX" in done.stderr
    assert run(folder, *INPUT).stdout == run(bundles("choose")[0], *INPUT).stdout
    stripped = folder / "model.dycl"
    for arguments in (["export", stripped], ["inspect", stripped, "--dot"], ["inspect", stripped, "--hcfg"]):
        refused = command(*arguments)
        assert refused.returncode == 3
        assert "because it was stripped" in refused.stderr


def test_machine_code_is_stripped_of_its_operators(bundles):
    folder, done = bundles("choose", "--strip-unused", "--allow-native", compiled=("--backend", "tvm"))
    assert "left out: the operators of compiled sub-DNNs" in done.stderr
    whole, _ = bundles("choose", "--allow-native", compiled=("--backend", "tvm"))
    assert (folder / "model.dycl").stat().st_size < (whole / "model.dycl").stat().st_size
    assert run(folder, *INPUT).stdout == run(whole, *INPUT).stdout != ""


def test_the_libraries_of_the_machine_may_be_used(bundles):
    folder, _ = bundles("choose", "--no-system")
    assert not (folder / "lib" / "system").exists()
    assert run(folder, *INPUT).stdout == run(bundles("choose")[0], *INPUT).stdout


def test_inputs_outputs_and_errors_are_those_of_dycl_run(bundles, command, tmp_path):
    folder, _ = bundles("choose")
    np.save(tmp_path / "x.npy", np.array([1, -3], np.float32))
    given = ["--input", f"x=@{tmp_path}/x.npy"]
    assert run(folder, *given).stdout == command("run", folder.parent / "m.dycl", *given).stdout
    for arguments, code, said in [
        ((), 2, "the input 'x' is missing [run.input_missing]\n  hint: the program takes x: f32["),
        (("--input", "y=1xf32"), 2, "there is no input 'y' [run.unknown_input]"),
        ((*INPUT, *INPUT), 2, "the input 'x' is given twice [run.input_twice]"),
        (("--input", "x=3xi64"), 2, "[run.input_dtype]"),
        (("--input", "x"), 2, "[argument.malformed]"),
        (("--what",), 2, "[argument.parse]"),
        ((*INPUT, "--repeat", "0"), 2, "[argument.parse]"),
        ((*INPUT, "--threads", "-1"), 2, "[argument.parse]"),
    ]:
        done = run(folder, *arguments)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert done.stderr.startswith("error: ")
        assert said in done.stderr
    timed = run(folder, *INPUT, "--repeat", "20", "--threads", "1")
    assert timed.returncode == 0
    assert "20 runs: median" in timed.stderr
    assert "--input" in run(folder, "--help").stdout


def test_a_bundle_that_lost_a_file_says_so(bundles, tmp_path):
    folder = shutil.copytree(bundles("choose")[0], tmp_path / "broken")
    (folder / "model.dycl").unlink()
    done = run(folder, *INPUT)
    assert done.returncode == 2
    assert "model.dycl" in done.stderr
    shutil.rmtree(folder / "lib")
    done = run(folder, *INPUT)
    assert done.returncode == 5
    assert "copy the whole folder of the bundle" in done.stderr


def test_wrong_folders_and_packages_are_refused_before_anything_is_written(packages, command, tmp_path):
    package = packages("choose")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "none.dycl").write_text("no package")
    for arguments, code, said in [
        ((package, "-o", tmp_path / "full"), 2, "is not empty [bundle.folder]"),
        ((package, "-o", tmp_path / "full" / "file" / "x"), 2, "[bundle.folder]"),
        ((tmp_path / "none.dycl", "-o", tmp_path / "out"), 5, "[package."),
        ((tmp_path / "gone.dycl", "-o", tmp_path / "out"), 2, "gone.dycl"),
        ((package,), 2, "--output is required"),
    ]:
        done = command("bundle", *arguments)
        assert done.returncode == code, done.stderr
        assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_program_of_numbers_and_lists_prints_as_dycl_run_does(command, tmp_path):
    torch = pytest.importorskip("torch")

    def counted(x, n: int):
        rows = []
        while x.sum() > 1:
            x = x / 2
            rows.append(x)
        return {"rows": rows, "steps": len(rows), "half": x.sum().item() / 2, "big": bool(x[0] > 1)}

    dycl.compile(counted, (torch.ones(2), 3)).save(tmp_path / "m.dycl")
    assert command("bundle", tmp_path / "m.dycl", "-o", tmp_path / "out", "-q").returncode == 0
    given = ["--input", "x=2xf32=3"]
    shown = run(tmp_path / "out", *given, "--structure").stdout.splitlines()[-1]
    assert json.loads(shown.removeprefix("structure: "))["dict"][1] == ["steps", {"value": 1}]
    assert run(tmp_path / "out", *given).stdout == command("run", tmp_path / "m.dycl", *given).stdout != ""
