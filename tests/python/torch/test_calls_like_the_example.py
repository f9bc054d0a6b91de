# SPDX-License-Identifier: Apache-2.0
"""What a model can see of a call beside tensors: names of arguments, attributes, classes, settings. A call
that differs from the example there is equal to eager or refused, also from a package."""

import contextvars
import functools

import dycl
import pytest
import torch
from torch import nn
from torch.autograd import forward_ad


def x(*numbers):
    return torch.tensor(numbers or (1.0, 2.0))


def both_ways(model, args, kwargs, tmp_path):
    """The program, and the same from a package."""
    program = dycl.compile(model, args, kwargs)
    program.save(tmp_path / "p.dycl")
    return program, dycl.load(tmp_path / "p.dycl")


def refuses(call, code, message):
    with pytest.raises(dycl.UsageError, match=message) as caught:
        call()
    assert caught.value.code == code


# ---- by position or by name


def tuple_or_dict(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        as_dict = kwargs.pop("return_dict", True)
        out = function(self, *args, **kwargs)
        return out if as_dict else tuple(out.values())

    return wrapper


class Wrapped(nn.Module):
    @tuple_or_dict
    def forward(self, x, return_dict=None):
        return {"y": x * 2}


class OwnCall(nn.Module):
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs) * (10 if "y" in kwargs else 1)

    def forward(self, x, y=1):
        return x * y


def hooked(kind, hook, **options):
    model = nn.Identity()
    getattr(model, f"register_{kind}")(hook, **options)
    return model


def add_to_keywords(model, args, kwargs):
    return args, {name: value + 1 for name, value in kwargs.items()}


def names_in_order(function):
    @functools.wraps(function)
    def wrapper(**kwargs):
        return {name: value * 1 for name, value in kwargs.items()}

    return wrapper


@names_in_order
def named(x, y):
    return x + y


@pytest.mark.parametrize(
    ("model", "args", "kwargs"),
    [
        (Wrapped(), (x(),), {"return_dict": False}),
        (Wrapped(), (), {"return_dict": True, "x": x()}),
        (OwnCall(), (x(),), {"y": 2}),
        (OwnCall(), (x(), 2), {}),
        (hooked("forward_pre_hook", add_to_keywords, with_kwargs=True), (), {"input": x()}),
        (hooked("forward_hook", lambda m, args, out: out + 1 if args else out), (x(),), {}),
        (hooked("forward_hook", lambda m, args, out: out + 1 if args else out), (), {"input": x()}),
        (named, (), {"y": x(3.0), "x": x()}),
    ],
    ids=["wrapper", "wrapper-names", "call", "call-positions", "pre-hook", "hook", "hook-names", "order"],
)
def test_code_before_the_parameters_sees_the_way_of_the_example(model, args, kwargs, tmp_path):
    expected = model(*args, **kwargs)
    for program in both_ways(model, args, kwargs, tmp_path):
        result = program(*args, **kwargs)
        assert type(result) is type(expected)
        assert str(result) == str(expected)


def test_a_call_in_another_way_is_refused_where_code_sees_it(tmp_path):
    for program in both_ways(
        hooked("forward_hook", lambda m, args, out: out + len(args)), (x(),), {}, tmp_path
    ):
        refuses(
            lambda program=program: program(input=x()),
            "call.way",
            "compiled for a call with 1 argument by position; "
            "called with 0 arguments by position, and by name input",
        )
    program = dycl.compile(named, (), {"x": x(), "y": x()})
    refuses(lambda: program(y=x(), x=x()), "call.way", "by name x, y; .*by name y, x")


class Plain(nn.Module):
    def forward(self, x, y=1):
        return x * y


class UnderNoGrad(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x * 2


@pytest.mark.parametrize(
    "model", [Plain(), UnderNoGrad(), Plain().forward, functools.partial(Plain().forward, y=3)]
)
def test_other_models_take_arguments_in_any_way(model):
    program = dycl.compile(model, (x(),))
    torch.testing.assert_close(program(x=x(3.0, 4.0)), model(x(3.0, 4.0)))


# ---- attributes of objects


class Batch:
    scale = 1

    def __init__(self, x, **others):
        self.x = x
        self.__dict__.update(others)


class Slots:
    __slots__ = ("mask", "x")

    def __init__(self, x, **others):
        self.x = x
        for name, value in others.items():
            setattr(self, name, value)


class Features(dict):
    pass


def masked(batch):
    return batch.x * batch.mask if hasattr(batch, "mask") else batch.x * 1


@pytest.mark.parametrize("kind", [Batch, Slots])
def test_attributes_that_the_example_lacks_are_refused(kind, tmp_path):
    for program in both_ways(masked, (kind(x()),), {}, tmp_path):
        assert torch.equal(program(kind(x(3.0, 4.0))), x(3.0, 4.0))
        refuses(
            lambda program=program: program(kind(x(), mask=x())),
            "call.frozen",
            r"for batch with the attributes \['x'\]; called with the attributes \['.*mask'",
        )


def test_attributes_of_the_example_must_be_there(tmp_path):
    for program in both_ways(masked, (Batch(x(), mask=x()),), {}, tmp_path):
        refuses(lambda program=program: program(Batch(x())), "call.frozen", "with the attributes")


def test_the_order_of_attributes_and_those_over_class_attributes_count():
    program = dycl.compile(lambda b: torch.cat(list(vars(b).values())), (Batch(x(), y=x(3.0)),))
    other = Batch(x())
    other.__dict__ = {"y": x(3.0), "x": x()}
    refuses(lambda: program(other), "call.frozen", "with the attributes")
    program = dycl.compile(lambda b: b.x * b.scale, (Batch(x()),))
    refuses(lambda: program(Batch(x(), scale=3)), "call.frozen", "with the attributes")


def test_attributes_of_a_class_that_derives_from_dict_count():
    program = dycl.compile(lambda f: f["x"] * getattr(f, "weight", 1), (Features(x=x()),))
    assert torch.equal(program(Features(x=x(2.0, 3.0))), x(2.0, 3.0))
    weighted = Features(x=x())
    weighted.weight = 3
    refuses(lambda: program(weighted), "call.frozen", "with the attributes")


# ---- places of one path


def append_to_both(d):
    d[1].append(5)
    d["1"].append(6)


def write_below_dots(d):
    d["a.b"]["n"] = d["a.b"]["n"] * 2
    d["a"]["b"]["n"] = d["a"]["b"]["n"] * 5


@pytest.mark.parametrize(
    ("model", "make"),
    [
        (append_to_both, lambda: {1: [x()], "1": [x()]}),
        (write_below_dots, lambda: {"a.b": {"n": x()}, "a": {"b": {"n": x()}}}),
        (write_below_dots, lambda: {"a": {"b": {"n": x()}}, "a.b": {"n": x()}}),
    ],
)
def test_places_that_print_alike_are_told_apart(model, make, tmp_path):
    for program in both_ways(model, (make(),), {}, tmp_path):
        ours, theirs = make(), make()
        program(ours)
        model(theirs)
        assert str(ours) == str(theirs)


def test_one_object_at_two_places_that_print_alike_is_refused():
    def model(d):
        d[1]["k"] = 1
        return len(d["1"])

    program = dycl.compile(model, ({1: {"x": x()}, "1": {"x": x()}},))
    one = {"x": x()}
    refuses(lambda: program({1: one, "1": one}), "call.identity", "is the same object")


# ---- tensors


def doubled_parameter(x):
    return x * 2 if isinstance(x, nn.Parameter) else x * 1


def tripled_class(x):
    return x * 3 if type(x) is torch.Tensor else x * 1


def doubled_class(x):
    return x * 2 if x.__class__ is nn.Parameter else x * 1


@pytest.mark.parametrize("model", [doubled_parameter, tripled_class, doubled_class])
@pytest.mark.parametrize("is_parameter", [False, True])
def test_a_parameter_among_the_inputs_is_one(model, is_parameter, tmp_path):
    tensor, parameter = x(), nn.Parameter(x(), requires_grad=False)
    example, other = (parameter, tensor) if is_parameter else (tensor, parameter)
    for program in both_ways(model, (example,), {}, tmp_path):
        assert torch.equal(program(example), model(example))
        refuses(lambda program=program: program(other), "call.layout", "with a t.*called with a t")


def test_programs_that_do_not_ask_take_parameters_and_tensors():
    program = dycl.compile(lambda x: x * 2, (x(),))
    assert torch.equal(program(nn.Parameter(x(), requires_grad=False)), x(2.0, 4.0))


def tagged(x):
    return x * getattr(x, "tag", 1)


def test_attributes_of_input_tensors_are_refused(tmp_path):
    for program in both_ways(tagged, (x(),), {}, tmp_path):
        assert torch.equal(program(x()), x())
        with_tag = x()
        with_tag.tag = 3
        refuses(
            lambda program=program, value=with_tag: program(value),
            "call.layout",
            "without attributes of its own; called with the attributes tag",
        )
    example = x()
    example.tag = 3
    with pytest.raises(dycl.UnsupportedError, match="the attribute 'tag' of a tensor among the arguments"):
        dycl.compile(tagged, (example,))


def test_tensors_of_transformations_are_refused():
    program = dycl.compile(lambda x: x * 2, (x(),))
    refuses(lambda: torch.vmap(program)(torch.ones(3, 2)), "call.not_plain", "'x' is a tensor of vmap")
    refuses(lambda: torch.func.grad(lambda v: program(v).sum())(x()), "call.not_plain", "vmap, grad or jvp")
    nested = torch.nested.nested_tensor([x(), x(3.0)])
    refuses(lambda: program(nested), "call.not_plain", "is a nested tensor")
    with torch._subclasses.FakeTensorMode():
        refuses(lambda: program(torch.ones(2)), "call.not_plain", "is a fake tensor")


def test_a_call_while_torch_traces_is_refused():
    from torch.fx.experimental.proxy_tensor import make_fx

    program = dycl.compile(lambda x: x * 2, (x(),))
    refuses(lambda: make_fx(program)(x()), "call.traced", "would keep this one answer")


def test_tangents_that_are_cut_are_warned_of():
    program = dycl.compile(lambda x: x * 2, (x(),))
    with forward_ad.dual_level(), pytest.warns(dycl.GradientWarning):
        program(forward_ad.make_dual(x(), x()))


# ---- the process

SCALE = contextvars.ContextVar("scale", default=2)
UNSET = contextvars.ContextVar("unset")


def scaled(x):
    return x * SCALE.get() + UNSET.get(5)


def test_context_variables_are_compared():
    program = dycl.compile(scaled, (x(),))
    assert "ContextVar('scale').get()" in str(dycl.explain(scaled, (x(),)))
    assert torch.equal(program(x()), scaled(x()))
    for variable in (SCALE, UNSET):
        token = variable.set(7)
        try:
            refuses(lambda: program(x()), "call.setting", f"variable '{variable.name}' had another")
        finally:
            variable.reset(token)
    assert torch.equal(program(x()), scaled(x()))


def cast(x):
    return x + 1 if torch.is_autocast_enabled("cpu") else x - 1


def test_autocast_is_compared(tmp_path):
    for program in both_ways(cast, (x(),), {}, tmp_path):
        assert torch.equal(program(x()), cast(x()))
        with torch.autocast("cpu"):
            refuses(lambda program=program: program(x()), "call.setting", "autocast")


@pytest.mark.parametrize("setting", ["dtype", "autocast"])
def test_settings_that_decide_dtypes_are_compared(setting, tmp_path):
    def model(x):
        return x @ x.new_ones(2, 2) + torch.ones(2)

    for program in both_ways(model, (x(),), {}, tmp_path):
        assert torch.equal(program(x()), model(x()))
        if setting == "autocast":
            with torch.autocast("cpu"):
                refuses(
                    lambda program=program: program(x()),
                    "call.setting",
                    "torch.autocast on the CPU off; it is torch.bfloat16 now",
                )
            continue
        torch.set_default_dtype(torch.float64)
        try:
            refuses(lambda program=program: program(x()), "call.setting", "default dtype torch.float32;")
        finally:
            torch.set_default_dtype(torch.float32)


def test_autocast_of_the_model_is_no_setting():
    def model(x):
        with torch.autocast("cpu"):
            return cast(x)

    assert torch.equal(dycl.compile(model, (x(),))(x()), x() + 1)
