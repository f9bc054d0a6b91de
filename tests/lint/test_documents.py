# SPDX-License-Identifier: Apache-2.0
"""Documents say something, and what they link to is there."""

import re
from pathlib import Path

from lint.sources import ROOT
from lint.test_text_rules import tracked_text_files

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def documents() -> list[Path]:
    return [path for path in tracked_text_files() if path.suffix == ".md"]


def broken_links(folder: Path, text: str) -> list[str]:
    targets = (match for match in LINK.findall(CODE.sub("", text)) if "://" not in match)
    return [target for target in targets if not (folder / target).exists()]


def test_no_document_is_empty():
    empty = [str(path.relative_to(ROOT)) for path in documents() if not path.read_text().strip()]
    assert not empty, ", ".join(empty)


def test_every_link_leads_to_a_file():
    found = []
    for path in documents():
        links = broken_links(path.parent, path.read_text())
        found += [f"{path.relative_to(ROOT)} links to {target}, which is not there" for target in links]
    assert not found, "\n".join(found)


def test_a_planted_broken_link_is_found():
    text = "[a](README.md) [b](nowhere.md#part) `[c](code.md)` [d](https://example.org)"
    assert broken_links(ROOT, text) == ["nowhere.md"]
