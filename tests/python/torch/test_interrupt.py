# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a run that does not end by itself."""

import os
import signal
import threading
import time

import dycl
import pytest
import torch


def endless(x):
    while x.sum() < 1e30:
        x = x * 1.0
    return x


def test_a_run_can_be_interrupted():
    program = dycl.compile(endless, torch.ones(2), step_limit=10**15)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        program(torch.ones(2))
    assert time.perf_counter() - start < 20
    assert program(torch.full((2,), 1e30)).tolist() == pytest.approx([1e30, 1e30])
