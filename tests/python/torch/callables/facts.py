# SPDX-License-Identifier: Apache-2.0
"""What holds for the whole process, and that compiling must leave as it was."""

import decimal
import locale
import os
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import torch


def _set_environment(values: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(values)


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters


def _keep(_: Any) -> None:
    """What need not go back: no program asks for it."""


# name -> (read it, set it to what was read)
FACTS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "torch's random state": (lambda: torch.get_rng_state().numpy().tobytes(), _keep),
    "numpy's random state": (lambda: hash(numpy.random.get_state()[1].tobytes()), _keep),
    "random's state": (lambda: hash(random.getstate()), _keep),
    "numpy's print options": (
        lambda: {**numpy.get_printoptions(), "override_repr": None},
        lambda options: numpy.set_printoptions(**options),
    ),
    "numpy's error state": (numpy.geterr, lambda state: numpy.seterr(**state)),
    "numpy's buffer size": (numpy.getbufsize, numpy.setbufsize),
    "the default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "the default device": (torch.get_default_device, lambda _: torch.set_default_device(None)),
    "gradients": (torch.is_grad_enabled, torch._C._set_grad_enabled),
    "autocast": (torch.is_autocast_enabled, torch.set_autocast_enabled),
    "torch's threads": (torch.get_num_threads, torch.set_num_threads),
    "deterministic algorithms": (
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
    ),
    "the precision of products": (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    "the working directory": (os.getcwd, os.chdir),
    "the environment": (lambda: dict(os.environ), _set_environment),
    "the decimal context": (lambda: repr(decimal.getcontext()), _keep),
    "the locale": (
        lambda: locale.setlocale(locale.LC_ALL),
        lambda name: locale.setlocale(locale.LC_ALL, name),
    ),
    "the recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit),
    "the filters of warnings": (lambda: list(warnings.filters), _set_filters),
}


class Facts:
    """As they are now."""

    def __init__(self) -> None:
        self.values = {name: read() for name, (read, _) in FACTS.items()}

    def changed(self) -> list[str]:
        return [name for name, (read, _) in FACTS.items() if read() != self.values[name]]

    def restore(self) -> None:
        for name in self.changed():
            FACTS[name][1](self.values[name])
