# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a run that does not end by itself. In a process of its own: signals reach main threads only."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, signal, threading, dycl, torch

def endless(x):
    while x.sum() < 1e30:
        x = x * 1.0
    return x

signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell may have told us to ignore it
program = dycl.compile(endless, torch.ones(2))
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    program(torch.ones(2))
except KeyboardInterrupt:
    print("interrupted,", program(torch.full((2,), 1e30)).tolist()[0] > 1e29)
"""


def test_a_run_can_be_interrupted(tmp_path):
    file = Path(tmp_path, "endless.py")
    file.write_text(PROGRAM)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "interrupted, True\n"
