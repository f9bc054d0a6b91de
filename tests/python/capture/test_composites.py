# SPDX-License-Identifier: Apache-2.0
"""Keeping composite operators whole is torch's own doing, repeated quickly, and leaves nothing behind."""

import torch
from dycl.frontend.lower.composites import composites_kept
from dycl.frontend.lower.torch_adapter import new_mode, tables, trace
from torch._subclasses.fake_impls import op_implementations_dict
from torch.export.exported_program import _override_composite_implicit_decomp


def state():
    """The kernels of every operator, and which of them have a rule for fake tensors."""
    return {
        operator: (dict(operator.py_kernels), op_implementations_dict.get(operator))
        for operator in tables().composite
    }


def test_nothing_is_left_behind():
    rule = op_implementations_dict[torch.ops.aten.item.default]  # torch's own manager drops it
    before = state()
    for _ in range(2):
        with composites_kept():
            assert state() != before
        assert state() == before
    assert op_implementations_dict[torch.ops.aten.item.default] is rule


def test_nothing_is_left_behind_by_an_error():
    before = state()
    try:
        with composites_kept():
            raise KeyError
    except KeyError:
        assert state() == before


def test_each_time_it_does_what_torch_does():
    with composites_kept():
        pass  # the first time goes through torch's manager
    with composites_kept():
        ours = state()
    margin_loss = torch.ops.aten.multi_margin_loss.default  # which torch's manager leaves alone
    assert margin_loss not in ours
    with _override_composite_implicit_decomp(tables().composite):
        theirs = state()
    for operator, (kernels, rule) in ours.items():
        assert kernels.keys() == theirs[operator][0].keys(), operator
        assert (rule is None) == (theirs[operator][1] is None), operator


def test_a_composite_is_kept_whole():
    for _ in range(2):
        with composites_kept():
            mode = new_mode()
            with mode:
                operands = [torch.empty(1, 3, 8, 8), torch.empty(4, 3, 3, 3)]
            graph = trace(mode, lambda values: [torch.conv2d(*values)], operands).graph
        assert torch.ops.aten.conv2d.default in [node.target for node in graph.nodes]
