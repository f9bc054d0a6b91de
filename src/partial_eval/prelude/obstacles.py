# SPDX-License-Identifier: Apache-2.0
"""What a refused instruction would have given, where `dycl explain` looks for what else stands in the way."""

from __future__ import annotations

from typing import Any


def unknown_truth() -> Any:
    """A bool of which nothing is known; the machine's own."""
    raise NotImplementedError


def unknown_number() -> Any:
    """An int of which nothing is known; the machine's own."""
    raise NotImplementedError


class Unknown:
    """Whatever is done with it gives an unknown value again."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def __iter__(self) -> Any:
        return iter((self, self))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: Any) -> Any:
        return False

    def __bool__(self) -> bool:
        return bool(unknown_truth())

    def __contains__(self, item: Any) -> bool:
        return bool(unknown_truth())

    def __len__(self) -> int:
        return int(unknown_number())

    def __int__(self) -> int:
        return int(unknown_number())

    def __index__(self) -> int:
        return int(unknown_number())

    def __float__(self) -> float:
        return float(unknown_number())

    def __getitem__(self, key: Any) -> Any:
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def _itself(self: Any, other: Any = None) -> Any:
    return self


_OPERATORS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor"
for _name in _OPERATORS.split():
    for _form in ("", "r", "i"):
        setattr(Unknown, f"__{_form}{_name}__", _itself)
for _name in ["neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"]:
    setattr(Unknown, f"__{_name}__", _itself)

NAMES = "Unknown"
