# SPDX-License-Identifier: Apache-2.0
"""TensorFlow models that came through tf2onnx give TensorFlow's own recorded answers."""

from pathlib import Path

import dycl
import numpy as np
import pytest

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "tensorflow"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.onnx"))


def recorded_runs(name):
    """(inputs by name, outputs in order) of every run TensorFlow did; see make_tensorflow_fixtures.py."""
    runs: dict[int, tuple[dict, dict]] = {}
    for key, array in np.load(FIXTURES / f"{name}.npz").items():
        kind, number, rest = key.split("_", 2)
        inputs, outputs = runs.setdefault(int(number), ({}, {}))
        (inputs if kind == "input" else outputs)[rest] = array
    return [(inputs, [outputs[k] for k in sorted(outputs)]) for inputs, outputs in runs.values()]


def test_both_kinds_of_tensorflow_models_are_there():
    assert NAMES == ["keras_early_exit", "normalize_until_small"]


@pytest.mark.suite("tensorflow")
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("name", NAMES)
def test_results_equal_what_tensorflow_recorded(name, backend):
    program = dycl.compile(str(FIXTURES / f"{name}.onnx"), backend=backend)
    for inputs, expected in recorded_runs(name):
        given = program.run(None, inputs)
        for ours, theirs in zip(given, expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
