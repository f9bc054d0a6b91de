# SPDX-License-Identifier: Apache-2.0
"""Compiling runs no call that writes, uses up an iterator or looks outside: equal to eager, or refused."""

import copy
import decimal
import importlib.util
import inspect
import random
import sys
import time
from pathlib import Path

import dycl
import numpy as np
import pytest
import torch
from dycl.verification.compare import differences

SOURCE = Path(__file__).with_name("compile_time_calls.py")
INPUTS = [torch.tensor(v) for v in ([1.0, 2.0, 0.5], [-1.0, -2.0, -0.5], [0.25, 0.5, -0.25])]


def fresh():
    """The programs, with globals that nobody has seen."""
    spec = importlib.util.spec_from_file_location("compile_time_calls_fresh", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


NAMES = [name for name, f in vars(fresh()).items() if inspect.isfunction(f)]


def shown_globals(module):
    """Text that differs where anything that programs share does; iterators are looked at through copies."""
    values = {name: value for name, value in vars(module).items() if name.isupper()}
    steps = list(copy.copy(values.pop("STEPS")))
    return repr(steps), {name: (id(value), repr(value)) for name, value in values.items()}


def shown_process():
    states = torch.get_rng_state().tolist(), repr(np.random.get_state()), random.getstate()
    return states, repr(decimal.getcontext()), np.geterr(), torch.get_default_dtype()


def world(number):
    """What programs find outside, told by the number."""
    Path("data.txt").write_text(f"{number} {number + 1}\n")
    np.array([number, number + 1.0]).tofile("data.bin")


def files():
    return sorted((entry.name, entry.read_bytes()) for entry in Path().iterdir())


def outcome(function, x):
    context = decimal.getcontext().copy()
    try:
        with torch.no_grad():
            return function(x.clone()), "nothing"
    except Exception as error:
        return None, type(error).__name__
    finally:
        decimal.setcontext(context)


def compiled(name):
    """The program, or None where it is refused; either way nothing was changed by compiling."""
    module = fresh()
    before = shown_globals(module), shown_process(), files()
    try:
        program = dycl.compile(getattr(module, name), INPUTS[0], threads=1)
    except dycl.InternalError:
        raise
    except dycl.Error:
        program = None
    after = shown_globals(module), shown_process(), files()
    assert after == before, "compiling changed globals, the process or files"
    return program


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_not_run_while_compiling(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world(1.0)
    program = compiled(name)
    if program is None:
        return
    world(5.0)
    if name == "outside_now":
        time.sleep(1.1)
    for number, x in [*enumerate(INPUTS), *enumerate(INPUTS)]:
        expected, error = outcome(getattr(fresh(), name), x)
        actual, raised = outcome(program, x)
        assert raised == error, f"input {number}: raised {raised}, should have raised {error}"
        assert not (found := differences(actual, expected, 1e-5)), f"input {number}: {found}"
