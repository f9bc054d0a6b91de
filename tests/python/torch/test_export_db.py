# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own examples of what torch.export meets: at least 30 of 36 equal to eager, none wrong."""

import copy

import dycl
import pytest
import torch
from python.torch.case import Call
from python.torch.harness import check
from torch._export.db.examples import all_examples

EXAMPLES = all_examples()
# name -> why it is refused
REFUSED = {
    "constrain_as_size_example": "the size of its result is a number read from the input",
    "dynamic_shape_round": "rounds a size to make a slice",
    "user_input_mutation": "writes into its input",
    "tensor_setattr": "sets an attribute of the caller's tensor",
    "model_attr_mutation": "keeps a list on the model from call to call",
    "autograd_function": "defines a gradient",
}


def calls_of(example):
    """The example's own inputs, and the same with signs turned and values moved: other sides of branches."""
    first = (example.example_args, dict(example.example_kwargs))
    calls = [first]
    for change in (lambda t: -t, lambda t: t + 3, lambda t: t * 0):
        calls.append(torch.utils._pytree.tree_map_only(torch.Tensor, change, copy.deepcopy(first)))
    return calls


@pytest.mark.suite("torch-export-db")
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_equals_eager_or_is_refused(name):
    example = EXAMPLES[name]
    model = copy.deepcopy(example.model).eval()
    args, kwargs = calls_of(example)[0]
    if name in REFUSED:
        with pytest.raises(dycl.UnsupportedError):
            dycl.compile(model, args, kwargs or None)
        return
    check(model, [Call(*call) for call in calls_of(example)], every_path=False)


def test_nearly_all_are_equal():
    assert len(EXAMPLES) == 36
    assert len(EXAMPLES) - len(REFUSED) >= 30
