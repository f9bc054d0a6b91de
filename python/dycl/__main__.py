# SPDX-License-Identifier: Apache-2.0
"""The command `dycl` of the wheel. It handles Python models itself. For everything else it becomes the native
binary, and passes the folders of the vendors' wheels to it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from dycl import _search
from dycl.cli import command


def main() -> NoReturn:
    if command.is_ours(sys.argv[1:]):
        raise SystemExit(command.run(sys.argv[1:]))
    binary = _search.PACKAGE / "bin" / "dycl"
    os.environ["DYCL_VENDOR_PATH"] = os.pathsep.join(map(str, _search.vendor_folders()))
    more = command.more_help(sys.argv[1:])
    if more is not None:
        shown = subprocess.run([binary, *sys.argv[1:]], stdout=subprocess.PIPE, text=True, check=False)
        raise SystemExit(command.show(f"{shown.stdout}\n{more}") or shown.returncode)
    sys.stdout.flush()
    os.execv(binary, ["dycl", *sys.argv[1:]])


if __name__ == "__main__":
    main()
