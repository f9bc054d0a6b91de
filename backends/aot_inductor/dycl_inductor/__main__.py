# SPDX-License-Identifier: Apache-2.0
"""Answers the plugin's questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import dycl_worker


def compile_subnet(
    arguments: Any, parts: Sequence[bytes], progress: dycl_worker.Progress
) -> tuple[Any, Sequence[bytes]]:
    try:
        from dycl_inductor import compiler
    except ImportError as error:
        raise dycl_worker.Failed(
            f"aot_inductor compiles with torch, which cannot be imported: {dycl_worker.one_line(error)}",
            code="aot_inductor.no_torch",
            hint="pip install '.[aot_inductor]' in the folder of DyCL",
        ) from error
    facts, library = compiler.compile_subnet(json.loads(parts[0]), progress)
    return facts, [library]


if __name__ == "__main__":
    dycl_worker.serve({"compile": compile_subnet})
