# SPDX-License-Identifier: Apache-2.0
"""The table: what it says of a dynamic model, and of the control, by every way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import zoo
from zoo import __main__ as command
from zoo import figures, flat, keeping, plot, resources, rivals, table

NAMES = ["cascade_nested", "resnet_static"]


@pytest.fixture(scope="module")
def parts():
    kinds = ["onnxruntime", "traced-onnxruntime", keeping.OTHERS]
    return [keeping.Part(zoo.entry(name, small=True), what, 12) for name in NAMES for what in kinds]


@pytest.fixture(scope="module")
def found(parts):
    return [part.measured() for part in parts]


@pytest.fixture(scope="module")
def results(found):
    return {
        "dates": ["2026-01-01"],
        "versions": table.versions(),
        "inputs": 12,
        "seconds": 60.0,
        "models": keeping.joined(found),
    }


def test_tracing_is_wrong_where_the_model_is_dynamic_and_ours_is_not(results):
    dynamic, control = results["models"]
    assert dynamic["backends"]["onnxruntime"]["ok"]
    assert dynamic["traced"]["onnxruntime"]["error"] > 0.01
    assert not dynamic["exported"]["compiled"]
    assert control["traced"]["onnxruntime"]["error"] < 1e-5
    assert control["exported"]["compiled"]
    assert control["backends"]["onnxruntime"]["ok"]


def test_the_table_has_a_row_for_each_model_and_way(results):
    text = table.text(results)
    assert text.count("| cascade_nested |") == 1 + 3 + 1
    assert "torch " in text
    assert "refused: `GuardOnDataDependentSymNode" in text
    assert json.loads(json.dumps(results)) == results
    document = f"before\n{command.BEGIN}\nold\n{command.END}\nafter\n"
    assert command._with_measured(document, "new") == f"before\n{command.BEGIN}\nnew\n{command.END}\nafter\n"


def test_the_listing_gives_every_figure():
    text = table.listing([figures.listed(zoo.entry("cascade_nested", small=True))])
    assert text.splitlines()[1].split()[:6] == ["cascade_nested", "18,743", "3", "3", "4", "4"]


def test_errors_of_flat_results_count_what_is_lacking():
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0, 2.0])
    assert flat.error([one], [one]) == 0.0
    assert flat.error([one], [two]) == 0.5
    assert flat.error([], [two]) == 1.0
    assert not flat.same_shapes([one], [two])
    assert flat.prediction([torch.tensor([[0.1, 0.9]])]) == [1]
    assert flat.prediction(flat.leaves(([3, 4], one))) == [3, 4]


def test_what_a_rival_refuses_is_its_first_line():
    def refuse():
        raise ValueError("\n  cannot do this\nbecause")

    assert rivals.judge(refuse, [], []) == {"compiled": False, "refused": "ValueError: cannot do this"}


def test_what_is_kept_is_not_measured_again(parts, found, tmp_path):
    for part, one in zip(parts, found, strict=True):
        part.file(tmp_path).write_text(json.dumps(one))
    assert keeping.complete(parts, tmp_path, pytest.fail) == found
    assert keeping.backends_kept(parts[0].entry, tmp_path) == ["onnxruntime"]
    other_inputs = keeping.Part(parts[0].entry, "onnxruntime", 13)
    other_form = keeping.Part(zoo.entry(NAMES[0]), "onnxruntime", 12)
    assert other_inputs.kept(tmp_path) is None
    assert other_form.kept(tmp_path) is None


def test_a_part_that_takes_its_process_along_is_a_row_that_says_so(parts, tmp_path):
    lost = keeping.Part(parts[0].entry, "no_such_backend", 12).in_a_process(tmp_path)
    (model,) = keeping.joined([lost])
    assert model["backends"]["no_such_backend"] == {
        "compiled": False,
        "refused": "the process that measured it ended with 1",
    }


def test_one_measures_a_part_and_the_table_is_put_together_from_the_folder(
    parts, found, tmp_path, monkeypatch
):
    folder, file = tmp_path / "kept", tmp_path / "table.json"
    folder.mkdir()
    for part, one in zip(parts[1:], found[1:], strict=True):
        part.file(folder).write_text(json.dumps(one))
    common = ["--small", "--inputs", "12", "--backends", "onnxruntime", "--keep", str(folder)]
    monkeypatch.setattr("sys.argv", ["zoo", "one", "--models", NAMES[0], *common])
    assert command.main() == 0
    assert parts[0].kept(folder) is not None
    monkeypatch.setattr(keeping.Part, "in_a_process", lambda part, folder: pytest.fail(part.shown))
    monkeypatch.setattr(
        "sys.argv", ["zoo", "table", "--models", ",".join(NAMES), *common, "--json", str(file)]
    )
    assert command.main() == 0
    models = json.loads(file.read_text())["models"]
    assert [model["model"] for model in models] == NAMES
    assert all(model["backends"]["onnxruntime"]["ok"] for model in models)


def test_compiling_finds_an_empty_cache_and_leaves_the_environment_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    with resources.empty_cache():
        assert os.environ["XDG_CACHE_HOME"] != str(tmp_path)
        assert not Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).exists()
    assert os.environ["XDG_CACHE_HOME"] == str(tmp_path)
    assert "TORCHINDUCTOR_CACHE_DIR" not in os.environ


def test_the_seconds_of_processes_that_live_on_are_counted():
    clock = resources.Clock()
    busy = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        alive = clock.taken()["cpu_seconds"]
        process.communicate(b"\n")
    assert alive >= 0.45
    assert clock.taken()["cpu_seconds"] >= 0.45


def test_the_plot_shows_the_worst_of_the_backends_and_nothing_where_all_refuse():
    one, other, refused = (
        {"compiled": True, "error": 0.0},
        {"compiled": True, "error": 2.0},
        {"compiled": False},
    )
    assert plot.worst([{"a": one, "b": other}, {"a": refused}, {"a": one}]) == {0: 2.0, 2: plot.SMALLEST}


def test_the_document_holds_every_model_on_every_backend_that_must_take_it():
    text = (Path(zoo.__file__).parent.parent / "docs" / "zoo.md").read_text()
    rows = [line.split(" | ")[:3] for line in text.splitlines()]
    wanted = [(name, backend) for name in zoo.NAMES for backend in table.FOR_ALL]
    wanted += [(name, backend) for name in zoo.NINE for backend in ("tvm", "aot_inductor")]
    assert [pair for pair in wanted if [f"| {pair[0]}", pair[1], "yes"] not in rows] == []


def test_the_plot_of_the_document_has_every_model_as_text_and_is_small():
    text = (Path(zoo.__file__).parent.parent / "docs" / "zoo.svg").read_text()
    assert [name for name in zoo.NAMES if f">{name}" not in text] == []
    assert len(text) < 60_000
