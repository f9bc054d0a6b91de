# SPDX-License-Identifier: Apache-2.0
"""Every program gives the same through its IR as in CPython: result or exception, and order of evaluation."""

import copy
import importlib

import pytest
from dycl import _core
from python.import_python import ir, programs

AREAS = (
    "assignments",
    "classes",
    "comprehensions",
    "control",
    "exceptions",
    "expressions",
    "functions",
    "generators",
    "matching",
)
for area in AREAS:
    importlib.import_module(f"python.import_python.programs.{area}")


def outcome(call):
    """What a call gives, and what it wrote down on the way."""
    programs.NOTES.clear()
    try:
        result = ("returned", call())
    except Exception as error:
        result = ("raised", type(error), str(error), repr(error.__cause__))
    return result, list(programs.NOTES)


def comparable(result):
    kind, *rest = result
    return kind, *(repr(value) for value in rest)


@pytest.mark.parametrize(
    ("function", "argument_lists"), programs.CASES, ids=lambda each: getattr(each, "__qualname__", "")
)
def test_the_ir_means_what_python_means(function, argument_lists):
    text = _core.lower_function(function)
    for arguments in argument_lists:
        expected, expected_notes = outcome(lambda: function(*copy.deepcopy(arguments)))  # noqa: B023
        result, notes = outcome(lambda: ir.run_ir(text, function, *copy.deepcopy(arguments)))  # noqa: B023
        assert comparable(result) == comparable(expected), text
        assert notes == expected_notes, text
