# SPDX-License-Identifier: Apache-2.0
"""Python's zipfile, json and numpy as independent judges of what the C++ writer makes.

judge_package.py WRITER: runs WRITER in a temporary folder and looks at its files.
"""

import hashlib
import itertools
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

ALIGNMENT = 64
NUMPY_TYPES = {"F32": "<f4", "I64": "<i8", "U8": "u1", "BOOL": "?"}


def data_offset(file: bytes, info: zipfile.ZipInfo) -> int:
    name_size, extra_size = struct.unpack_from("<HH", file, info.header_offset + 26)
    return info.header_offset + 30 + name_size + extra_size


def check_container(path: Path) -> dict[str, bytes]:
    file = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None, "a checksum is wrong"
        for info in archive.infolist():
            assert info.compress_type == zipfile.ZIP_STORED, info.filename
            assert info.date_time == (1980, 1, 1, 0, 0, 0), info.filename
            assert data_offset(file, info) % ALIGNMENT == 0, info.filename
        return {name: archive.read(name) for name in archive.namelist()}


def check_manifest(entries: dict[str, bytes]) -> None:
    assert next(iter(entries)) == "manifest.json"
    manifest = json.loads(entries["manifest.json"])
    assert manifest["format_version"] == 1
    assert set(manifest["entries"]) == set(entries) - {"manifest.json"}
    for name, facts in manifest["entries"].items():
        assert facts["size"] == len(entries[name]), name
        assert facts["sha256"] == hashlib.sha256(entries[name]).hexdigest(), name
    assert manifest["nondeterministic"] == ["subnets/bbbb2222/openvino/blob"]
    assert manifest["inputs"][0] == {"name": "x", "type": "f32[batch size,4]", "optional": False}


def read_safetensors(file: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    (length,) = struct.unpack_from("<Q", file)
    header = json.loads(file[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    data = file[8 + length :]
    ranges = sorted(tuple(tensor["data_offsets"]) for tensor in header.values())
    assert [0, *(end for _, end in ranges)] == [*(begin for begin, _ in ranges), len(data)], "must tile"
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        if not name.startswith("__padding__."):
            assert (8 + length + begin) % ALIGNMENT == 0, name
        if tensor["dtype"] in NUMPY_TYPES:
            values = np.frombuffer(data[begin:end], NUMPY_TYPES[tensor["dtype"]])
            tensors[name] = values.reshape(tensor["shape"])
    return tensors, metadata


def check_weights(file: bytes) -> None:
    tensors, metadata = read_safetensors(file)
    expected = np.arange(1, 17, dtype=np.float32).reshape(4, 4) * np.float32(0.25)
    np.testing.assert_array_equal(tensors["matrix"], expected)
    np.testing.assert_array_equal(tensors["bits"], [True, False, True])
    assert tensors["größe"] == -5
    assert tensors["größe"].shape == ()
    assert tensors["nothing"].shape == (0, 7)
    assert metadata == {"nibbles": "u4[3]", "words": "str[3]"}
    words = tensors["words"].tobytes()
    offsets = struct.unpack_from("<4q", words)
    assert [words[32:][a:b].decode() for a, b in itertools.pairwise(offsets)] == ["", "one", "naïve"]


def check_program(text: bytes) -> None:
    program = json.loads(text)
    half = program["code"][6]["attributes"]["value"]["d"]
    assert struct.unpack(">d", bytes.fromhex(half)) == (-0.5,)


def main(writer: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([writer, name], check=True)
        entries = check_container(folder / "sample.dycl")
        check_manifest(entries)
        check_weights(entries["weights/weights.safetensors"])
        check_program(entries["program.json"])
        large = check_container(folder / "zip64.zip")
        assert large == {"small.txt": b"hello", "a/large.bin": b"x" * 1000}
    print("zipfile, json and numpy agree")


if __name__ == "__main__":
    main(sys.argv[1])
