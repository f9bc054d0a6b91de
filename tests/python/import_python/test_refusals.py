# SPDX-License-Identifier: Apache-2.0
"""What is refused says what, where, and a way out."""

import inspect
import re

import dycl.errors
import pytest
from dycl import _core
from python.import_python.programs import refused

FUNCTIONS = [
    function
    for owner in (refused, refused.Methods)
    for function in vars(owner).values()
    if inspect.isfunction(function)
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_message_names_construct_and_place(function):
    lines, first = inspect.getsourcelines(function)
    (offset, column, construct), *_ = [
        (i, int(mark[1]), mark[2])
        for i, line in enumerate(lines)
        if (mark := re.search(r"# <- (\d+) (.+)$", line))
    ]
    with pytest.raises(dycl.errors.UnsupportedError) as caught:
        _core.lower_function(function)
    error = caught.value
    assert error.code == "python.unsupported_syntax"
    assert error.message == f"{construct} is not supported"
    assert (error.file, error.line, error.column) == (refused.__file__, first + offset, column)
    assert error.hint


def test_async_statements_are_refused_in_ordinary_words(tmp_path):
    async def waits(x):
        async with x:
            async for _ in x:
                await x

    with pytest.raises(dycl.errors.UnsupportedError, match="an async function is not supported"):
        _core.lower_function(waits)
