# SPDX-License-Identifier: Apache-2.0
"""The source of a function is found by its code object, and only its own source is taken."""

import importlib
import linecache
import sys
import types

import dycl.errors
import pytest
from dycl import _core
from python.import_python import ir, programs
from python.import_python.programs import classes, functions

TEXT = """\
def f(x):
    return x + 1
pair = [lambda x: x + 1, lambda x: x + 1, lambda x: x + 3]
outer = lambda: (lambda: 7)
"""


def module_from(path, text):
    path.write_text(text)
    linecache.checkcache(str(path))
    module = types.ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def refusal(function):
    with pytest.raises(dycl.errors.UnsupportedError) as caught:
        _core.lower_function(function)
    return caught.value


def test_lambdas_on_one_line_differ_by_column(tmp_path):
    module = module_from(tmp_path / "lines.py", TEXT)
    texts = [_core.lower_function(each, positions=True) for each in module.pair]
    assert ["3:19" in texts[0], "3:36" in texts[1], "3:53" in texts[2]] == [True] * 3
    assert "const 3" in texts[2]


def test_a_lambda_inside_a_lambda_is_told_from_it(tmp_path):
    module = module_from(tmp_path / "lines.py", TEXT)
    assert "make_function" in _core.lower_function(module.outer)
    assert "const 7" in _core.lower_function(module.outer()).split("\n\n")[0]


def test_a_file_that_changed_since_it_was_imported_is_refused(tmp_path):
    module = module_from(tmp_path / "model.py", TEXT)
    (tmp_path / "model.py").write_text(TEXT.replace("x + 1", "x + 2"))
    linecache.checkcache(str(tmp_path / "model.py"))
    error = refusal(module.f)
    assert error.code == "python.source_changed"
    assert str(tmp_path / "model.py") in str(error)
    assert "import it anew" in error.hint


def test_a_file_that_is_no_python_any_more_is_refused(tmp_path):
    module = module_from(tmp_path / "model.py", TEXT)
    (tmp_path / "model.py").write_text("def f(:\n")
    linecache.checkcache(str(tmp_path / "model.py"))
    assert refusal(module.f).code == "python.source_changed"


def test_a_file_that_moved_by_a_line_is_refused(tmp_path):
    module = module_from(tmp_path / "model.py", TEXT)
    (tmp_path / "model.py").write_text("\n" + TEXT)
    linecache.checkcache(str(tmp_path / "model.py"))
    assert refusal(module.f).code == "python.source_changed"


def test_a_file_written_anew_and_imported_anew_is_read_anew(tmp_path):
    library = _core.SourceLibrary()
    first = module_from(tmp_path / "model.py", TEXT)
    assert "const 1" in library.lower(first.f)
    second = module_from(tmp_path / "model.py", TEXT.replace("x + 1", "x + 200"))
    assert "const 200" in library.lower(second.f)
    assert "const 1" in library.lower(first.f)  # lowered before, and kept with its code


def test_text_without_a_file_is_found_through_linecache():
    name = "<cell 1>"
    linecache.cache[name] = (len(TEXT), None, TEXT.splitlines(keepends=True), name)
    scope = {}
    exec(compile(TEXT, name, "exec"), scope)
    assert "const 1" in _core.lower_function(scope["f"])


CALLABLES = [len, print, [].append, eval("lambda: 1")]


@pytest.mark.parametrize("function", CALLABLES, ids=lambda function: function.__name__)
def test_a_callable_without_source_is_refused_by_name(function):
    error = refusal(function)
    assert error.code == "python.no_source"
    assert function.__qualname__ in str(error)


def test_generated_methods_are_refused_by_name():
    from dataclasses import dataclass

    @dataclass
    class Record:
        x: int

    error = refusal(Record.__init__)
    assert error.code == "python.no_source"
    assert "Record.__init__" in str(error)


def test_methods_closures_and_code_objects_are_taken():
    assert _core.lower_function(classes.child.scale) == _core.lower_function(classes.Child.scale)
    assert _core.lower_function(functions.made.__code__) == _core.lower_function(functions.made)
    for made in (functions.made, functions.method.__func__):
        arguments = (3,) if made is functions.made else (None, 3)
        assert ir.run_ir(_core.lower_function(made), made, *arguments) == made(*arguments)


def test_columns_count_characters(tmp_path):
    module = module_from(tmp_path / "wide.py", "def f(x):\n    é = 'äöü'; return é + x\n")
    assert "binary é + x  ; 2:23" in _core.lower_function(module.f, positions=True)


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="later versions inline comprehensions")
@pytest.mark.parametrize("function", [f for f, _ in programs.CASES], ids=lambda f: f.__qualname__)
def test_scopes_are_those_of_the_compiler(function):
    library = _core.SourceLibrary()
    for code in codes_in(function.__code__):
        lowered = ir.Function(library.lower(code).rstrip("\n").split("\n"))
        assert tuple(lowered.free) == code.co_freevars
        assert sorted(lowered.cells) == sorted(code.co_cellvars)
        names = [name.replace(".", "implicit") for name in code.co_varnames[: len(lowered.signature)]]
        assert sorted(p.name for p in lowered.signature) == sorted(names)
        assert lowered.is_generator == bool(code.co_flags & 0x20)
        assert lowered.qualname == code.co_qualname


MODULES = (
    *(
        f"torch.nn.modules.{name}"
        for name in ("activation", "batchnorm", "container", "conv", "module", "rnn")
    ),
    *(f"torch.nn.modules.{name}" for name in ("sparse", "transformer", "loss", "pooling", "normalization")),
    "torch.nn.functional",
    "contextlib",
    "json.decoder",
    "_pydecimal",
    "argparse",
)
KNOWN_REASONS = ("an async function", "async", "a class statement inside a function")


def functions_of(module):
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else [value]
        for member in members:
            function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
            if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
                yield function


@pytest.mark.parametrize("name", MODULES)
def test_every_function_of_real_modules_is_lowered_or_refused_for_a_known_reason(name):
    if name.startswith("torch"):
        pytest.importorskip("torch")
    library = _core.SourceLibrary()
    lowered, refused = 0, []
    for function in functions_of(importlib.import_module(name)):
        try:
            library.lower(function)
            lowered += 1
        except dycl.errors.UnsupportedError as error:
            generated = error.code == "python.no_source" and function.__code__.co_filename == "<string>"
            if not generated and error.message.removesuffix(" is not supported") not in KNOWN_REASONS:
                refused.append(str(error))
    assert not refused
    assert lowered > 3
