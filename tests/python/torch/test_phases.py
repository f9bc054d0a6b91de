# SPDX-License-Identifier: Apache-2.0
"""A PyTorch model passes through phases as an ONNX model does, and rewriting is the first of them."""

import dycl
import pytest
import torch

EXAMPLE = (torch.ones(3),)


def doubled_while_small(x):
    while x.sum() < 10:
        x = x * 2
    return x if x[0] > 2 else -x


def test_rewriting_tells_how_far_it_is():
    told = []
    dycl.compile(doubled_while_small, EXAMPLE, progress=lambda *step: told.append(step))
    phases = list(dict.fromkeys(phase for phase, *_ in told))
    assert phases == ["rewrite", "hcfg", "optimize", "legalize", "subnet", "compile_subnets", "host_gen"]
    rewriting = [step[1:] for step in told if step[0] == "rewrite"]
    assert rewriting[0] == (0, 0, "run what is known of the model and write the rest as a graph")
    calls = [done for done, total, what in rewriting[1:] if total == 0 and what.startswith("leaf calls, ")]
    assert calls == list(range(1, len(rewriting)))


def test_what_a_progress_function_raises_while_rewriting_is_raised_as_it_is():
    """It is no exception of the model, whose handlers never see it."""

    def handles(x):
        try:
            return x * 2 if x.sum() > 0 else x
        except KeyError:
            return x

    told = []

    def enough(phase, done, total, what):
        told.append(phase)
        if done == 1:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        dycl.compile(handles, EXAMPLE, progress=enough)
    assert set(told) == {"rewrite"}


def test_a_refusal_points_at_the_node_and_not_at_another_of_that_name():
    def remainders(x, n):
        left = n % 3
        return left, torch.fmod(x, 2.0) if x.sum() > 0 else x

    example = (torch.ones(3), torch.arange(3))
    with pytest.raises(dycl.BackendError, match="remainder of floats") as caught:
        dycl.compile(remainders, example, backend="openvino", threads=1)
    assert caught.value.line == remainders.__code__.co_firstlineno + 2
