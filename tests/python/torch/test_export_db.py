# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own examples of what torch.export meets: at least 30 of 36 equal to eager, none wrong."""

import copy
import importlib.util
import inspect
import shutil

import dycl
import pytest
import torch
from dycl.verification.compare import differences
from python.torch.case import Call
from python.torch.harness import check
from torch._export.db.examples import all_examples

EXAMPLES = all_examples()
# name -> why it is refused
REFUSED = {"tensor_setattr": "sets an attribute of the caller's tensor"}
# torch runs these through its own compiler, which does not work while decisions are recorded.
UNRECORDED = {"cond_closed_over_variable", "dynamic_shape_map"}


def as_user_code(example, folder):
    """The example from a file outside of torch: what torch itself decides is no decision of a model's."""
    source = inspect.getsourcefile(type(example.model))
    path = folder / "example.py"
    shutil.copy(source, path)
    spec = importlib.util.spec_from_file_location(f"{example.model.__class__.__module__}_copy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.model


def calls_of(example):
    """The example's own inputs, and the same with signs turned and values moved: other sides of branches."""
    first = (example.example_args, dict(example.example_kwargs))
    calls = [first]
    for change in (
        lambda t: t.logical_not() if t.dtype == torch.bool else -t,
        lambda t: t + 3,
        lambda t: t * 0,
    ):
        calls.append(torch.utils._pytree.tree_map_only(torch.Tensor, change, copy.deepcopy(first)))
    return [call for call in calls if call_is_alike(first, call)]


def call_is_alike(first, call):
    """What is added to a bool tensor is no bool any more."""
    types = [
        [t.dtype for t in torch.utils._pytree.tree_leaves(c) if torch.is_tensor(t)] for c in (first, call)
    ]
    return types[0] == types[1]


@pytest.mark.suite("torch-export-db")
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_equals_eager_or_is_refused(name, tmp_path):
    example = EXAMPLES[name]
    model = as_user_code(example, tmp_path).eval()
    args, kwargs = calls_of(example)[0]
    if name in REFUSED:
        with pytest.raises(dycl.UnsupportedError):
            dycl.compile(model, args, kwargs or None)
        return
    if name in UNRECORDED:
        program = dycl.compile(model, args, kwargs or None)
        for values, named in calls_of(example):
            assert not differences(program(*values, **named), model(*values, **named), 1e-5)
        return
    check(model, [Call(*call) for call in calls_of(example)], every_path=False)


def test_nearly_all_are_equal():
    assert len(EXAMPLES) == 36
    assert len(EXAMPLES) - len(REFUSED) >= 30
