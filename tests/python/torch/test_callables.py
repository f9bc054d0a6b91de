# SPDX-License-Identifier: Apache-2.0
"""Whatever a model calls: equal to eager or refused. `-m long` tries all callables, others a few each day."""

import datetime
import re
import subprocess
import sys
from pathlib import Path

import pytest
from python.torch.callables.namespaces import all_targets

TESTS = Path(__file__).parents[2]
FEW = 8  # callables, which are about a hundred programs


def run(*options, seconds):
    command = [sys.executable, "-m", "python.torch.callables", *options]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=seconds)


def test_a_few_callables_another_each_day():
    seed = datetime.date.today().toordinal()
    print(f"seed {seed}: python -m python.torch.callables --sample {FEW} --seed {seed}")
    done = run("--sample", str(FEW), "--seed", str(seed), seconds=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.suite("callables")
def test_every_callable(record_property):
    done = run("--jobs", "2", seconds=4 * 3600)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]
    for kind in ("equal", "refused"):
        record_property(kind, re.search(rf"(\d+) {kind}", done.stdout.splitlines()[-1]).group(1))


def test_the_namespaces_are_all_there():
    names = {target.name for target in all_targets()}
    assert len(names) > 3000
    for name in ("builtins.sum", "numpy.put", "torch.nn.init.ones_", "torch._foreach_mul_", "list.append"):
        assert name in names


def test_what_is_left_out_has_a_reason_and_exists():
    from python.torch.callables.excluded import EXCLUDED

    names = {target.name for target in all_targets()}
    assert set(EXCLUDED) <= names
    assert all(EXCLUDED.values())
