# SPDX-License-Identifier: Apache-2.0
"""Every error code that the sources can give is explained in docs/errors.md, and no other."""

import re

from lint.sources import CPP, PYTHON, ROOT, files

LITERAL = re.compile(r'"([a-z][a-z_0-9]*(?:\.[a-z][a-z_0-9]*)+)"')
COMMENT = re.compile(r"^\s*//[^\n]*|^\s*/\*.*?\*/|  // [^\n]*", re.DOTALL | re.MULTILINE)
# Codes that are put together from a prefix and a word.
COMPOSED = {
    "package.": re.compile(r'package_error\(\s*"([a-z_0-9]+)"'),
    "run.input_": re.compile(r'wrong\(\s*"([a-z_]+)", port'),
}
IN_PYTHON = re.compile(r'\bcode="([a-z_0-9.]+)"')
DOCUMENTED = re.compile(r"^\| `([a-z_0-9.]+)` \|", re.MULTILINE)
# A code's first word says where it comes from; other dotted strings are file and module names.
FIRST_WORD = re.compile(
    "aot_inductor|argument|backend|bundle|cache|cli|doctor|emit|export|file|hcfg|host_gen|input|internal|model|npy|npz|onnx|"
    "onnxruntime|openvino|optimize|package|pipeline|probe|program|python|run|scalar|skeleton|subnet|tensor|tvm|type|worker"
)
FILE_ENDINGS = ("dycl", "h", "inc", "json", "npy", "npz", "onnx", "proto", "py", "safetensors", "so", "txt")


def codes_in(text: str) -> set[str]:
    code = COMMENT.sub("", text)
    found = set(LITERAL.findall(code))
    for prefix, pattern in COMPOSED.items():
        found |= {prefix + word for word in pattern.findall(code)}
    return {
        c for c in found if FIRST_WORD.fullmatch(c.split(".")[0]) and c.split(".")[-1] not in FILE_ENDINGS
    }


def test_every_error_code_is_documented_and_every_documented_code_exists():
    paths = files(*CPP, folders=("src", "backends", "bindings"))
    used = set().union(*(codes_in(path.read_text()) for path in paths))
    for path in files(*PYTHON, folders=("python", "backends")):
        used |= set(IN_PYTHON.findall(path.read_text()))
    documented = set(DOCUMENTED.findall((ROOT / "docs" / "errors.md").read_text()))
    assert used - documented == set(), "not in docs/errors.md"
    assert documented - used == set(), "in docs/errors.md, but nothing gives it"


def test_codes_are_told_from_file_names():
    assert codes_in('fail(Blame::Usage, "run.input_dtype", "…"); open("package.json"); #include "npy.h"') == {
        "run.input_dtype"
    }
