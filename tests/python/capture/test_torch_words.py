# SPDX-License-Identifier: Apache-2.0
"""What torch tells in words only where it types a call: it still says so in the words that are known."""

import pytest
import torch
from dycl.frontend.lower import torch_adapter
from dycl.frontend.lower.torch_adapter import Said

CALLS = {
    Said.FLOAT_ALPHA: lambda: torch.add(torch.ones(2, dtype=torch.int64), torch.ones(2).long(), alpha=0.5),
    Said.EMPTY_DIMENSION: lambda: torch.ones(0, 3).amax(0),
    Said.NAMES_A_FAKE: lambda: torch.cat(torch.ones(2)),
}


@pytest.mark.parametrize("meaning", Said)
def test_torch_says_it_in_these_words(meaning):
    with (
        torch_adapter.typing(torch_adapter.new_mode()),
        pytest.raises((RuntimeError, TypeError, ValueError)) as raised,
    ):
        CALLS[meaning]()
    assert torch_adapter.said(raised.value) is meaning
    assert sorted(torch_adapter.WORDS.values(), key=lambda said: said.value) == list(Said)


def test_other_errors_say_nothing_of_the_kind():
    with torch_adapter.typing(torch_adapter.new_mode()), pytest.raises(RuntimeError) as raised:
        torch.ones(2, 3) @ torch.ones(2, 3)
    assert torch_adapter.said(raised.value) is None
