# SPDX-License-Identifier: Apache-2.0
"""Models of packages on PyPI, called as they are: tiny, seeded, in evaluation; imported when built.

The list is docs/real_models_list.md, one file here for each of its parts. What DyCL refuses today is in
refused.toml. `PYTHONPATH=tests .venv/bin/python -m python.torch.packages --help` says how to try them.
"""

import importlib

from python.torch.packages.model import MODELS, Model

AREAS = (
    "detection",
    "postprocessing",
    "vision",
    "matching",
    "text",
    "generation",
    "sequences",
    "audio",
    "solvers",
    "similarity",
    "diffusion",
)

for area in AREAS:  # in the order of the list
    importlib.import_module(f"{__name__}.{area}")

__all__ = ["MODELS", "Model"]
