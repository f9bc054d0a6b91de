# SPDX-License-Identifier: Apache-2.0
"""Other batch sizes, picture sizes and dtypes: right, or refused with a reason."""

import pytest
import torch
from python.zoo.check import right_or_refused

import zoo
from zoo import measure
from zoo.parts.samples import images

pytestmark = [pytest.mark.long, pytest.mark.suite("zoo-variants")]

BATCHED = [name for name in zoo.NAMES if zoo.entry(name).batches]
PICTURES = [name for name in zoo.NAMES if hasattr(zoo.entry(name).module, "SIZES")]
# ONNX Runtime has no convolutions and no erf in f64, OpenVINO no f64 and no rounding to f16; BlockDrop's
# float() mixes dtypes, which eager does not take either. The rest must be right.
RIGHT = {
    (torch.float64, "onnxruntime"): {"rnn_varlen", "thousand_gates"},
    (torch.float16, "onnxruntime"): set(zoo.NAMES) - {"blockdrop"},
}
TOLERANCES = {torch.float64: 1e-9, torch.float16: 5e-3}


def on_backends(names):
    """(name, backend): the nine on tvm, too."""
    every = [(name, backend) for name in names for backend in ("onnxruntime", "openvino")]
    return pytest.mark.parametrize(
        ("name", "backend"), every + [(name, "tvm") for name in names if name in zoo.NINE]
    )


@pytest.mark.parametrize("batch", [3, 8])
@on_backends(BATCHED)
def test_batches_are_right(name, batch, backend):
    entry = zoo.entry(name, small=True)
    singles = [call[0] for call in entry.inputs(0, 4 * batch)]
    calls = [(torch.cat(singles[i : i + batch]),) for i in range(0, len(singles), batch)]
    assert right_or_refused(entry.build(), calls, measure.TOLERANCES[backend], backend=backend) == "right"


@on_backends(PICTURES)
def test_odd_pictures_are_right(name, backend):
    entry = zoo.entry(name, small=True)
    size = entry.module.SIZES[True] + 5
    calls = [(picture,) for picture in images(0, 8, size)]
    assert right_or_refused(entry.build(), calls, measure.TOLERANCES[backend], backend=backend) == "right"


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@on_backends(zoo.NAMES)
def test_other_dtypes_are_right_or_refused(name, dtype, backend, record_property):
    entry = zoo.entry(name, small=True)
    calls = [
        tuple(value.to(dtype) if value.is_floating_point() else value for value in call)
        for call in entry.inputs(0, 8)
    ]
    outcome = right_or_refused(entry.build().to(dtype), calls, TOLERANCES[dtype], backend=backend)
    record_property("outcome", "equal" if outcome == "right" else "refused")
    assert outcome == "right" or ("refused]" in outcome and name not in RIGHT.get((dtype, backend), ())), (
        outcome
    )
