# SPDX-License-Identifier: Apache-2.0
"""What users pass to compile() and to programs by mistake, and tensors that are not what they seem."""

import pickle
import sys
import threading
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, fields

import dycl
import pytest
import torch
from dycl.cli import command
from torch import nn


def gate(x, mask=None):
    x = x if mask is None else x * mask
    return x * 2 if x.sum() > 0 else x


class Gate(nn.Module):
    def forward(self, x):
        return gate(x)


class Image(torch.Tensor):
    pass


X = torch.ones(4)
PICTURE = X.as_subclass(Image)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (
            (gate,),
            {},
            r"does not fit the model's arguments: missing a required argument: 'x' \[argument.example\]",
        ),
        ((Gate, X), {}, r"Gate is a class \[python.not_a_model\]\n  hint: give a module: Gate\(\)"),
        ((5, X), {}, r"not a model but of type int \[python.not_a_model\]\n  hint: give a torch.nn.Module"),
        ((gate, X), {"backend": None}, r"None is not a backend \[backend.rule\]"),
        ((gate, X), {"backend": {"s0": 1}}, r"is not a backend \[backend.rule\]"),
        (
            (gate, X),
            {"limits": {"depth": 1}},
            r"depth=1 is not a limit \[argument.limits\]\n  hint: .*unroll_limit",
        ),
        ((gate, X), {"limits": {"unroll_limit": -1}}, r"\[argument.limits\]"),
        ((gate, X), {"limits": {"state": True}}, r"state=True is not a limit \[argument.limits\]"),
        ((gate, X), {"limits": {"draws": True}}, r"draws=True is not a limit \[argument.limits\]"),
        ((gate, X), {"limits": {"draws_bounds": {"a.py:1": 2}}}, r"is not a limit \[argument.limits\]"),
        ((gate, X), {"limits": 3}, r"limits cannot be 3 \[argument.limits\]"),
        ((gate, X), {"optimize": "x"}, r"optimize cannot be 'x' \[optimize.unknown_level\]"),
        ((gate, X), {"dims": {"q": 3}}, r"dims and input_types are for ONNX models \[argument.dim\]"),
        ((gate, X), {"input_types": {"x": "3xf32"}}, r"\[argument.dim\]"),
        ((gate, X), {"threads": "2"}, r"threads cannot be '2' \[argument.threads\]"),
        ((gate, X), {"jobs": 0}, r"\[argument.jobs\]"),
        ((gate, X), {"step_limit": -1}, r"\[argument.step_limit\]"),
    ],
)
def test_a_wrong_argument_is_named(arguments, options, message):
    with pytest.raises(dycl.UsageError, match=message):
        dycl.compile(*arguments, **options)


def test_a_program_is_saved_rather_than_pickled():
    with pytest.raises(dycl.UsageError, match=r"save\(\) and dycl.load\(\)"):
        pickle.dumps(dycl.compile(gate, X))


@pytest.mark.parametrize(
    ("value", "message"),
    [(PICTURE, "Image, a class of its own"), (X.to_sparse(), r"to_dense\(\)")],
)
def test_a_tensor_of_another_kind_is_refused(value, message):
    with pytest.raises(dycl.UsageError, match=message):
        dycl.compile(gate, X)(value)


@pytest.mark.parametrize("model", [gate, lambda x: x + PICTURE], ids=["input", "constant"])
def test_a_class_of_tensors_is_refused_at_compile_time(model):
    example = PICTURE if model is gate else X
    with pytest.raises(dycl.UnsupportedError, match=r"a tensor of the class Image"):
        dycl.compile(model, example)


def test_lazily_negated_memory_is_read_as_what_it_means():
    negated = torch.complex(torch.ones(1), torch.ones(1)).conj().imag
    assert (negated.is_neg(), negated.is_contiguous()) == (True, True)
    assert torch.equal(dycl.compile(gate, torch.ones(1))(negated), gate(negated))
    add = lambda x: x + negated if x.sum() > 0 else negated  # noqa: E731
    program = dycl.compile(add, torch.ones(1))
    for x in (torch.ones(1), -torch.ones(1)):
        assert torch.equal(program(x), add(x))


def test_a_tensor_where_there_was_none_has_a_hint_of_its_own():
    with pytest.raises(dycl.UsageError, match="compile with an example that has this tensor"):
        dycl.compile(gate, X)(X, mask=X)


def test_a_module_of_torch_compile_is_compiled_as_it_was_written():
    assert torch.equal(dycl.compile(torch.compile(Gate()), X)(X), gate(X))


def test_threads_may_compile_at_once():
    results = []

    def compile_both():
        results.extend(dycl.compile(model, X)(X) for model in (gate, Gate()))

    threads = [threading.Thread(target=compile_both) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [torch.equal(result, gate(X)) for result in results] == [True] * 6


def nested(inner, depth=5000):
    for _ in range(depth):
        inner = [inner]
    return inner


def innermost(x):
    while isinstance(x, list):
        x = x[0]
    return x + 1


@pytest.mark.parametrize("depth", [100, 5000])
def test_a_tensor_that_lies_too_deep_is_refused_rather_than_frozen(depth):
    with pytest.raises(dycl.UnsupportedError, match=r"'x' nests too deeply.*\[python.input\]\n  hint: pass"):
        dycl.compile(innermost, (nested(X, depth),))


@pytest.mark.parametrize("inner", [[], {}, "text"])
def test_an_argument_that_nests_too_deeply_is_refused(inner):
    with pytest.raises(dycl.UnsupportedError, match=r"'mask' nests too deeply.* \[python.input\]"):
        dycl.compile(lambda x, mask: x + 1, (X, nested(inner)))


def test_sizes_that_nest_too_deeply_are_refused():
    with pytest.raises(
        dycl.Error, match=r"\[python.recursion_limit\]\n  hint: nest the arguments less deeply"
    ):
        dycl.compile(innermost, (nested(X),), dynamic_shapes={"x": nested({0: torch.export.Dim("n")})})


def test_sizes_of_a_function_without_names_are_refused():
    with pytest.raises(dycl.UsageError, match=r"arguments of add have no names \[argument.dynamic_shapes\]"):
        dycl.compile(torch.add, (X, X), dynamic_shapes=({0: torch.export.Dim("n")}, None))


@pytest.mark.parametrize(
    ("model", "args", "error", "message"),
    [
        (torch.add, (X, 10**400), OverflowError, "int too big to convert"),
        (lambda x: x + 10**400, (X,), OverflowError, "int too big to convert"),
        (nn.Linear(4, 4), (torch.ones(2, 3),), RuntimeError, "must have same reduction dim|cannot be mult"),
    ],
)
def test_what_one_call_of_torch_always_raises_is_quoted(model, args, error, message):
    """Also where the model is nothing but that call."""
    with pytest.raises(error):
        model(*args)
    quoted = rf"{error.__name__}: .*({message}).*\[python.always_raises\]"
    with pytest.raises(dycl.UnsupportedError, match=quoted):
        dycl.compile(model, args)


def test_torch_that_is_not_installed_is_asked_for(monkeypatch, capsys):
    program = dycl.compile(gate, X)
    monkeypatch.setitem(sys.modules, "torch", None)
    for action in (
        lambda: dycl.compile(gate, X),
        lambda: dycl.explain(gate, X),
        lambda: dycl.verify(program, gate, [X]),
    ):
        with pytest.raises(
            dycl.UsageError, match=r"need packages that are not installed: torch \[python.no_torch\]"
        ):
            action()
    assert command.run(["explain", "net.py:Net"]) == 2
    assert "hint: in DyCL's folder: pip install '.[torch,onnxruntime]'" in capsys.readouterr().err


def test_two_arguments_that_are_no_tuple_are_explained():
    with pytest.raises(dycl.UsageError, match=r"are a Tensor, not a dict") as refused:
        dycl.compile(lambda a, b: a + b, torch.ones(2), torch.ones(2))
    assert "(x, y)" in str(refused.value)


@dataclass
class Output(OrderedDict):
    """As packages write it: fields, and the same tensors under keys."""

    logits: torch.Tensor
    boxes: torch.Tensor | None = None

    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) is not None:
                super().__setitem__(field.name, getattr(self, field.name))

    def __getitem__(self, key):
        return super().__getitem__(key) if isinstance(key, str) else tuple(self.values())[key]


def read_output(output):
    first = output.logits + output["boxes"] if output.logits.sum() > 0 else output[1]
    return first, len(output), list(output)


def test_an_object_of_a_class_that_derives_from_dict_may_be_an_argument(tmp_path):
    program = dycl.compile(read_output, (Output(torch.ones(2), torch.ones(2)),), progress=False)
    program.save(tmp_path / "output.dycl")
    for ready in (program, dycl.load(tmp_path / "output.dycl")):
        for logits in (torch.ones(2), -torch.ones(2)):
            given = Output(logits, torch.arange(2.0))
            ours, theirs = ready(given), read_output(given)
            assert torch.equal(ours[0], theirs[0])
            assert ours[1:] == theirs[1:]
        with pytest.raises(dycl.UsageError, match="compiled for output"):
            ready(Output(torch.ones(2)))
        with pytest.raises(dycl.UsageError, match="compiled for output"):
            ready({"logits": torch.ones(2), "boxes": torch.ones(2)})


class Doubled(namedtuple("Doubled", "a b")):
    @classmethod
    def _make(cls, items):
        return super()._make([item * 2 for item in items])


class Counted(namedtuple("Counted", "a b")):
    def __iter__(self):
        return iter([5, 6, 7])


@pytest.mark.parametrize(("kind", "says"), [(Doubled, "defines _make"), (Counted, "defines __iter__")])
def test_named_tuples_that_are_read_in_another_way_are_refused(kind, says):
    with pytest.raises(
        dycl.UnsupportedError, match=rf"'pair' is a .*{says} \[python.input\]\n  hint: pass a tuple"
    ):
        dycl.compile(lambda pair: (pair.a, pair), (kind(torch.ones(2), 1),))
