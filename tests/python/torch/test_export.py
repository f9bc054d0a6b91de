# SPDX-License-Identifier: Apache-2.0
"""Every program as one ONNX file: ONNX Runtime gives what the program gives, or it is refused by name."""

import math
from collections.abc import Iterator
from typing import Any

import dycl
import numpy as np
import onnxruntime
import pytest
import torch
from python.torch.case import Case
from python.torch.collection import all_cases, quick_part

CASES = all_cases()
# What an ONNX file cannot say.
REFUSALS = {
    "export.host_operation",
    "export.nested_sequence",
    "export.no_result",
    "export.raise",
    "export.results_differ",
    "export.string",
    "export.too_deep",
    "export.written_input",
}


def leaves(tree: tuple[Any, ...], values: list[Any], made: list[list[Any]] | None = None) -> Iterator[Any]:
    """The numbers and tensors of a result, in the order in which they stand; None is no output. `made` are
    those of the lists, dicts and objects before it."""
    kind = tree[0]
    made = [] if made is None else made
    if kind == "value":
        yield values[tree[1]]
    elif kind == "constant":
        if tree[1] is not None:
            yield tree[1]
    elif kind == "argument":
        raise AssertionError("an exported program cannot give its caller's own objects")
    elif kind == "same":
        yield from made[tree[1]]
    else:
        inside: list[Any] = []
        made.append(inside)
        for child in tree[-1]:
            part = child[1] if kind not in ("tuple", "list", "set") else child
            inside.extend(leaves(part, values, made))
        yield from inside


def as_array(value: Any) -> Any:
    if isinstance(value, list):
        return [as_array(item) for item in value]
    if isinstance(value, torch.Tensor) and value.dtype is torch.bfloat16:
        value = value.float()
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def run_file(session: Any, arrays: dict[str, Any]) -> list[Any]:
    """The outputs; numpy has no bfloat16, f32 holds all its numbers."""
    if all("bfloat16" not in port.type for port in session.get_outputs()):
        return session.run(None, arrays)
    feeds = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
    outputs = session.run_with_ort_values(None, feeds)
    return [as_array(torch.utils.dlpack.from_dlpack(output._ortvalue.to_dlpack())) for output in outputs]


def check_equal(ours: Any, theirs: Any, tolerance: float) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            check_equal(one, other, tolerance)
        return
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert np.allclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True), (ours, theirs)


def check_export(case: Case) -> None:
    example = case.example
    options = {} if case.dynamic_shapes is None else {"dynamic_shapes": case.dynamic_shapes}
    program = dycl.compile(case.build(), example.args, example.kwargs or None, **options)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(program.to_onnx(), settings, providers=["CPUExecutionProvider"])
    taken = {port.name for port in session.get_inputs()}
    for call in case.calls:
        feeds = program._feeds(call.args, call.kwargs)
        arrays = {name: as_array(value) for name, value in feeds.items() if name in taken}
        try:
            tree, outputs = program._run(feeds)
        except Exception:  # inside an operation: then the file fails, too
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                session.run(None, arrays)
            continue
        given = run_file(session, arrays)
        expected = [as_array(value) for value in leaves(tree, outputs)]
        check_equal(given, expected, case.tolerance)


@pytest.mark.suite("export-torch-programs")
@pytest.mark.parametrize("name", quick_part(CASES, 3))
def test_an_exported_program_gives_what_the_program_gives_or_is_refused(name, record_property):
    try:
        check_export(CASES[name])
    except dycl.UnsupportedError as refusal:
        record_property("outcome", "refused")
        record_property("code", refusal.code)
        if refusal.code not in REFUSALS:
            raise


def raises_when_negative(x):
    if x.sum() < 0:
        raise ValueError("negative")
    return x * 2


def test_the_line_that_raises_is_named():
    program = dycl.compile(raises_when_negative, (torch.ones(2),))
    line = raises_when_negative.__code__.co_firstlineno + 2
    with pytest.raises(dycl.UnsupportedError, match=rf"test_export\.py:{line}:.*ValueError") as refusal:
        program.to_onnx()
    assert refusal.value.code == "export.raise"


class Tokens(torch.nn.Module):
    """Embeds tokens, the second time in a loop, and gives nothing of that if there is no loop."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(10, 4)

    def forward(self, tokens, more):
        rows = self.table(tokens)
        steps = 0
        while steps < more.sum():
            self.table(more + steps)
            steps += 1
        return (rows * 2 if rows.sum() > 0 else rows - 1), steps


def test_a_file_fails_where_an_index_is_out_of_range():
    torch.manual_seed(0)
    model = Tokens().eval()
    program = dycl.compile(model, (torch.tensor([1, 2]), torch.tensor([1])))
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(program.to_onnx(), settings, providers=["CPUExecutionProvider"])
    for tokens, more in (
        ([1, 2], [3]),
        ([9, 0], [0]),
        ([9, 10], [0]),
        ([-1, 0], [1]),
        ([0, 1], [4]),
        ([0, 1], [6]),
    ):
        arrays = {"tokens": np.array(tokens), "more": np.array(more)}
        try:
            wanted = model(torch.tensor(tokens), torch.tensor(more))
        except IndexError:
            with pytest.raises(Exception, match="indices element out of data bounds"):
                session.run(None, arrays)
        else:
            check_equal(session.run(None, arrays), [as_array(value) for value in wanted], 1e-5)


def of_nan(x, n, k):
    int(n.item())
    return x


def behind_another_failure(x, n, k):
    int(math.sqrt(n.item()))
    return x


def counted_down(x, n, k):
    q = 5 // n.item()
    while q > 0:
        q -= 1
    return x


def over_a_range(x, n, k):
    for _ in range(int(10 // n.item())):
        pass
    return 3


def carried(x, n, k):
    q = 7
    for i in range(k.item()):
        q = q // (n.item() - i)
    return x


def deciding(x, n, k):
    i = k.item()
    while 6 // (i - 2) < 100 and i < 4:
        i += 1
    return x


def in_an_arm(x, n, k):
    if 5 // n.item() > 1:
        i = k.item()
        while i > 0:
            i -= 1
    return x


def of_an_arm(x, n, k):
    q = 5 // n.item() if k.item() > 1 else 3
    while q > 0:
        q -= 1
    return x + 1


def any_of(x, n, k):
    any(5 // (n.item() - i) > 2 for i in range(k.item()))
    return x


UNUSED = [of_nan, behind_another_failure, counted_down, over_a_range, carried]
UNUSED += [deciding, in_an_arm, of_an_arm, any_of]


@pytest.mark.parametrize("model", UNUSED)
def test_a_file_fails_where_eager_raises_although_nothing_uses_the_result(model):
    x = torch.ones(2)
    program = dycl.compile(model, (x, torch.tensor(1.0), torch.tensor(1)))
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(program.to_onnx(), settings, providers=["CPUExecutionProvider"])
    taken = {port.name for port in session.get_inputs()}
    raised = 0
    for n in (1.0, 2.0, 0.0, -1.0, float("nan"), float("inf")):
        for k in (0, 1, 2, 3):
            arrays = {"x": x.numpy(), "n": np.array(n, np.float32), "k": np.array(k)}
            arrays = {name: value for name, value in arrays.items() if name in taken}
            try:
                wanted = model(x, torch.tensor(n), torch.tensor(k))
            except (ArithmeticError, ValueError):
                raised += 1
                with pytest.raises(Exception, match="out of data bounds"):
                    session.run(None, arrays)
            else:
                check_equal(session.run(None, arrays)[0], as_array(wanted), 1e-6)
    assert 0 < raised < 24


def test_a_file_is_written_where_a_path_is_given(tmp_path):
    program = dycl.compile(lambda x: (x + 1, 3), (torch.ones(2),))
    assert program.to_onnx(tmp_path / "model.onnx") is None
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    assert [port.name for port in session.get_outputs()] == ["0", "1"]
    first, second = session.run(None, {session.get_inputs()[0].name: np.zeros(2, np.float32)})
    assert first.tolist() == [1, 1]
    assert second == 3


def test_an_input_without_rows_keeps_its_sizes():
    rows = {"x": {0: torch.export.Dim("rows", min=0, max=8)}}
    program = dycl.compile(lambda x: (x * 2, x.sum(0)), (torch.ones(3, 2),), dynamic_shapes=rows)
    session = onnxruntime.InferenceSession(program.to_onnx(), providers=["CPUExecutionProvider"])
    doubled, total = session.run(None, {"x": np.ones((0, 2), np.float32)})
    assert doubled.shape == (0, 2)
    assert total.tolist() == [0, 0]
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        session.run(None, {"x": np.ones((9, 2), np.float32)})
