# SPDX-License-Identifier: Apache-2.0
"""How diagnostics of the native core become exceptions."""

import pytest
from dycl import errors

FIELDS = {
    "blame": "unsupported",
    "code": "onnx.some_code",
    "message": "it cannot be",
    "text": "m.onnx: it cannot be",
    "file": "m.onnx",
    "line": 3,
    "column": 7,
    "node": "main/body/add_1 (Add)",
    "hint": "do this",
    "notes": ["n"],
    "exception_type": "",
}


def test_an_unsupported_construct_names_itself_and_its_place():
    error = errors.error_of(FIELDS)
    assert isinstance(error, errors.UnsupportedError)
    assert (error.file, error.line, error.column) == ("m.onnx", 3, 7)
    assert (error.construct, error.hint, error.code) == ("Add", "do this", "onnx.some_code")
    assert str(error) == "m.onnx: it cannot be"


@pytest.mark.parametrize(
    ("blame", "kind"),
    [("usage", errors.UsageError), ("backend", errors.BackendError), ("package", errors.PackageError),
     ("internal", errors.InternalError)],
)  # fmt: skip
def test_every_blame_has_its_class_below_error(blame, kind):
    error = errors.error_of({**FIELDS, "blame": blame})
    assert type(error) is kind
    assert isinstance(error, errors.Error)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ValueError", ValueError),
        ("ZeroDivisionError", ZeroDivisionError),
        ("AssertionError", AssertionError),
        ("SystemExit", SystemExit),
        ("KeyboardInterrupt", KeyboardInterrupt),
    ],
)
def test_a_builtin_exception_of_the_model_is_raised_as_itself(name, kind):
    error = errors.error_of({**FIELDS, "blame": "model", "exception_type": name})
    assert type(error) is kind
    assert error.args == ("it cannot be",)


@pytest.mark.parametrize("name", ["MyError", "UnicodeDecodeError", "print", "__name__"])
def test_any_other_exception_of_the_model_is_a_model_error(name):
    error = errors.error_of({**FIELDS, "blame": "model", "exception_type": name})
    assert isinstance(error, errors.ModelError)
    assert error.type_name == name


def test_an_error_in_python_source_shows_the_line_with_a_caret(tmp_path):
    source = tmp_path / "net.py"
    source.write_text("def f(x):\n    y = 1; return g(x)\n")
    place = {"file": str(source), "line": 2, "column": 19, "node": ""}
    text = f"{source}:2:19: it cannot be [python.some_thing]\n  note: called from b.py:3:1\n  hint: do this"
    error = errors.error_of({**FIELDS, **place, "code": "python.some_thing", "text": text})
    assert str(error).splitlines() == [
        f"{source}:2:19: it cannot be [python.some_thing]",
        "    y = 1; return g(x)",
        "                  ^",
        "  called from b.py:3:1",
        "  hint: do this",
    ]
    assert error.construct == "some thing"
    source.unlink()
    assert "^" not in str(
        errors.error_of({**FIELDS, **place, "file": str(tmp_path / "gone.py"), "text": "t"})
    )
