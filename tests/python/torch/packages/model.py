# SPDX-License-Identifier: Apache-2.0
"""What an entry of the list is, and inputs for it."""

import contextlib
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from dycl import Call

SEEDS = range(6)
REFUSED = Path(__file__).with_name("refused.toml")


@dataclass
class Model:
    name: str
    package: str  # as PyPI calls it
    dynamic: str  # what depends on the input
    make: Callable[[], tuple[Any, list[Call]]]
    refused: str  # the file, the line and the code of the message, or nothing
    grows: bool = True  # the calls take more than one path
    state: bool = False  # the calls are a sequence: each finds what the last has left
    quick: bool = False  # `make test` compiles it, too
    dynamic_shapes: dict[str, Any] | None = None
    rounding_decides: bool = False  # how far its steps go: eager in f64 is a second judge
    draws: bool = False  # it draws random numbers: eager is given those that the program draws

    def build(self) -> tuple[Any, list[Call]]:
        """What is called, and six calls. Imports the package."""
        allow_torchaudio()
        torch.manual_seed(0)
        return self.make()


def allow_torchaudio() -> None:
    """PyPI has torchaudio for another CUDA than torch: it refuses to be imported, though nothing uses it."""
    with mock.patch.object(torch.version, "cuda", None), contextlib.suppress(ImportError):
        import torchaudio  # noqa: F401


MODELS: list[Model] = []
_REFUSED: dict[str, str] = tomllib.loads(REFUSED.read_text())


def model(name: str, package: str, dynamic: str, **fields: Any) -> Any:
    def register(build: Callable[[], tuple[Any, list[Call]]]) -> Any:
        MODELS.append(Model(name, package, dynamic, build, _REFUSED.get(name, ""), **fields))
        return build

    return register


def calls(make: Callable[[int], Any]) -> list[Call]:
    made = [make(seed) for seed in SEEDS]
    return [value if isinstance(value, Call) else Call(value) for value in made]


def normal(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def uniform(seed: int, *shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def integers(seed: int, below: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


def boxes(seed: int, count: int, size: float = 50.0) -> torch.Tensor:
    corners = uniform(seed, count, 2) * size * 0.7
    return torch.cat([corners, corners + uniform(seed + 1000, count, 2) * size * 0.4], 1)


def mask_of(lengths: list[int], size: int) -> torch.Tensor:
    """True for so many at the beginning of each row."""
    return torch.arange(size)[None] < torch.tensor(lengths)[:, None]


def louder(network: Any, scale: float) -> Any:
    """With larger weights: as they come, many networks say much the same to all inputs."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    return network.eval()


def redrawn(network: Any, seed: int, scale: float) -> Any:
    """With all weights drawn anew, for the same reason."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0.0, scale, generator=generator)
    return network.eval()
