# SPDX-License-Identifier: Apache-2.0
"""Licence lines, and words that have no place in sources."""

import re
import subprocess
from pathlib import Path

from lint.sources import CPP, PYTHON, ROOT, files, shown

SPDX = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = (*CPP, *PYTHON, ".cmake", ".sh", ".toml", ".txt", ".ini")
ROOT_FILES = (
    "Makefile",
    "CMakeLists.txt",
    "layers.toml",
    "ruff.toml",
    "mypy.ini",
    "pytest.ini",
    ".clang-tidy",
    ".ci/run",
)

FORBIDDEN = {
    re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))"): "write TODO(#issue number), or do it now",
    re.compile(r"(?<![\w.])/(tmp|work|root|home)/\w"): "a path of one machine",
}
# Files whose business it is to name such things.
EXEMPT = {"tests/lint/test_text_rules.py"}
DATA_TEXT = re.compile(r"^tests/((golden|fuzz/corpus|fixtures|reject)/|python/suites/.*\.txt$)")


def tracked_text_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout
    names = [n for n in listing.decode().split("\0") if n] or [shown(p) for p in files(*SUFFIXES, ".md")]
    kept = (n for n in names if n not in EXEMPT and not DATA_TEXT.match(n))
    return [ROOT / n for n in kept if (ROOT / n).suffix in (*SUFFIXES, ".md") and (ROOT / n).exists()]


def complaints(name: str, text: str) -> list[str]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [
            f"{name}:{number}: {why}: {line.strip()}" for word, why in FORBIDDEN.items() if word.search(line)
        ]
    return found


def test_every_source_names_its_licence_in_the_first_lines():
    paths = [p for p in files(*SUFFIXES) if not DATA_TEXT.match(shown(p))] + [
        ROOT / name for name in ROOT_FILES
    ]
    missing = [shown(p) for p in paths if SPDX not in "\n".join(p.read_text().splitlines()[:3])]
    assert not missing, "no SPDX line in: " + ", ".join(missing)


def test_sources_hold_no_unowned_todo_and_no_path_of_one_machine():
    found = [c for path in tracked_text_files() for c in complaints(shown(path), path.read_text())]
    assert not found, "\n".join(found)


def test_planted_words_are_found():
    assert complaints("a.cpp", "// TODO: later")
    assert complaints("a.cpp", 'auto path = "/home/me/model.onnx";')
    assert not complaints("a.cpp", "// TODO(#12): later")
    assert not complaints("a.md", "build/release/dycl and /usr/share")
