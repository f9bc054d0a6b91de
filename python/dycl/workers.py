# SPDX-License-Identifier: Apache-2.0
"""Runs the command of a worker: python -m dycl.workers NAME ARGUMENT…"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "lib" / "dycl" / "workers"


def names() -> list[str]:
    return sorted(path.parent.name for path in FOLDER.glob("*/__main__.py"))


def environment() -> dict[str, str]:
    """This process's, in which the workers' packages are found."""
    path = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in names():
        print(f"error: name a worker: {', '.join(names())}\n  hint: {__doc__}", file=sys.stderr)
        return 2
    return subprocess.run([sys.executable, "-P", "-m", *arguments], env=environment(), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
