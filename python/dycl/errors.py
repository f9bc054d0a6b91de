# SPDX-License-Identifier: Apache-2.0
"""The exceptions of DyCL, one class for each party that can be at fault. All are subclasses of `Error`."""

from __future__ import annotations

import linecache
import re
import types
from typing import Any

from dycl.names import loaded


class Error(Exception):
    """The base class. `code` is stable and listed in docs/errors.md; `hint` may be empty."""

    blame = "model"  # whose fault the error is, in the words of the native core

    def __init__(self, message: str = "", **fields: Any) -> None:
        super().__init__(_with_source_line(fields) or fields.get("text") or _text_of(message, fields))
        self.message: str = message
        self.code: str = fields.get("code", "")
        self.hint: str = fields.get("hint", "")
        self.notes: list[str] = list(fields.get("notes", ()))
        self.file: str = fields.get("file", "")
        self.line: int = fields.get("line", 0)
        self.column: int = fields.get("column", 0)
        self.node: str = fields.get("node", "")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _text_of(message: str, fields: dict[str, Any]) -> str:
    """Formats a message as the native core does."""
    text = f"{message} [{fields['code']}]" if fields.get("code") else message
    return f"{text}\n  hint: {fields['hint']}" if fields.get("hint") else text


class UsageError(Error, ValueError):
    """The arguments are wrong, or the inputs do not fit the program."""

    blame = "usage"


class MissingFileError(UsageError, FileNotFoundError):
    """A model or package does not exist."""


class UnsupportedError(Error):
    """The model uses something that DyCL refuses; `construct` names it."""

    blame = "unsupported"

    @property
    def construct(self) -> str:
        """The operator of ONNX ("Add"), or the construct of Python ("dynamic trip count")."""
        operator = re.search(r"\(([^()]+)\)$", self.node)
        return operator.group(1) if operator else self.code.removeprefix("python.").replace("_", " ")


class BackendError(Error):
    """A vendor library is missing, refused the model, or failed."""

    blame = "backend"


class PackageError(Error):
    """A .dycl file is damaged, manipulated or of another version."""

    blame = "package"


class PathMismatch(Error):  # noqa: N818 - the one spelling in design and docs
    """Verification found that a program differs from the model that it was compiled from."""


class ModelError(Error):
    """The model raised an exception of a type that Python does not know; `type_name` names it."""

    type_name: str = ""


class InternalError(Error):
    """DyCL has a bug."""

    blame = "internal"


_CLASSES: dict[str, type[Error]] = {
    kind.blame: kind for kind in (UsageError, UnsupportedError, BackendError, PackageError, InternalError)
}


def source_lines(file: str, line: int, column: int) -> list[str]:
    """Returns the line of source and a caret below its column (from 1), or nothing if there is no source."""
    if not file.endswith(".py"):  # the output may be named, and be a device that never ends
        return []
    source = linecache.getline(file, line).rstrip()
    text = source.lstrip()
    if not text:
        return []
    before = source[: max(column - 1, 0)][len(source) - len(text) :]
    return [f"    {text}", "    " + "".join(c if c == "\t" else " " for c in before) + "^"]


def _with_source_line(fields: dict[str, Any]) -> str:
    """Returns the message with the line of source below it, or "" if it has no place in Python source."""
    shown = source_lines(fields.get("file", ""), fields.get("line", 0), fields.get("column", 0))
    if not shown:
        return ""
    first, *rest = fields.get("text", "").split("\n")
    return "\n".join([first, *shown, *(line.replace("  note: called", "  called", 1) for line in rest)])


def error_of(fields: dict[str, Any]) -> BaseException:
    """Makes the exception for a diagnostic of the native core."""
    blame = fields["blame"]
    if blame == "model":
        return _raised_by_model(fields)
    return _CLASSES.get(blame, Error)(**fields)


def _raised_by_model(fields: dict[str, Any]) -> BaseException:
    name, opened, kind = fields["exception_type"].partition("(")
    known = _exception_class(name)
    if known is not None:
        attributes = dict(fields.get("attributes", {}))
        args = _arguments(kind.rstrip(")") if opened else "str", fields["message"])
        try:
            error = _make(known, attributes.pop("args", args))
        except TypeError:  # UnicodeDecodeError and others take more than a message
            return _model_error(name, fields)
        for attribute, value in attributes.items():
            object.__setattr__(error, attribute, value)
        where = fields["file"] or fields["node"]
        if where:
            error.add_note(f"raised by the model at {fields['node'] or where}")
        return error
    return _model_error(name, fields)


def _make(kind: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    """Makes an exception without its own `__init__`, which may take other arguments than the message."""
    inits = (vars(base).get("__init__") for base in kind.__mro__)
    native = next(init for init in inits if init is not None and not isinstance(init, types.FunctionType))
    error = kind.__new__(kind, *args)
    native(error, *args)
    return error


def _arguments(kind: str, text: str) -> tuple[Any, ...]:
    """Returns an exception's arguments: "KeyError(int)" has a number as its argument, "KeyError()" none."""
    if kind in ("int", "float"):
        return (int(text) if kind == "int" else float(text),)
    return () if not kind else (text == "True" if kind == "bool" else text,)


def _exception_class(name: str) -> type[BaseException] | None:
    """Finds a builtin exception by its name, or a model's own by "module:Class" if the module is loaded."""
    found = loaded(name if ":" in name else f"builtins:{name}")
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _model_error(name: str, fields: dict[str, Any]) -> ModelError:
    error = ModelError(**fields)
    error.type_name = name
    return error


def _rebuild(kind: type[Error], args: tuple[Any, ...], state: dict[str, Any]) -> Error:
    error = kind()
    error.args = args
    error.__dict__.update(state)
    return error
