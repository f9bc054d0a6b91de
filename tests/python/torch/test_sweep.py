# SPDX-License-Identifier: Apache-2.0
"""Functions over all numbers that f32 holds: sign, zero and digits are those of eager on every backend."""

import dycl
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from python.torch import sweep
from python.torch.sweep_functions import ALL, NOT_ON_OPENVINO, QUICK, REFUSED, SUMMANDS

CHEAP = ("onnxruntime", "openvino", "tvm")
BACKENDS = (*CHEAP, "aot_inductor")
GROUP = 40


def names_for(backend, names=ALL):
    left_out = REFUSED | NOT_ON_OPENVINO if backend == "openvino" else REFUSED
    return [name for name in names if name not in left_out]


def compiled(names, length, backend, dtype=torch.float32):
    """Each function has an input of its own, so that a vendor merges its operators as in a model."""
    functions = [ALL[name] for name in names]

    def program(xs):
        return [function(x) for function, x in zip(functions, xs, strict=True)]

    examples = [torch.zeros(length, dtype=dtype) for _ in names]
    return dycl.compile(program, (examples,), backend=backend, threads=1)


def compiled_on_one_input(names, length, backend):
    """What functions have in common is computed once."""
    functions = [ALL[name] for name in names]

    def program(x):
        return [function(x) for function in functions]

    return dycl.compile(program, (torch.zeros(length),), backend=backend, threads=1)


def check(names, program, rows, shared=False):
    rows = list(rows)
    calls = [program(x) if shared else program([x.clone() for _ in names]) for x in rows]
    wrong = []
    for name, *results in zip(names, *calls, strict=True):
        found = sweep.judge(ALL[name], torch.cat(rows), torch.cat(results), SUMMANDS.get(name))
        wrong += [f"{name} {each}" for each in found]
    assert not wrong, f"{len(wrong)} wrong, such as\n" + "\n".join(wrong[:: len(wrong) // 20 + 1])


@pytest.mark.parametrize("backend", CHEAP)
def test_activations_keep_sign_zero_and_digits(backend):
    names = names_for(backend, QUICK)
    check(names, compiled(names, sweep.COUNT, backend), sweep.rows(sweep.COUNT))


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_activations_of_three_numbers_do_too(backend):
    names = names_for(backend, QUICK)
    check(names, compiled(names, 3, backend), list(sweep.rows(3))[::4])


def branch_on(function):
    def program(x):
        y = function(x)
        if y.sum() < 0:
            return y, "below"
        return y, "not below"

    return program


SMALL = {
    "silu": (F.silu, -20.0),
    "sigmoid by hand": (lambda x: x * torch.sigmoid(x), -20.0),
    "mish": (F.mish, -20.0),
    "elu": (F.elu, -1e-8),
    "celu": (F.celu, -1e-8),
    "selu": (F.selu, -1e-8),
    "hardswish": (F.hardswish, -2.9999998),
}


@pytest.mark.parametrize("backend", CHEAP)
@pytest.mark.parametrize("name", SMALL)
def test_a_branch_on_the_sign_of_a_small_activation_goes_as_in_eager(name, backend):
    function, number = SMALL[name]
    x = torch.tensor([number])
    y, side = dycl.compile(branch_on(function), (x,), backend=backend, threads=1)(x)
    assert side == branch_on(function)(x)[1] == "below"
    torch.testing.assert_close(y, function(x), rtol=1e-6, atol=0)


def test_onnxruntime_keeps_small_terms_and_factors_near_one_of_f64():
    def program(x):
        return torch.log(x.abs() + 1e-300), -x * (1 + 1e-12), -x / (1 + 1e-12)

    x = torch.tensor([0.0, 1.0], dtype=torch.float64)
    results = dycl.compile(program, (x,), backend="onnxruntime", threads=1)(x)
    torch.testing.assert_close(results, program(x), rtol=1e-15, atol=0)


def test_sigmoids_of_f64_keep_their_digits_on_onnxruntime():
    def program(x):
        return torch.sigmoid(x), F.silu(x), F.mish(x), F.elu(x), torch.stack([x, x * 0]).log_softmax(0)

    x = torch.tensor(
        [-700.0, -92.0, -38.0, -21.0, -9.6, -1e-12, 0.0, 3.0, 40.0, torch.inf], dtype=torch.float64
    )
    results = dycl.compile(program, (x,), backend="onnxruntime", threads=1)(x)
    torch.testing.assert_close(results, program(x), rtol=1e-13, atol=0, equal_nan=True)


def groups_for(backend):
    names = names_for(backend)
    starts = range(0, len(names), GROUP)
    return [pytest.param(backend, names[first : first + GROUP], id=f"{backend}-{first}") for first in starts]


GROUPS = [group for backend in BACKENDS for group in groups_for(backend)]


@pytest.mark.long
@pytest.mark.suite("sweep")
@pytest.mark.parametrize("length", [sweep.COUNT, 1, 3, 8])
@pytest.mark.parametrize(("backend", "names"), GROUPS)
def test_every_function_keeps_sign_zero_and_digits(backend, names, length):
    check(names, compiled(names, length, backend), list(sweep.rows(length))[:: 3 if length < 3 else 1])


@pytest.mark.long
@pytest.mark.suite("sweep")
@pytest.mark.parametrize(("backend", "names"), GROUPS)
def test_functions_with_operators_in_common_do_too(backend, names):
    check(names, compiled_on_one_input(names, sweep.COUNT, backend), sweep.rows(sweep.COUNT), shared=True)


@pytest.mark.long
@pytest.mark.suite("sweep")
@pytest.mark.parametrize(
    ("backend", "name"), [(b, name) for b in BACKENDS for name in ALL if name not in names_for(b)]
)
def test_what_is_not_computed_is_refused(backend, name):
    with pytest.raises(
        dycl.Error, match=r"cannot be lowered|cannot run this|its ONNX form|depends on|reads the"
    ):
        compiled([name], 8, backend)
