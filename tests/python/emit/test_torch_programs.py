# SPDX-License-Identifier: Apache-2.0
"""Every program as C++: it gives bit for bit what the runtime gives, or is refused by name."""

import copy
from typing import Any

import dycl
import pytest
import torch
from python.emit import emitted
from python.torch.case import Case
from python.torch.collection import all_cases, quick_part
from python.torch.test_export import leaves

CASES = all_cases()


def same(ours: Any, theirs: Any) -> bool:
    """Compares values by type and bits; a list of numbers is one tensor."""
    if isinstance(theirs, list):
        if theirs and not isinstance(theirs[0], torch.Tensor | list | type(None)):
            return same(ours, torch.tensor(theirs))
        if isinstance(ours, torch.Tensor):
            return ours.tolist() == theirs
        return len(ours) == len(theirs) and all(same(one, other) for one, other in zip(ours, theirs))
    if theirs is None or isinstance(theirs, str):
        return ours == theirs
    if isinstance(theirs, bool | int | float):
        kind = torch.bool if isinstance(theirs, bool) else torch.int64
        theirs = torch.tensor(theirs, dtype=torch.float64 if isinstance(theirs, float) else kind)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    return torch.equal(bits(ours), bits(theirs))


def bits(tensor: torch.Tensor) -> torch.Tensor:
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.detach().reshape(-1))
    return flat.view(torch.uint8)


def outcome_of(run: Any) -> tuple[str, Any]:
    """What a call gives: its leaves, or the type and text of what it raises."""
    try:
        return "returned", run()
    except emitted.Failed as failure:
        return "raised", (failure.exception, failure.message)
    except Exception as error:
        return "raised", (type(error).__name__, str(error))


def check_call(program: Any, native: emitted.Program, ours: Any, number: int) -> None:
    """Runs both on the same inputs; each has memory of its own, which it may write to."""
    theirs = copy.deepcopy(dict(ours))
    for name, value in theirs.items():
        if isinstance(value, torch.Tensor):
            theirs[name] = value.contiguous()  # C gives tensors row by row
    want, expected = outcome_of(lambda: program._run(ours))
    got, given = outcome_of(lambda: native.run(*(theirs[port.name] for port in program.inputs)))
    assert got == want, (number, given, expected)
    if want == "raised":
        assert given[0] in (expected[0], ""), (number, given, expected)
    else:
        wanted = list(leaves(*expected))
        assert len(given) == len(wanted), (number, given, wanted)
        for (path, one), other in zip(given, wanted):
            assert same(one, other), (number, path, one, other)
    for name, value in dict(ours).items():
        assert same(theirs[name], value) or not isinstance(value, torch.Tensor), (number, "wrote", name)


def check_emitted(case: Case, folder: Any) -> None:
    options = {} if case.dynamic_shapes is None else {"dynamic_shapes": case.dynamic_shapes}
    example = case.example
    program = dycl.compile(case.build(), example.args, example.kwargs or None, **options)
    package = folder / "model.dycl"
    program.save(package)
    native = emitted.Program.of(package, folder / "out", "model")
    for number, call in enumerate(case.calls):
        ours = program._feeds(call.args, call.kwargs)
        check_call(program, native, ours, number)
    native.close()


@pytest.mark.suite("emit-torch-programs")
@pytest.mark.parametrize("name", quick_part(CASES, 120))
def test_an_emitted_program_gives_what_the_program_gives(name, tmp_path, record_property):
    try:
        check_emitted(CASES[name], tmp_path)
    except emitted.Refused as refusal:
        record_property("outcome", "refused")
        if "[emit.unsupported]" not in str(refusal):
            raise
