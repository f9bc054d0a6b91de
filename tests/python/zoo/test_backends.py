# SPDX-License-Identifier: Apache-2.0
"""Every model, on every backend that must take it, gives what eager gives, on every path."""

import pytest
from python.zoo.check import checked

import zoo
from zoo import measure

BACKENDS = ("onnxruntime", "openvino")
# Optional ones: their dependencies are extras.
OTHERS = [name for name in measure.backends() if name not in BACKENDS]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", zoo.NAMES)
def test_the_small_form_equals_eager_on_every_path(name, backend):
    checked(zoo.entry(name, small=True), backend, 24)


# They compile for minutes: the rest is among the full forms below.
QUICK = ("sdn_mobilenet", "tvm")
SMALL = [(name, backend) for name in ("sdn_mobilenet", "two_backbones") for backend in OTHERS]


@pytest.mark.parametrize(
    ("name", "backend"),
    [pytest.param(*pair, marks=[] if pair == QUICK else pytest.mark.long) for pair in SMALL],
)
def test_the_small_form_equals_eager_on_other_backends(name, backend):
    checked(zoo.entry(name, small=True), backend, 24)


# All models on the first two, the nine on every other.
FULL = [(name, backend) for backend in BACKENDS for name in zoo.NAMES]
FULL += [(name, backend) for backend in OTHERS for name in zoo.NINE]


@pytest.mark.long
@pytest.mark.suite("zoo")
@pytest.mark.parametrize(("name", "backend"), FULL)
def test_the_full_form_equals_eager_on_fifty_inputs(name, backend):
    taken, edges = checked(zoo.entry(name), backend, 50, every_edge=False)
    assert taken >= 0.9 * edges


@pytest.mark.long
@pytest.mark.suite("zoo")
@pytest.mark.parametrize("name", ["caption_resnext", "caption_googlenet"])
def test_captions_of_up_to_fifty_words_equal_eager(name):
    entry = zoo.entry(name)
    checked(entry, "onnxruntime", 12, every_edge=False, max_steps=50)


@pytest.mark.long
@pytest.mark.suite("zoo")
def test_a_thousand_gates_equal_eager():
    taken, edges = checked(zoo.entry("thousand_gates"), "onnxruntime", 24, every_edge=False, n=1000)
    assert taken == edges


def test_the_backends_that_the_table_uses_are_those_that_are_installed():
    assert set(BACKENDS) <= set(measure.backends())
