# SPDX-License-Identifier: Apache-2.0
"""The files that lint rules look at."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "backends",
    "benchmarks",
    "bindings",
    "cmake",
    "examples",
    "include",
    "python",
    "scripts",
    "src",
    "tests",
    "zoo",
)
CPP = (".h", ".hpp", ".cpp", ".c")
PYTHON = (".py", ".pyi")


def files(*suffixes: str, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    """Files with one of the suffixes below the folders, without build outputs."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            ignored = {"build", "__pycache__"} & set(path.relative_to(ROOT).parts)
            if path.is_file() and path.suffix in suffixes and not ignored:
                found.append(path)
    return found


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))
