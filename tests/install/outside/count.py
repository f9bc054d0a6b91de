# SPDX-License-Identifier: Apache-2.0
"""count.py LIBRARY PACKAGE PLUGINS: the same package from Python, by ctypes alone, with the option structs of
today and with those of a caller that was built when they ended earlier."""

import ctypes
import sys

I64 = 7
Pointer = ctypes.c_void_p


class RuntimeOptions(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("plugin_folders", ctypes.POINTER(ctypes.c_char_p)),
        ("plugin_folder_count", ctypes.c_size_t),
        ("vendor_folders", ctypes.POINTER(ctypes.c_char_p)),
        ("vendor_folder_count", ctypes.c_size_t),
    )


class LoadOptions(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("step_limit", ctypes.c_uint64),
        ("allow_native", ctypes.c_int32),
    )


class TensorView(ctypes.Structure):
    _fields_ = (
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", Pointer),
        ("byte_size", ctypes.c_size_t),
        ("device_kind", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
    )


library = ctypes.CDLL(sys.argv[1])
for function in ("code", "text"):
    getattr(library, f"dycl_status_{function}").restype = ctypes.c_char_p


def call(name, *arguments):
    """Calls a function that returns a status, and raises what the status says."""
    function = getattr(library, name)
    function.restype = Pointer
    status = function(*arguments)
    if status:
        code = library.dycl_status_code(Pointer(status)).decode()
        text = library.dycl_status_text(Pointer(status)).decode()
        library.dycl_status_free(Pointer(status))
        raise RuntimeError(f"{code}: {text}")


def integer(number):
    value = Pointer()
    dims, data = (ctypes.c_int64 * 1)(1), (ctypes.c_int64 * 1)(number)
    call("dycl_value_borrow", I64, dims, ctypes.c_size_t(1), data, ctypes.c_size_t(8), ctypes.byref(value))
    return value, data


def count(runtime_size, load_size):
    """Counts from 0 to 20 in steps of 7, and returns where that ends and how many steps it took."""
    folders = (ctypes.c_char_p * 1)(sys.argv[3].encode())
    options = RuntimeOptions(runtime_size, 1, folders, 1, None, 0)
    load = LoadOptions(load_size, 1000, 0)
    runtime, program, session = Pointer(), Pointer(), Pointer()
    call("dycl_runtime_create", ctypes.byref(options), ctypes.byref(runtime))
    call("dycl_program_load", runtime, sys.argv[2].encode(), ctypes.byref(load), ctypes.byref(program))
    call("dycl_session_create", program, ctypes.byref(session))
    made = [integer(number) for number in (0, 7, 20)]
    inputs = (Pointer * 3)(*(value for value, _ in made))
    outputs, view, length = (Pointer * 2)(), TensorView(), ctypes.c_size_t()
    call("dycl_session_run", session, inputs, ctypes.c_size_t(3), outputs, ctypes.c_size_t(2))
    call("dycl_value_tensor", Pointer(outputs[0]), ctypes.byref(view))
    call("dycl_value_size", Pointer(outputs[1]), ctypes.byref(length))
    result = ctypes.cast(view.data, ctypes.POINTER(ctypes.c_int64))[0], length.value
    for value in (*inputs, *outputs):
        library.dycl_value_free(Pointer(value))
    library.dycl_session_free(session)
    library.dycl_program_free(program)
    library.dycl_runtime_free(runtime)
    return result


whole = ctypes.sizeof(RuntimeOptions), ctypes.sizeof(LoadOptions)
assert count(*whole) == (21, 3)
without_vendors = RuntimeOptions.vendor_folders.offset, LoadOptions.allow_native.offset
assert count(*without_vendors) == (21, 3)


def refusal(*sizes):
    """What the library says of these sizes."""
    try:
        return str(count(*sizes))
    except RuntimeError as error:
        return str(error)


for sizes in ((3, whole[1]), (whole[0], 1 << 20)):  # of no version, and of one that is still to come
    assert refusal(*sizes).startswith("run.options_size: "), sizes
