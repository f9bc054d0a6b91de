# SPDX-License-Identifier: Apache-2.0
"""What compilations remember: found again when nothing changed, and made anew exactly where something did."""

import functools
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import dycl
import dycl.frontend.cache.store
import dycl.frontend.cache.versions
import pytest
import torch
from dycl import _search
from torch import nn

pytestmark = pytest.mark.usefixtures("no_other_program")


class Exits(nn.Module):
    """Three sub-DNNs: the second layer is in a branch of its own."""

    def __init__(self, activation=nn.ReLU):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(64, 64)
        self.second = nn.Sequential(nn.Linear(64, 32), activation())
        self.last = nn.Linear(64, 32)

    def forward(self, x):
        x = self.first(x)
        if x.sum() > 0:
            return self.second(x)
        return self.last(x).exp()


X = torch.ones(1, 64)


def compiled(model, folder, **options):
    """The program, and for each kind how much was found and how much was missed."""
    program = dycl.compile(model.eval(), X, cache=folder, **options)
    for x in (X, -X):
        with torch.no_grad():
            torch.testing.assert_close(program(x), model(x))
    counts = program.stats()["cache"]
    return program, {kind: (count["found"], count["missed"]) for kind, count in counts.items()}


@pytest.fixture(params=["onnxruntime", "openvino"])
def backend(request):
    return request.param


def test_everything_is_found_again(tmp_path, backend):
    first, made = compiled(Exits(), tmp_path, backend=backend)
    found = made["fragments"][1], made["subnets"][1]
    assert made == {"fragments": (0, found[0]), "subnets": (0, found[1])}
    assert found[1] == 3
    second, recalled = compiled(Exits(), tmp_path, backend=backend)
    assert recalled == {"fragments": (found[0], 0), "subnets": (found[1], 0)}
    assert first.hcfg == second.hcfg


def test_another_weight_compiles_its_own_sub_dnn_only(tmp_path, backend):
    _, made = compiled(Exits(), tmp_path, backend=backend)
    model = Exits()
    with torch.no_grad():
        model.last.weight[0, 0] += 1
    _, recalled = compiled(model, tmp_path, backend=backend)
    assert recalled == {"fragments": (made["fragments"][1], 0), "subnets": (2, 1)}


def test_another_layer_compiles_what_it_changes_only(tmp_path, backend):
    _, made = compiled(Exits(), tmp_path, backend=backend)
    _, recalled = compiled(Exits(nn.Tanh), tmp_path, backend=backend)
    assert recalled == {"fragments": (made["fragments"][1] - 1, 1), "subnets": (2, 1)}


def test_another_option_compiles_what_depends_on_it(tmp_path, backend):
    made = compiled(Exits(), tmp_path, backend=backend, threads=1)[
        1
    ]  # the program must be gone: its pool stays
    all_found = {"fragments": (made["fragments"][1], 0), "subnets": (3, 0)}
    assert compiled(Exits(), tmp_path, backend=backend, threads=1, optimize=0)[1] == all_found
    recalled = compiled(Exits(), tmp_path, backend=backend, threads=2)[1]
    assert recalled == {**all_found, "subnets": (0, 3)}


def test_another_version_of_torch_lowers_everything_anew(tmp_path, backend, monkeypatch):
    _, made = compiled(Exits(), tmp_path, backend=backend)
    monkeypatch.setattr(torch, "__version__", "2.99.0")
    _, recalled = compiled(Exits(), tmp_path, backend=backend)
    assert recalled == {"fragments": (0, made["fragments"][1]), "subnets": (3, 0)}


@pytest.mark.parametrize("distribution", dycl.frontend.cache.versions._DISTRIBUTIONS)
def test_versions_name_every_package_that_lowers(distribution, monkeypatch):
    before = dycl.frontend.cache.versions.versions("reference 1")
    monkeypatch.setattr(
        dycl.frontend.cache.versions, "_version", lambda name: "0" if name == distribution else "1"
    )
    changed = dycl.frontend.cache.versions.versions("reference 1")
    monkeypatch.setattr(dycl.frontend.cache.versions, "_version", lambda name: "1")
    assert len({before, changed, dycl.frontend.cache.versions.versions("reference 1")}) == 3


def test_versions_name_the_reference_and_the_build_of_the_extension(monkeypatch):
    versions = dycl.frontend.cache.versions
    assert versions.versions(_search.runtime().reference) != versions.versions("reference 1")
    before = versions.versions("reference 1")
    monkeypatch.setattr(versions._core, "__file__", __file__)
    assert versions.versions("reference 1") != before


def test_another_build_of_the_backend_compiles_everything_anew(tmp_path, monkeypatch):
    _, made = compiled(Exits(), tmp_path / "cache")
    name = "libdycl_backend_onnxruntime.so"
    (plugin,) = [folder / name for folder in _search.plugin_folders() if (folder / name).exists()][:1]
    other = tmp_path / "plugins"
    other.mkdir()
    shutil.copy(plugin, other)
    monkeypatch.setenv("DYCL_BACKEND_PATH", os.pathsep.join(map(str, [other, *_search.plugin_folders()])))
    _, recalled = compiled(Exits(), tmp_path / "cache")
    assert recalled == {"fragments": (made["fragments"][1], 0), "subnets": (0, 3)}


def test_timings_of_auto_are_found_again(tmp_path):
    _, made = compiled(Exits(), tmp_path, backend="auto:onnxruntime,openvino")
    _, recalled = compiled(Exits(), tmp_path, backend="auto:onnxruntime,openvino")
    assert made["choices"] == (0, 3)
    assert recalled["choices"] == (3, 0)
    assert recalled["subnets"] == (6, 0)


def test_sizes_that_differ_between_calls_are_found_again(tmp_path):
    class Grows(nn.Module):
        def forward(self, x):
            while x.shape[0] < 5 and x.sum() < 100:
                x = torch.cat([x, x[:1].reshape(1, x.size(1)) * x.dim()])
            return x[1:].mean(0), x.shape[0]

    batch = {"x": {0: torch.export.Dim("n", min=1, max=9)}}
    missed = []
    for _ in range(2):
        program = dycl.compile(Grows(), torch.ones(2, 4), dynamic_shapes=batch, cache=tmp_path)
        missed.append(program.stats()["cache"]["fragments"]["missed"])
        for rows in (1, 2, 6):
            x = torch.arange(4.0 * rows).reshape(rows, 4)
            torch.testing.assert_close(program(x), Grows()(x))
    assert missed[0] > missed[1] == 0


def test_what_somebody_put_in_the_place_of_torchs_functions_is_not_taken_for_them(tmp_path, monkeypatch):
    compiled(Exits(), tmp_path)
    monkeypatch.setattr(nn.ReLU, "forward", lambda self, x: x.clamp(min=0) + 1)
    compiled(Exits(), tmp_path)
    monkeypatch.undo()
    _, recalled = compiled(Exits(), tmp_path)
    assert recalled["fragments"][1] == 0

    def shifted(x, inplace=False):
        return torch.clamp(x, min=0) - 1

    monkeypatch.setattr(torch.nn.functional, "relu", shifted)  # which the layer calls
    compiled(Exits(), tmp_path)


class Doubles(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        return result * 2 if getattr(function, "__name__", "") == "relu" else result


def scaled_relu(x, inplace=False):
    return torch.relu(x) * 3


@pytest.mark.parametrize(
    ("place", "name", "other"),
    [
        (torch.nn.functional, "relu", torch.nn.functional.silu),  # torch's own, but another one
        (torch.nn.functional, "relu", functools.partial(torch.nn.functional.elu, alpha=0.3)),
        (torch.nn.functional, "relu", torch.no_grad()(scaled_relu)),  # seen through torch's wrapper only
        (torch, "relu", torch.tanh),
        (nn.ReLU, "forward", nn.Tanh.forward),
        (torch.nn.functional.leaky_relu, "__defaults__", (0.5, False)),
        (torch.linalg, "vector_norm", lambda x, *_, **__: x.abs().sum() + 1),
        (nn.Linear, "extra", property(lambda self: 2)),
    ],
)
def test_a_name_of_torch_that_means_another_function_of_torch_is_lowered_anew(
    tmp_path, monkeypatch, place, name, other
):
    class Uses(nn.Module):
        def __init__(self):
            super().__init__()
            self.activation = nn.ReLU()

        def forward(self, x):
            if x.sum() < 0:
                return torch.nn.functional.leaky_relu(x)
            return self.activation(x - 2) + torch.nn.functional.normalize(x)

    compiled(Uses(), tmp_path)
    monkeypatch.setattr(place, name, other, raising=False)
    _, recalled = compiled(Uses(), tmp_path)
    assert recalled.get("fragments", (0, 0))[0] == 0


def test_a_property_that_somebody_gave_tensors_is_asked_for_anew(tmp_path, monkeypatch):
    for factor in (2, 3):
        monkeypatch.setattr(
            torch.Tensor, "rows", property(lambda x, by=factor: x.shape[0] * by), raising=False
        )
        program = dycl.compile(lambda x: x * x.rows, X, cache=tmp_path)
        torch.testing.assert_close(program(X), X * factor)


def test_what_a_mode_around_the_compilation_changes_is_not_remembered(tmp_path):
    compiled(Exits(), tmp_path)
    with Doubles():
        _, recalled = compiled(Exits(), tmp_path)
    assert "fragments" not in recalled


def test_an_operation_that_somebody_registered_is_lowered_anew(tmp_path):
    def scaled(x):
        return torch.ops.dycl_test_cache.scaled(x)

    with torch.library._scoped_library("dycl_test_cache", "DEF") as definition:
        definition.define("scaled(Tensor x) -> Tensor")
        for factor in (2, 3):
            with torch.library._scoped_library("dycl_test_cache", "IMPL") as library:
                library.impl("scaled", lambda x, by=factor: x * by, "CompositeImplicitAutograd")
                program = dycl.compile(scaled, X, cache=tmp_path)
                torch.testing.assert_close(program(X), X * factor)


def test_a_rotten_entry_is_made_anew(tmp_path):
    compiled(Exits(), tmp_path)
    for file in tmp_path.glob("*/*.entry"):
        contents = bytearray(file.read_bytes())
        contents[-1] ^= 1
        file.write_bytes(contents)
    _, recalled = compiled(Exits(), tmp_path)
    assert {found for found, _ in recalled.values()} == {0}


def test_nothing_foreign_is_called_when_an_entry_is_read(tmp_path):
    class Cache:
        def find(self, kind, key):
            return pickle.dumps(eval)

        def keep(self, kind, key, value):
            pass

    store = dycl.frontend.cache.store.Store(Cache(), "reference 1")
    assert store.recall_or_make(("key",), lambda: "made") == "made"


def test_without_a_cache_nothing_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = dycl.compile(Exits().eval(), X, cache=False)
    assert program.stats()["cache"] == {}
    assert not (tmp_path / "dycl" / "compiled").exists()


def test_onnx_models_find_their_sub_dnns_again(tmp_path):
    model = dycl.compile(Exits().eval(), X, cache=False).to_onnx()
    made = dycl.compile(model, cache=tmp_path).stats()["cache"]["subnets"]
    recalled = dycl.compile(model, cache=tmp_path).stats()["cache"]["subnets"]
    assert made["found"] == 0
    assert recalled == {"found": made["missed"], "missed": 0}


def test_the_command_shows_and_clears(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    dycl.compile(Exits().eval(), X, cache=tmp_path / "dycl" / "compiled")

    def run(*arguments):
        command = [sys.executable, "-m", "dycl", "cache", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert "subnets             3 entries" in run()
    assert '"fragments"' in run("--json")
    assert run("--clear") == f"{tmp_path / 'dycl' / 'compiled'}: empty\n"


class TestTvm:
    """It remembers by graph: weights are inputs of what it compiles."""

    @pytest.fixture(autouse=True)
    def _is_there(self):
        pytest.importorskip("tvm")

    def entries(self, folder):
        return len(list(folder.glob("tvm/*.entry")))

    def test_weights_are_data_and_tuning_is_not(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        folder = tmp_path / "compiled"
        compiled(Exits(), folder, backend="tvm")
        before = self.entries(folder)
        assert before == 3
        model = Exits()
        with torch.no_grad():
            model.last.weight[0, 0] += 1
        compiled(model, folder, backend="tvm")
        assert self.entries(folder) == before
        records = tmp_path / "dycl" / "tvm" / "some target" / "records.json"
        records.parent.mkdir(parents=True)
        records.write_text("[]")
        dycl.compile(Exits(nn.Tanh).eval(), X, backend="tvm", cache=folder)
        assert self.entries(folder) == 2 * before


def test_the_second_compilation_is_five_times_faster(tmp_path):
    """Each in a process of its own; processor time, as other tests share the machine."""
    script = tmp_path / "compile_it.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys, time, warnings
        warnings.simplefilter("ignore")
        sys.path.append({str(Path(__file__).parents[2])!r})
        import torch, dycl, zoo
        torch.set_num_threads(1)
        entry = zoo.entry("sdn_resnet56")
        model, call = entry.build(), entry.inputs(0, 1)[0]
        start = time.process_time()
        dycl.compile(model, call, threads=1, cache={str(tmp_path / "cache")!r})
        print(time.process_time() - start)
        """)
    )
    first, *later = (
        float(subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    )
    assert first >= 5 * min(later), (first, later)  # what else the machine does only adds to a time
