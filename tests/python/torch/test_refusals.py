# SPDX-License-Identifier: Apache-2.0
"""What is refused: by which text, at which line and column, with which way out. Nothing is traced quietly."""

import importlib
import re
from pathlib import Path

import dycl
import pytest
import torch
from python.torch.refused.case import REFUSALS
from torch import nn

# Each file of the folder adds to REFUSALS when it is imported: none is left out.
for file in sorted((Path(__file__).parent / "refused").glob("*.py")):
    importlib.import_module(f"python.torch.refused.{file.stem}")
BY_NAME = {refusal.name: refusal for refusal in REFUSALS}
assert len(BY_NAME) == len(REFUSALS), "two refused programs have one name"


@pytest.mark.parametrize("name", BY_NAME)
def test_a_refusal_names_the_place_the_reason_and_a_way_out(name):
    refusal = BY_NAME[name]
    with pytest.raises(dycl.UnsupportedError) as caught:
        dycl.compile(
            refusal.build(),
            refusal.example.args,
            refusal.example.kwargs or None,
            dynamic_shapes=refusal.dynamic_shapes,
        )
    error = caught.value
    file, line, column = refusal.position()
    assert (error.file, error.line, error.column) == (file, line, column), str(error)
    assert re.search(refusal.says, error.message, re.IGNORECASE), error.message
    assert re.search(refusal.hint, error.hint, re.IGNORECASE), error.hint
    assert error.construct
    assert caret_of(str(error)) == (refusal.line_text().strip(), refusal.at), str(error)


def caret_of(text):
    """The source line that is shown, and what the first caret stands under, up to the length looked for."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"[\s|]*\^[~^]*\s*", line) and number:
            shown = lines[number - 1]
            start = line.index("^")
            source = re.sub(r"^\s*\d*\s*\|?\s*", "", shown)
            at = next((r.at for r in REFUSALS if shown[start:].startswith(r.at)), shown[start:])
            return source.strip(), at
    return "", ""


def test_refusals_are_many_and_distinct():
    assert len(REFUSALS) == len(BY_NAME) >= 40
    for refusal in REFUSALS:
        assert refusal.position()


NORMED = nn.utils.parametrizations.weight_norm(nn.GRU(1, 2), "weight_hh_l0")


def packed_through_computed_weights(x):
    packed = nn.utils.rnn.pack_padded_sequence(x.view(2, 1, 1), torch.tensor([2]))
    return NORMED(packed)[1]


def test_a_refusal_inside_of_torch_names_the_line_of_the_model_too():
    with pytest.raises(dycl.UnsupportedError, match="weights of a recurrent layer are replaced") as caught:
        dycl.compile(packed_through_computed_weights, (torch.ones(2),))
    error = caught.value
    assert Path(error.file).parts[-3:] == ("nn", "modules", "rnn.py")
    line = packed_through_computed_weights.__code__.co_firstlineno + 2
    assert f"called from {__file__}:{line}:12" in str(error)
    assert error.hint == "give them to the layer itself"
