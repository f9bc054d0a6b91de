# SPDX-License-Identifier: Apache-2.0
"""The models of `make demo`: ordinary PyTorch code, equal to eager on every path."""

import importlib
import sys
from pathlib import Path

import dycl
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "demo" / "pytorch"


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module
    for name in ("demo", "early_exit", "layer_skip"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("file", "name"), [("early_exit", "EarlyExit"), ("layer_skip", "LayerSkip")])
def test_an_example_takes_every_path_and_equals_eager(example, file, name):
    assert "dycl" not in (FOLDER / f"{file}.py").read_text()
    module = example(file)
    model = getattr(module, name)().eval()
    images = module.images(40)
    program = dycl.compile(model, images[0], threads=1)
    report = dycl.verify(program, model, images, search=None)
    assert report.ok, report
    assert report.missed == []


def test_the_outline_of_a_graph_is_short(example):
    module = example("early_exit")
    model, (image,) = module.EarlyExit().eval(), module.images(1)
    outline = example("demo").outline(dycl.compile(model, image, threads=1).hcfg)
    assert outline.count("subnet") == 3
    assert outline.count("operations }") == 3
    assert len(outline.splitlines()) < 40
    assert "const %w" not in outline
