# SPDX-License-Identifier: Apache-2.0
"""torch tensors in, torch tensors out; run with a stand-in where torch is not installed."""

import sys
import types

import dycl
import numpy as np
import pytest

from python import models


class FakeDtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"torch.{self.name}"


class FakeSize(tuple):
    """As torch.Size, a tuple but not a plain one."""


class FakeTensor:
    """The part of torch.Tensor that DyCL uses."""

    __module__ = "torch"

    def __init__(self, array: np.ndarray, device: str = "cpu") -> None:
        self.array = array
        self.device = types.SimpleNamespace(type=device)
        self.dtype = FakeDtype(array.dtype.name)
        self.shape = FakeSize(array.shape)

    def detach(self):
        return self

    def contiguous(self):
        return self if self.array.flags.c_contiguous else FakeTensor(self.array.copy("C"))

    def data_ptr(self):
        return self.array.ctypes.data


@pytest.fixture
def torch(monkeypatch):
    try:
        import torch
    except ModuleNotFoundError:
        torch = types.ModuleType("torch")
        torch.from_numpy = FakeTensor
        monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def as_array(tensor) -> np.ndarray:
    return tensor.array if isinstance(tensor, FakeTensor) else tensor.numpy()


def test_torch_in_gives_torch_out(torch):
    x = np.array([3, -1], np.float32)
    y = dycl.compile(models.choose())(torch.from_numpy(x))
    assert type(y).__module__ == "torch"
    np.testing.assert_array_equal(as_array(y), 2 * x)


def test_a_tensor_that_is_not_contiguous_is_copied(torch):
    x = np.arange(8, dtype=np.float32)[::3]
    np.testing.assert_array_equal(as_array(dycl.compile(models.choose())(FakeTensor(x))), 2 * x)


def test_a_tensor_on_another_device_is_refused(torch):
    with pytest.raises(dycl.UsageError, match="cuda"):
        dycl.compile(models.choose())(FakeTensor(np.ones(1, np.float32), device="cuda"))


def test_sequences_of_torch_tensors_give_sequences_of_torch_tensors(torch):
    result = dycl.compile(models.grow())(
        [torch.from_numpy(np.ones(2, np.float32))], torch.from_numpy(np.zeros(1, np.float32))
    )
    assert [type(item).__module__ for item in result] == ["torch", "torch"]
