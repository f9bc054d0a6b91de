# SPDX-License-Identifier: Apache-2.0
"""Plain ONNX Runtime as the judge of exported programs.

judge_programs.py WRITER: WRITER puts programs, inputs and expected outputs into a temporary folder.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime

NUMPY_TYPES = {"f32": "<f4", "f64": "<f8", "i64": "<i8", "bool": "?"}
FEWEST = 100


def array(text: str) -> np.ndarray:
    dtype, sizes, data = text.split(" ")
    shape = [int(size) for size in sizes[1:-1].split(",") if size]
    return np.frombuffer(bytes.fromhex(data[1:-1]), NUMPY_TYPES[dtype]).reshape(shape)


def calls_of(path: Path) -> Iterator[tuple[list[np.ndarray], list[np.ndarray] | None]]:
    """The inputs and outputs of each call; None where the program raises."""
    for call in path.read_text().split("call\n")[1:]:
        lines = call.splitlines()
        yield (
            [array(line[3:]) for line in lines if line.startswith("in ")],
            None if "fails" in lines else [array(line[4:]) for line in lines if line.startswith("out ")],
        )


def fails(session: onnxruntime.InferenceSession, feeds: dict[str, np.ndarray]) -> bool:
    try:
        session.run(None, feeds)
    except Exception as error:
        return "out of data bounds" in str(error)
    return False


def judge(path: Path) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    for inputs, expected in calls_of(path.with_suffix(".txt")):
        feeds = dict(zip(names, inputs))
        if expected is None:
            assert fails(session, feeds), path.name
            continue
        given = session.run(None, feeds)
        for ours, theirs in zip(given, expected, strict=True):
            assert ours.dtype == theirs.dtype, path.name
            assert ours.shape == theirs.shape, path.name
            assert np.allclose(ours, theirs, rtol=1e-6, atol=0, equal_nan=True), (path.name, ours, theirs)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        programs = sorted(Path(folder).glob("*.onnx"))
        assert len(programs) >= FEWEST, f"{len(programs)} programs"
        for path in programs:
            judge(path)


if __name__ == "__main__":
    main()
