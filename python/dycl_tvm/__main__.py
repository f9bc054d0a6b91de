# SPDX-License-Identifier: Apache-2.0
"""python -m dycl_tvm: answers the questions of the plugin `tvm`; with arguments, a command (command.py)."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any

# tvm_ffi imports torch when it is there, only to be safe beside it: ten seconds that nobody needs here.
sys.modules["torch"] = None  # type: ignore[assignment]

import onnx  # noqa: E402
from dycl_worker import Failed, Progress, serve  # noqa: E402

from dycl_tvm import build, convert  # noqa: E402


class Compiler:
    """Remembers what `check` has prepared: `compile` is asked about the same graph next."""

    def __init__(self) -> None:
        self.prepared: dict[str, Any] = {}

    def check(self, arguments: Any, parts: Sequence[bytes], progress: Progress) -> tuple[Any, list[bytes]]:
        """{"reason": "" or why not}"""
        try:
            self._built(arguments, parts)
        except convert.Refused as refused:
            return {"reason": str(refused)}, []
        return {"reason": ""}, []

    def infer_types(
        self, arguments: Any, parts: Sequence[bytes], progress: Progress
    ) -> tuple[Any, list[bytes]]:
        try:
            return {"types": convert.output_types(self._module(arguments, parts))}, []
        except convert.Refused as refused:
            raise Failed(str(refused), code="tvm.refused") from refused

    def compile(self, arguments: Any, parts: Sequence[bytes], progress: Progress) -> tuple[Any, list[bytes]]:
        """{"features": instruction sets that it uses}, and the library."""
        try:
            built = self._built(arguments, parts)
        except convert.Refused as refused:
            raise Failed(str(refused), code="tvm.refused") from refused
        return {"features": build.host_features()}, [build.library_of(built)]

    def _module(self, arguments: Any, parts: Sequence[bytes]) -> Any:
        """`weights`: names of the external ones. They become inputs; with contents in `parts`, constants."""
        try:
            model = onnx.load_from_string(parts[0])
        except Exception as error:
            raise convert.Refused("the graph is no ONNX model") from error
        names = arguments["weights"]
        if len(parts) > 1:
            convert.weights_inside(model, dict(zip(names, parts[1:])))
        else:
            convert.weights_as_inputs(model, names)
        return convert.to_relax(model)

    def _built(self, arguments: Any, parts: Sequence[bytes]) -> Any:
        key = hashlib.sha256(json.dumps(arguments, sort_keys=True).encode())
        for part in parts:
            key.update(hashlib.sha256(part).digest())
        known = self.prepared.get(key.hexdigest())
        if known is None:
            target = build.host_target()
            lowered = build.lower(self._module(arguments, parts), target)
            known = build.build(build.schedule(lowered, target), target)
            self.prepared = {key.hexdigest(): known}
        return known


def main() -> None:
    if len(sys.argv) > 1:
        from dycl_tvm import command

        sys.exit(command.main(sys.argv[1:]))
    compiler = Compiler()
    serve({"check": compiler.check, "infer_types": compiler.infer_types, "compile": compiler.compile})


if __name__ == "__main__":
    main()
