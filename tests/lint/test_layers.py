# SPDX-License-Identifier: Apache-2.0
"""Holds every #include against layers.toml."""

import re
import tomllib

from lint.sources import CPP, ROOT, files, shown

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
LAYERS = tomllib.loads((ROOT / "layers.toml").read_text())


def layer_and_allowance(parts):
    """The layer a file belongs to, and the layers it may include; None where no rule applies."""
    if parts[0] == "src" and len(parts) > 2:
        return parts[1], LAYERS["src"].get(parts[1])
    if parts[0] in ("backends", "bindings"):
        return parts[0], LAYERS[parts[0]]["may_include"]
    return None


def vendors_forbidden_in(layer):
    vendors = LAYERS["vendors"]
    python = vendors["python"] if layer in vendors["may_include_python"] else []
    return [v for v in vendors["forbidden"] if v not in python]


def violations(name, text):
    """The forbidden includes of one file, whose path from the root is `name`."""
    parts = name.split("/")
    rule = layer_and_allowance(parts)
    if rule is None:
        return []
    layer, allowed = rule
    if allowed is None:
        return [f"{name}: src/{layer} is not listed in layers.toml"]
    found = []
    for bracket, target in INCLUDE.findall(text):
        first = target.split("/")[0]
        if parts[0] == "src" and any(
            first == v or first.startswith(v + "_") for v in vendors_forbidden_in(layer)
        ):
            found.append(f"{name} includes the vendor header {target}")
        if bracket == '"' and first in LAYERS["src"] and first != layer and first not in allowed:
            found.append(f"{name} includes {target}, but {layer} may only include {allowed}")
    return found


def test_no_file_includes_what_its_layer_may_not_see():
    found = [v for path in files(*CPP) for v in violations(shown(path), path.read_text())]
    assert not found, "\n".join(found)


def test_a_planted_violation_is_found():
    assert violations("src/runtime/session.cpp", '#include "hcfg/hcfg.h"\n')
    assert violations("src/optimize/dead.cpp", '#include "import_onnx/import.h"\n')
    assert violations("backends/openvino/plugin.cpp", '#include "hcfg/hcfg.h"\n')
    assert violations("src/backend/loader.cpp", "#include <onnxruntime_c_api.h>\n")
    assert violations("src/new_folder/file.cpp", "")
    assert violations("src/program/function.h", "#include <nanobind/nanobind.h>\n")
    assert violations("src/import_python/lowering.cpp", "#include <torch/torch.h>\n")


def test_an_allowed_include_is_not_found():
    assert not violations("src/runtime/session.cpp", '#include "package/artifact.h"\n#include <vector>\n')
    assert not violations("src/import_python/lowering.cpp", "#include <nanobind/nanobind.h>\n")
    assert not violations("src/hcfg/hcfg.h", '#include "hcfg/text.h"\n#include "base/type.h"\n')


def test_every_folder_of_src_is_listed_in_pipeline_order():
    listed = list(LAYERS["src"])
    cmake = re.findall(r"add_subdirectory\((\w+)\)", (ROOT / "src/CMakeLists.txt").read_text())
    assert listed == cmake
