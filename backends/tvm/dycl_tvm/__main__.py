# SPDX-License-Identifier: Apache-2.0
"""python -m dycl_tvm: answers the questions of the plugin `tvm`; with arguments, a command (command.py)."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# tvm_ffi imports torch when it is there, only to be safe beside it: ten seconds that nobody needs here.
sys.modules["torch"] = None  # type: ignore[assignment]

import onnx  # noqa: E402
from dycl_worker import Failed, Progress, serve  # noqa: E402

from dycl_tvm import build, convert, database, weights  # noqa: E402


@dataclass
class Built:
    executable: Any
    library: bytes | None = None  # once it was asked for


class Compiler:
    """Remembers what it has built: `compile` is asked after `check`, and equal blocks come again."""

    def __init__(self) -> None:
        self.built: dict[str, Built] = {}

    def check(self, arguments: Any, parts: Sequence[bytes], progress: Progress) -> tuple[Any, list[bytes]]:
        """{"reason": "" or why not, "node": the place of the node that is to blame, or None}"""
        try:
            self._built(arguments, parts)
        except convert.Refused as refused:
            return {"reason": str(refused), "node": refused.node}, []
        return {"reason": "", "node": None}, []

    def infer_types(
        self, arguments: Any, parts: Sequence[bytes], progress: Progress
    ) -> tuple[Any, list[bytes]]:
        try:
            return {"types": convert.output_types(convert.to_relax(self._model(arguments, parts)[0]))}, []
        except convert.Refused as refused:
            raise Failed(str(refused), code="tvm.refused") from refused

    def compile(self, arguments: Any, parts: Sequence[bytes], progress: Progress) -> tuple[Any, list[bytes]]:
        """{"features": instruction sets it uses, "weights": its last inputs, by name}, and the library."""
        try:
            built, last_inputs = self._built(arguments, parts)
        except convert.Refused as refused:
            raise Failed(str(refused), code="tvm.refused") from refused
        if built.library is None:
            built.library = build.library_of(built.executable)
        return {"features": build.host_features(), "weights": last_inputs}, [built.library]

    def _model(self, arguments: Any, parts: Sequence[bytes]) -> tuple[Any, list[str]]:
        """With external weights as inputs, or, when `parts` has their contents, as constants."""
        try:
            model = onnx.load_from_string(parts[0])
        except Exception as error:
            raise convert.Refused("the graph is no ONNX model") from error
        names: list[str] = arguments["weights"]
        if len(parts) > 1:
            weights.weights_inside(model, dict(zip(names, parts[1:])))
            return model, []
        weights.weights_as_inputs(model, names)
        return model, list(names)

    def _built(self, arguments: Any, parts: Sequence[bytes]) -> tuple[Built, list[str]]:
        """And the names of its last inputs: the weights, small ones too if TVM can do without seeing them."""
        model, names = self._model(arguments, parts)
        small = weights.small_weights(model)
        if small:
            lifted = onnx.ModelProto()
            lifted.CopyFrom(model)
            weights.weights_as_inputs(lifted, small)
            try:
                return self._build(lifted), names + small
            except convert.Refused:
                pass
        return self._build(model), names

    def _build(self, model: Any) -> Built:
        target = build.host_target()
        digest = hashlib.sha256(model.SerializeToString(deterministic=True)).hexdigest()
        key = f"{digest} {database.state(target)}"
        if key not in self.built:
            lowered = build.lower(convert.to_relax(model), target)
            self.built[key] = Built(build.build(build.schedule(lowered, target), target))
        return self.built[key]


def main() -> None:
    if len(sys.argv) > 1:
        from dycl_tvm import command

        sys.exit(command.main(sys.argv[1:]))
    compiler = Compiler()
    serve({"check": compiler.check, "infer_types": compiler.infer_types, "compile": compiler.compile})


if __name__ == "__main__":
    main()
