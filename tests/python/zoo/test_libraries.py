# SPDX-License-Identifier: Apache-2.0
"""Sub-DNNs that differ in weights only share one compiled library, where weights are data of the backend."""

import json
import zipfile

import dycl
import pytest

import zoo
from zoo import measure

pytestmark = [pytest.mark.long, pytest.mark.suite("zoo")]


def libraries(name, backend, path):
    """How many the package carries, and how many sub-DNNs there are."""
    entry = zoo.entry(name)
    with measure.quiet():
        program = dycl.compile(entry.build(), entry.inputs(0, 1)[0], backend=backend, threads=1)
    program.save(path)
    subnets = json.loads(zipfile.ZipFile(path).read("manifest.json"))["subnets"].values()
    return sum(backend in subnet["blobs"] for subnet in subnets), len(subnets)


@pytest.mark.parametrize(("name", "most"), [("blockdrop", 12), ("skipnet_ff", 12), ("skipnet_rnn", 13)])
def test_equal_blocks_share_a_library_of_aot_inductor(name, most, tmp_path):
    own, subnets = libraries(name, "aot_inductor", tmp_path / "program.dycl")
    assert own <= most, (own, subnets)
    assert subnets > 2 * own


@pytest.mark.parametrize(("name", "most"), [("blockdrop", 12), ("skipnet_ff", 12), ("skipnet_rnn", 13)])
def test_equal_blocks_share_a_library_of_tvm(name, most, tmp_path):
    own, subnets = libraries(name, "tvm", tmp_path / "program.dycl")
    assert own <= most, (own, subnets)
    assert subnets > 2 * own
