# SPDX-License-Identifier: Apache-2.0
"""Sources are listed by name: a file that no CMakeLists.txt names is never built, hence never tested."""

from lint.sources import files, shown


def test_every_cpp_file_is_named_in_a_build_list():
    forgotten = []
    for path in files(".cpp", folders=("src", "backends", "bindings", "tests", "benchmarks")):
        lists = [parent / "CMakeLists.txt" for parent in path.parents]
        if not any(path.name in text.read_text() for text in lists if text.exists()):
            forgotten.append(shown(path))
    assert not forgotten, "in no CMakeLists.txt: " + ", ".join(forgotten)
