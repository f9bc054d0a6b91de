# SPDX-License-Identifier: Apache-2.0
"""Tensors of every element type pass from numpy through a program and back, bit for bit."""

import dycl
import ml_dtypes
import numpy as np
import onnx
import pytest

from python import models

PLAIN = ["float32", "float64", "float16", "bool"]
PLAIN += [f"{sign}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)]
EXTENDED = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]


def values_of(dtype: np.dtype) -> np.ndarray:
    if dtype.name == "bool":
        return np.array([[True, False], [False, True], [True, True]])
    if dtype.name == "uint64":
        return np.array([[0, 1], [2**63, 2**64 - 1], [7, 8]], dtype)
    if dtype.name == "int64":
        return np.array([[0, -1], [2**62 + 1, -(2**63)], [7, 8]], dtype)
    if dtype.kind == "f":
        return np.array([[0, -0.0], [np.inf, np.nan], [0.1, -7]], dtype)
    return np.array([[0, 1], [2, 3], [4, 5]]).astype(dtype)


@pytest.mark.parametrize("name", PLAIN)
def test_numpys_own_types_round_trip(name):
    dtype = np.dtype(name)
    program = dycl.compile(models.identity(onnx.helper.np_dtype_to_tensor_dtype(dtype)))
    x = values_of(dtype)
    y = program(x)
    assert y.dtype == dtype
    assert y.tobytes() == x.tobytes()


@pytest.mark.parametrize("name", EXTENDED)
def test_ml_dtypes_round_trip(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    program = dycl.compile(models.identity(onnx.helper.np_dtype_to_tensor_dtype(dtype)))
    x = values_of(dtype)
    y = program(x)
    assert y.dtype == dtype
    assert y.tobytes() == x.tobytes()


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_odd_counts_of_packed_elements_keep_their_last_one(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    program = dycl.compile(models.quantize_again(onnx.helper.np_dtype_to_tensor_dtype(dtype)))
    x = np.array([-8, 7, -1, 0, 3] if name == "int4" else [15, 7, 8, 0, 3]).astype(dtype)
    y = program(x)
    assert y.dtype == dtype
    assert y.astype(int).tolist() == x.astype(int).tolist()


@pytest.mark.parametrize("rows", [0, 1])
def test_empty_and_single_rows_keep_their_shape(rows):
    program = dycl.compile(models.identity(onnx.TensorProto.FLOAT))
    assert program(np.zeros((rows, 2), np.float32)).shape == (rows, 2)
