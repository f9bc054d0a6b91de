# SPDX-License-Identifier: Apache-2.0
"""Messages of exceptions that a compiled program cannot word as eager does."""

import dycl
import pytest
import torch


def checked(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x}")
    return x


def test_a_message_that_shows_a_tensor_says_so_and_the_compiler_warns():
    with pytest.warns(UserWarning, match="the message of this exception says <tensor>"):
        program = dycl.compile(checked, (torch.ones(2),), progress=False)
    assert torch.equal(program(torch.ones(2)), torch.ones(2))
    with pytest.raises(ValueError, match=r"^negative: <tensor>"):
        program(-torch.ones(2))
