# SPDX-License-Identifier: Apache-2.0
"""Holds every #include against layers.toml."""

import re
import tomllib

from lint.sources import CPP, ROOT, files, shown

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
BRIDGED_MODULE = re.compile(r'import_\(\s*"(?:dycl|torch)\b')
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


def room_violations(name, text):
    """The includes of one file that its room may not see, where its folder is divided into rooms."""
    parts = name.split("/")
    rooms = LAYERS["rooms"].get(parts[1]) if parts[0] == "src" else None
    if rooms is None or len(parts) < 4:
        return []
    folder, room = parts[1], parts[2]
    if room not in rooms:
        return [f"{name}: src/{folder}/{room} is not listed in layers.toml"]
    found = []
    for _, target in INCLUDE.findall(text):
        seen = target.split("/")
        if seen[0] != folder:
            continue
        other = seen[1] if len(seen) > 2 else "the door"
        if other != room and other not in rooms[room]:
            found.append(f"{name} includes {target}, but {room} may only include {rooms[room]}")
    return found


def headerless(name, text, header_of):
    """Whether no header leads to a file of a room: it has none of its own name, and the header that it
    includes first does not name it. `header_of` gives the text of an included header, or nothing."""
    own = name.removeprefix("src/").removesuffix(".cpp") + ".h"
    first = next((target for _, target in INCLUDE.findall(text)), None)
    return first != own and name.split("/")[-1] not in (header_of(first) or "")


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
    return found + room_violations(name, text)


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


def test_a_planted_violation_between_rooms_is_found():
    assert violations("src/partial_eval/values/heap.cpp", '#include "partial_eval/machine/machine.h"\n')
    assert violations("src/partial_eval/language/call.cpp", '#include "partial_eval/builtins/natives.h"\n')
    assert violations("src/partial_eval/explore/control.h", '#include "partial_eval/rewrite.h"\n')
    assert violations("src/partial_eval/new_room/file.cpp", "")
    assert not violations("src/partial_eval/rewrite.cpp", '#include "partial_eval/explore/control.h"\n')
    assert not violations("src/partial_eval/values/heap.cpp", '#include "partial_eval/values/heap.h"\n')


def test_a_room_may_include_lower_rooms_only():
    for rooms in LAYERS["rooms"].values():
        for place, (room, allowed) in enumerate(rooms.items()):
            assert set(allowed) <= set(list(rooms)[:place]), room


def test_every_room_exists_and_is_in_the_build_list_in_its_order():
    for folder, rooms in LAYERS["rooms"].items():
        cmake = (ROOT / "src" / folder / "CMakeLists.txt").read_text()
        assert list(dict.fromkeys(re.findall(r"^  (\w+)/\w+\.cpp", cmake, re.MULTILINE))) == list(rooms)


def header_text(target):
    path = ROOT / "src" / target if target else ROOT
    return path.read_text() if path.is_file() else None


def test_a_header_leads_to_every_file_of_a_room():
    sources = [p for folder in LAYERS["rooms"] for p in sorted((ROOT / "src" / folder).glob("*/*.cpp"))]
    assert sources
    assert not [shown(p) for p in sources if headerless(shown(p), p.read_text(), header_text)]


def test_a_planted_file_without_a_header_is_found():
    no_header = {"f/b.h": "int f();\n", "f/c.h": "int g();  // d.cpp\n"}.get
    assert headerless("src/f/a.cpp", "", no_header)
    assert headerless("src/f/a.cpp", '#include "f/b.h"\n', no_header)
    assert not headerless("src/f/b.cpp", '#include "f/b.h"\n', no_header)
    assert not headerless("src/f/d.cpp", '#include "f/c.h"\n', no_header)


def imports_past_the_bridge(name, text):
    """Whether a file that is no bridge imports a Python module of ours or of torch."""
    return name not in LAYERS["bridges"]["files"] and BRIDGED_MODULE.search(text) is not None


def test_only_bridges_import_python_modules_of_ours_and_of_torch():
    found = [shown(p) for p in files(*CPP) if imports_past_the_bridge(shown(p), p.read_text())]
    assert not found, f"ask through src/partial_eval/machine/torch_bridge.h: {found}"
    for name in LAYERS["bridges"]["files"]:
        assert BRIDGED_MODULE.search((ROOT / name).read_text()), f"{name} is no bridge any more"


def test_a_planted_import_past_the_bridge_is_found():
    planted = 'nb::module_::import_(\n    "dycl.frontend.sizes.sizes")'
    assert imports_past_the_bridge("src/partial_eval/data/sizes.cpp", planted)
    assert imports_past_the_bridge("bindings/rewrite.cpp", 'nb::module_::import_("dycl").attr("x")')
    assert not imports_past_the_bridge("src/partial_eval/machine/torch_bridge.cpp", planted)
    assert imports_past_the_bridge("src/partial_eval/data/sizes.cpp", 'nb::module_::import_("torch")')
    assert imports_past_the_bridge("src/partial_eval/torch/draws.cpp", 'nb::module_::import_("torch._C")')
    assert not imports_past_the_bridge("src/partial_eval/data/twins.cpp", 'nb::module_::import_("operator")')


# Plugins, which see no cli, ask for this folder, too.
USER_CACHE = "src/base/disk_cache.cpp"


def reads_environment(name, text):
    """Whether a file that is not of the command line asks for an environment variable."""
    return (
        not name.startswith("src/cli/")
        and name != USER_CACHE
        and re.search(r"\b(?:secure_)?getenv\b", text) is not None
    )


def test_only_the_command_line_reads_environment_variables():
    paths = files(*CPP, folders=("src", "include", "bindings"))
    found = [shown(p) for p in paths if reads_environment(shown(p), p.read_text())]
    assert not found, f"take it as an argument: {found}"
    planted = 'const char* home = std::getenv("HOME");'
    assert reads_environment("src/base/sha256.cpp", planted)
    assert not reads_environment("src/cli/environment.cpp", planted)


def test_an_allowed_include_is_not_found():
    assert not violations("src/runtime/session.cpp", '#include "package/artifact.h"\n#include <vector>\n')
    assert not violations("src/import_python/lowering.cpp", "#include <nanobind/nanobind.h>\n")
    assert not violations("src/hcfg/hcfg.h", '#include "hcfg/text.h"\n#include "base/type.h"\n')


def test_every_folder_of_src_is_listed_in_pipeline_order():
    listed = list(LAYERS["src"])
    cmake = re.findall(r"add_subdirectory\((\w+)\)", (ROOT / "src/CMakeLists.txt").read_text())
    assert listed == cmake
