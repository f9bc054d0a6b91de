# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime running a file as a whole: the judge of every case."""

from typing import Any

import numpy as np
import onnx
import onnxruntime

from equivalence.case import Feed

# Floats may differ by what another order of the same additions gives, no more. Another library's exp
# or tanh differs by a few units in the last place, which a loop adds up: LOOSE times as much.
TOLERANCE = {np.dtype(np.float16): 1e-3, np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-12}
LOOSE = 10


def run_whole(model: onnx.ModelProto, feeds: list[Feed]) -> list[list[Any]]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [session.run(None, feed) for feed in feeds]


def difference(ours: Any, theirs: Any, where: str = "", *, loose: bool = False) -> str:
    """What is different, in words; empty when the two are equal."""
    if theirs is None or ours is None:
        return "" if ours is theirs else f"{where}: {ours!r} instead of {theirs!r}"
    if isinstance(theirs, list):
        if not isinstance(ours, list | tuple) or len(ours) != len(theirs):
            return f"{where}: not a sequence of {len(theirs)}"
        parts = (difference(a, b, f"{where}[{i}]", loose=loose) for i, (a, b) in enumerate(zip(ours, theirs)))
        return next(filter(None, parts), "")
    return array_difference(np.asarray(ours), np.asarray(theirs), where, LOOSE if loose else 1)


def same_shape(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Of a loop without trips ONNX Runtime stacks nothing, and says 0 for every size it did not know."""
    if theirs.size == 0 and ours.size == 0 and ours.ndim == theirs.ndim:
        return all(b in (a, 0) for a, b in zip(ours.shape, theirs.shape))
    return ours.shape == theirs.shape


def array_difference(ours: np.ndarray, theirs: np.ndarray, where: str, slack: int) -> str:
    is_text = theirs.dtype.kind in "OUS"
    if (not is_text and ours.dtype != theirs.dtype) or not same_shape(ours, theirs):
        return f"{where}: {ours.dtype}{list(ours.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
    if ours.size == 0:
        return ""
    if is_text or theirs.dtype not in TOLERANCE:
        same = (
            np.array_equal(ours.astype(str), theirs.astype(str)) if is_text else np.array_equal(ours, theirs)
        )
        return "" if same else f"{where}: {ours.tolist()} instead of {theirs.tolist()}"
    allowed = TOLERANCE[theirs.dtype] * slack
    if np.allclose(ours, theirs, rtol=allowed * 10, atol=allowed, equal_nan=True):
        return ""
    largest = np.nanmax(np.abs(ours - theirs))
    return f"{where}: differs by {largest}, e.g. {ours.ravel()[:4]} instead of {theirs.ravel()[:4]}"
