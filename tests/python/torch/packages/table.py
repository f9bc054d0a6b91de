# SPDX-License-Identifier: Apache-2.0
"""The table of docs/real_models.md, from the list and from refused.toml."""

import re
from pathlib import Path

from python.torch.packages.attempt import Outcome
from python.torch.packages.model import MODELS, REFUSED, Model

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "real_models.md"
REQUIREMENTS = "\n".join(path.read_text() for path in ROOT.glob("scripts/requirements-packages*.txt"))


def version_of(package: str) -> str:
    """The pinned one; the installed one has to be the same."""
    (pinned,) = re.findall(rf"^{re.escape(package)}==(.+)$", REQUIREMENTS, re.MULTILINE)
    return str(pinned)


def row_of(model: Model) -> str:
    package = f"{model.package} {version_of(model.package)}"
    where, _, code = model.refused.rpartition(" ")
    place = f"`{where}`" if ":" in where else where
    outcome = f"refused at {place} ({code})" if model.refused else "equal on 6 inputs"
    return f"| {model.name} | {package} | {model.dynamic} | {outcome} |"


def rows_of_page() -> list[str]:
    return [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]


def write_outcomes(outcomes: list[Outcome]) -> None:
    """What was tried replaces what the files say of it; the rest stays."""
    tried = {each.name: each.refused for each in outcomes if each.outcome in ("equal", "refused")}
    for model in MODELS:
        model.refused = tried.get(model.name, model.refused)
    head = [line for line in REFUSED.read_text().splitlines() if line.startswith("#")]
    kept = [f'"{model.name}" = "{model.refused}"' for model in MODELS if model.refused]
    REFUSED.write_text("\n".join([*head, *kept]) + "\n")
    lines = PAGE.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    last = max(number for number, line in enumerate(lines) if line.startswith("|"))
    lines[first + 1 : last + 1] = [row_of(model) for model in MODELS]
    PAGE.write_text("\n".join(lines) + "\n")
