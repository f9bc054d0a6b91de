# SPDX-License-Identifier: Apache-2.0
"""Compiling looks at no value of the example, changes nothing of the model, and runs none of its code."""

import copy
import sys

import dycl
import pytest
import torch
from python.torch.case import v
from python.torch.collection import FOLDER, all_cases, quick_part
from python.torch.programs import dynamic_models, modules
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

pytestmark = pytest.mark.usefixtures("no_other_program")

CASES = all_cases()
SAMPLE = quick_part([name for number, name in enumerate(CASES) if number % 12 == 0], 3)


def filled(value, number):
    """The same structure with float tensors full of `number`."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return torch.full_like(value, number)
    if isinstance(value, dict):
        return {key: filled(item, number) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(filled(item, number) for item in value)
    return value


@pytest.mark.parametrize("name", SAMPLE)
def test_the_example_values_are_never_looked_at(name, tmp_path):
    case = CASES[name]
    model = case.build()
    packages = []
    for number in (0.0, float("nan")):
        example = filled(case.example.args, number)
        kwargs = filled(case.example.kwargs, number) or None
        program = dycl.compile(model, example, kwargs, dynamic_shapes=case.dynamic_shapes)
        path = tmp_path / f"{number}.dycl"
        program.save(path)
        packages.append(path.read_bytes())
    assert packages[0] == packages[1]


def snapshot(model):
    """Everything that a person could see of a module."""
    seen = []
    for name, module in model.named_modules():
        attributes = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        hooks = [list(getattr(module, key)) for key in vars(module) if key.endswith("_hooks")]
        seen.append((name, type(module), module.training, repr(sorted(attributes)), repr(hooks)))
        seen.append([(key, id(value), repr(value)) for key, value in attributes.items() if key != "training"])
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    state = {key: (id(t), t._version, t.requires_grad, t.clone()) for key, t in tensors.items()}
    return seen, state


MODELS = [
    modules.AttributeWrites,
    modules.CountsItsSteps,
    modules.ListOnSelf,
    modules.WithHooks,
    modules.WritesToAChild,
    modules.TrainingFlag,
    dynamic_models.EarlyExit,
    dynamic_models.RaisesToExit,
    dynamic_models.LayerDropByDistance,
]


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_the_model_is_untouched(kind):
    torch.manual_seed(0)
    model = kind().eval()
    example = next(case for case in CASES.values() if case.source is kind).example
    before, rng = snapshot(model), torch.get_rng_state()
    given = copy.deepcopy(example.args)
    grad = torch.is_grad_enabled()
    program = dycl.compile(model, example.args)
    program(*example.args)
    seen, state = snapshot(model)
    assert seen == before[0]
    assert state.keys() == before[1].keys()
    for key, (identity, version, requires_grad, value) in state.items():
        assert (identity, version, requires_grad) == before[1][key][:3]
        assert torch.equal(value, before[1][key][3])
    assert torch.equal(torch.get_rng_state(), rng)
    assert torch.is_grad_enabled() == grad
    assert all(torch.equal(a, b) for a, b in zip(given, example.args))


class SeesData(TorchDispatchMode):
    """Writes down every operation that touches the memory of the example."""

    def __init__(self, tensors):
        super().__init__()
        self.addresses = {tensor.untyped_storage().data_ptr() for tensor in tensors} - {0}  # of no memory
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(self.is_example(value) for value in tree_leaves((args, kwargs))):
            self.seen.append(str(func))
        return func(*args, **(kwargs or {}))

    def is_example(self, value):
        real = type(value) is torch.Tensor and value.device.type == "cpu"
        return real and value.untyped_storage().data_ptr() in self.addresses


@pytest.mark.parametrize("name", SAMPLE)
def test_no_code_of_the_model_is_executed_on_example_data(name):
    case = CASES[name]
    model = case.build()
    tensors = [
        leaf for leaf in tree_leaves((case.example.args, case.example.kwargs)) if torch.is_tensor(leaf)
    ]
    executed = []
    with SeesData(tensors) as mode:

        def profile(frame, event, _):
            if event == "call" and frame.f_code.co_filename.startswith(str(FOLDER)):
                executed.extend(frame.f_code.co_name for x in frame.f_locals.values() if mode.is_example(x))

        sys.setprofile(profile)
        try:
            kwargs = case.example.kwargs or None
            dycl.compile(model, case.example.args, kwargs, dynamic_shapes=case.dynamic_shapes)
        finally:
            sys.setprofile(None)
    assert executed == []
    assert mode.seen == []


def raise_if_run(x):
    y = x * 2
    if y.sum() > 1e9:  # never true for the example
        return y.reshape(7, 7)
    return y


def test_both_sides_of_a_decision_are_explored_whatever_the_example_says():
    program = dycl.compile(raise_if_run, (v(1.0, 2.0),))
    assert torch.equal(program(v(1.0, 2.0)), v(2.0, 4.0))
    with pytest.raises(RuntimeError, match="shape"):
        program(v(1e10, 1.0))


def frozen(x, mode="fast", scale=2):
    return x * scale if x.sum() > 0 and mode == "fast" else x


def test_what_the_example_froze_is_checked_at_each_call():
    program = dycl.compile(frozen, (v(1.0, 2.0),), {"mode": "fast"})
    assert torch.equal(program(v(1.0, 2.0), mode="fast"), v(2.0, 4.0))
    for args, kwargs, words in (
        ((v(1.0, 2.0),), {"mode": "slow"}, ("mode", "fast", "slow")),
        ((v(1, 2),), {"mode": "fast"}, ("x", "f32", "i64")),
        ((v(1.0, 2.0, 3.0),), {"mode": "fast"}, ("x", "2", "3")),
        ((v(1.0, 2.0),), {"mode": "fast", "scale": 3}, ("scale", "2", "3")),
    ):
        with pytest.raises(dycl.UsageError) as caught:
            program(*args, **kwargs)
        assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_model_is_compiled_within_inference_mode_too():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    with torch.inference_mode():
        program = dycl.compile(model, v(1.0, 2.0), cache=False)
        assert torch.allclose(program(v(3.0, -1.0)), model(v(3.0, -1.0)))
        assert torch.is_inference_mode_enabled()
