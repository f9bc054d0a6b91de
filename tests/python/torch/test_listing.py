# SPDX-License-Identifier: Apache-2.0
"""The list of what CPython may run while compiling: a wrong entry is found, and damages nothing."""

import subprocess
import sys

import pytest
import torch
from dycl.prelude import pure

# In a process of its own: the machine reads the list once.
WRONG_ENTRY = """
import numpy as np, torch, dycl
from dycl.prelude import pure

ARRAY, LIST, TENSOR = np.arange(3.0), [3.0, 1.0, 2.0], torch.zeros(2)

def grows(items):
    items.append(0.0)
    return len(items)

def adds(tensor):
    tensor.add_(1)
    return tensor.sum().item()

for function in (grows, adds):
    pure.LISTED[id(function)] = pure.Pure("data", "wrong")

def model(x):
    return x + {call}

try:
    dycl.compile(model, torch.ones(2))
except dycl.UnsupportedError as error:
    print(error)
print(ARRAY.tolist(), LIST, TENSOR.tolist())
"""


@pytest.mark.parametrize(
    ("call", "what"),
    [("grows(LIST)", "a list"), ("adds(TENSOR)", "a tensor"), ("adds(TENSOR[:1])", "a tensor")],
)
def test_an_entry_that_is_wrong_is_found_and_damages_nothing(call, what, tmp_path):
    script = tmp_path / "wrong_entry.py"
    script.write_text(WRONG_ENTRY.replace("{call}", call))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    refusal, *_, objects = done.stdout.splitlines()
    assert f"has changed {what}, though DyCL lists it" in refusal
    assert "[python.wrong_listing]" in refusal
    assert objects == "[0.0, 1.0, 2.0] [3.0, 1.0, 2.0] [0.0, 0.0]"


def test_every_entry_says_what_it_takes_and_why():
    takes = {"data", "layers", "trees", "descriptions", "anything"}
    assert len(pure.LISTED) > 1500
    assert all(entry.takes in takes and entry.why for entry in pure.LISTED.values())


def test_what_writes_is_not_listed_as_pure():
    assert not set(pure.WRITES) & set(pure.LISTED)


def test_a_layer_with_methods_of_its_own_is_not_read_plainly():
    class Own(torch.nn.ModuleList):
        def __len__(self):
            return 1

    assert pure.reads_plainly(torch.nn.ModuleList([torch.nn.ReLU()]), whole=True)
    assert not pure.reads_plainly(Own(), whole=False)
    assert pure.reads_plainly(torch.nn.Sequential(Own()), whole=False)
    assert not pure.reads_plainly(torch.nn.Sequential(Own()), whole=True)
