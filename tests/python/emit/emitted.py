# SPDX-License-Identifier: Apache-2.0
"""Builds a program that `dycl emit` wrote, and runs it through the generic entry of its header."""

import ctypes
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("DYCL_BUILD", ROOT / "build" / "release"))
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]

DTYPES = {
    1: torch.float32,
    2: torch.uint8,
    3: torch.int8,
    5: torch.int16,
    6: torch.int32,
    7: torch.int64,
    9: torch.bool,
    10: torch.float16,
    11: torch.float64,
    16: torch.bfloat16,
}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
TEXT = 8
LIST = -1
NONE = 0


class View(ctypes.Structure):
    pass


View._fields_ = (
    ("name", ctypes.c_char_p),
    ("dtype", ctypes.c_int32),
    ("rank", ctypes.c_int32),
    ("dims", ctypes.POINTER(ctypes.c_int64)),
    ("data", ctypes.c_void_p),
    ("byte_size", ctypes.c_size_t),
    ("items", ctypes.POINTER(View)),
    ("item_count", ctypes.c_size_t),
)


class ErrorStruct(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_int),
        ("reason", ctypes.c_char_p),
        ("exception", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("place", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
    )


class Options(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("plugin_folders", ctypes.POINTER(ctypes.c_char_p)),
        ("plugin_folder_count", ctypes.c_size_t),
        ("vendor_folders", ctypes.POINTER(ctypes.c_char_p)),
        ("vendor_folder_count", ctypes.c_size_t),
        ("allow_native", ctypes.c_int32),
        ("device_kind", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("stream", ctypes.c_void_p),
    )


@dataclass
class Failed(Exception):  # noqa: N818
    """A function of the emitted program failed."""

    reason: str
    exception: str
    message: str
    place: str
    text: str


class Refused(Exception):  # noqa: N818
    """`dycl emit` refused a package."""


def emit(package: Path, folder: Path, name: str) -> Path:
    """Writes the program of a package into a folder."""
    command = [str(BUILD / "dycl"), "emit", str(package), "-o", str(folder), "--name", name, "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(done.stderr)
    return folder


def build(folder: Path, name: str, compiler: str = "g++", options: tuple[str, ...] = ("-O0",)) -> Path:
    """Compiles the program as a shared library, without a warning."""
    library = folder / f"lib{name}.so"
    command = [compiler, "-std=c++17", *WARNINGS, *options, "-ffp-contract=off", "-fPIC", "-shared"]
    command += [f"-I{folder}/include", f"-I{folder}/support", f"-I{ROOT}/include"]
    command += [f"{folder}/src/{name}.cpp", "-o", str(library), f"-L{BUILD}", "-ldycl", f"-Wl,-rpath,{BUILD}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return library


def run(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


def build_command(folder: Path, name: str, main: str, options: tuple[str, ...]) -> Path:
    """Compiles a program that comes with the emitted one: example/main.c or test/main.cpp."""
    includes = [f"-I{folder}/include", f"-I{folder}/support", f"-I{ROOT}/include"]
    compiler = ["gcc", "-std=c99"] if main.endswith(".c") else ["g++", "-std=c++17"]
    source, binary, part = folder / main, folder / "command", folder / "main.o"
    subprocess.run([*compiler, *WARNINGS, *options, *includes, "-c", source, "-o", part], check=True)
    command = ["g++", "-std=c++17", *WARNINGS, *options, "-ffp-contract=off", *includes]
    command += [str(folder / "src" / f"{name}.cpp"), str(part), "-o", str(binary)]
    subprocess.run([*command, f"-L{BUILD}", "-ldycl", f"-Wl,-rpath,{BUILD}"], check=True)
    return binary


def folders(paths: list[Path]) -> "ctypes.Array[ctypes.c_char_p]":
    return (ctypes.c_char_p * len(paths))(*(str(path).encode() for path in paths))


class Program:
    """An emitted program and one session of it."""

    def __init__(self, folder: Path, name: str, library: Path, package: Path | None = None):
        self.name = name
        self.library = ctypes.CDLL(str(library))
        self.function("last_error").restype = ErrorStruct
        self.function("list").restype = ctypes.c_size_t
        vendors = folders([Path(np.__file__).resolve().parents[1]])
        plugins = folders([BUILD / "backends"])
        options = Options(ctypes.sizeof(Options), 1, plugins, 1, vendors, 1, 1, 0, 0, None)
        self.program = ctypes.c_void_p()
        self.session = ctypes.c_void_p()
        path = str(package or folder / f"{name}.dycl").encode()
        self.check(self.function("open")(path, ctypes.byref(options), ctypes.byref(self.program)))
        self.check(self.function("session_create")(self.program, ctypes.byref(self.session)))
        self.result = ctypes.create_string_buffer(1 << 16)

    @classmethod
    def of(cls, package: Path, folder: Path, name: str) -> "Program":
        """Emits a package, compiles the program and loads it."""
        emit(package, folder, name)
        return cls(folder, name, build(folder, name))

    def function(self, name: str):
        return getattr(self.library, f"{self.name}_{name}")

    def check(self, code: int) -> None:
        if code == 0:
            return
        error = self.function("last_error")()
        assert error.code == code
        texts = (error.reason, error.exception, error.message, error.place, error.text)
        raise Failed(*(text.decode() for text in texts))

    def run(self, *inputs) -> list[tuple[str, object]]:
        """Runs the model and copies the leaves of what it returns, with their paths."""
        keep: list[object] = []
        return self.run_views(*(view_of(value, keep) for value in inputs))

    def run_views(self, *inputs: View) -> list[tuple[str, object]]:
        views = (View * max(len(inputs), 1))(*inputs)
        run = self.function("run_views")
        self.check(run(self.session, views, ctypes.c_size_t(len(inputs)), self.result))
        return [(view.name.decode(), value_of(view)) for view in self.listed()]

    def listed(self) -> list[View]:
        """Views of the last result, in the memory of the session."""
        count = self.function("list")(self.result, None, ctypes.c_size_t(0))
        views = (View * max(count, 1))()
        self.function("list")(self.result, views, ctypes.c_size_t(count))
        return views[:count]

    def reset(self) -> None:
        self.check(self.function("reset")(self.session))

    def close(self) -> None:
        self.function("session_free")(self.session)
        self.function("close")(self.program)


def view_of(value: object, keep: list[object]) -> View:
    """Makes the view of an input; what it points to stays in `keep`."""
    if value is None:
        return View(b"", NONE)
    if isinstance(value, list | tuple):
        items = (View * max(len(value), 1))(*(view_of(item, keep) for item in value))
        keep.append(items)
        return View(b"", LIST, 0, None, None, 0, items, len(value))
    if isinstance(value, bool | int | float):
        dtype = {bool: torch.bool, int: torch.int64, float: torch.float64}[type(value)]
        value = torch.tensor(value, dtype=dtype)
    tensor = value.detach().contiguous()
    dims = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
    keep += [tensor, dims]
    return View(b"", NUMBERS[tensor.dtype], tensor.dim(), dims, tensor.data_ptr(), tensor.nbytes, None, 0)


def value_of(view: View) -> object:
    """Copies what a view shows: a tensor, a text, None or a list."""
    if view.dtype == LIST:
        return [value_of(view.items[index]) for index in range(view.item_count)]
    if view.dtype == NONE:
        return None
    data = ctypes.string_at(view.data, view.byte_size)
    if view.dtype == TEXT:
        return data.decode()
    dims = [view.dims[axis] for axis in range(view.rank)]
    flat = torch.frombuffer(bytearray(data), dtype=DTYPES[view.dtype]) if data else torch.empty(0)
    return flat.to(DTYPES[view.dtype]).reshape(dims)
