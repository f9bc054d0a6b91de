# SPDX-License-Identifier: Apache-2.0
"""Dynamic networks, written as people write them: what DyCL must compile. No model file knows of DyCL.

entry = zoo.entry("skipnet_rnn", small=True)
model, calls = entry.build(), entry.inputs(seed=0, n=24)
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

NINE = (
    "sdn_mobilenet",
    "sdn_vgg16",
    "sdn_resnet56",
    "sdn_wideresnet",
    "skipnet_rnn",
    "skipnet_ff",
    "caption_resnext",
    "caption_googlenet",
    "blockdrop",
)
BEYOND = (
    "act_transformer",
    "gpt_decode",
    "moe_top1",
    "two_backbones",
    "cascade_nested",
    "deebert",
    "rnn_varlen",
    "point_prune",
    "resnet_static",
    "thousand_gates",
)
NAMES = NINE + BEYOND


@dataclass(frozen=True)
class Entry:
    name: str
    module: ModuleType
    small: bool

    @property
    def dynamic(self) -> str:
        """What in it depends on the input."""
        return str(self.module.DYNAMIC)

    @property
    def batches(self) -> bool:
        """Whether the model means something for more than one sample at a time."""
        return bool(self.module.BATCHES)

    def build(self, **options: Any) -> Any:
        """The model: seeded weights, calibrated, in eval mode; the same in every process."""
        return self.module.build(self.small, **options)

    def inputs(self, seed: int, n: int) -> list[tuple[Any, ...]]:
        """n tuples of arguments that send the model every way."""
        return list(self.module.inputs(seed, n, self.small))


def entry(name: str, small: bool = False) -> Entry:
    folder = "nine" if name in NINE else "beyond"
    return Entry(name, import_module(f"zoo.{folder}.{name}"), small)
