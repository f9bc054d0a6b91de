# SPDX-License-Identifier: Apache-2.0
"""Checks that tensors of a call are like those of the example, where the program depends on it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dycl.errors import UsageError


@dataclass(frozen=True)
class Matters:
    """The properties of the example's tensors on which the program depends."""

    strides_matter: bool = False
    layout_matters: bool = False  # strides, but not those of sizes 0 and 1
    offsets_matter: bool = False  # where in its memory a tensor begins
    gradients_matter: bool = False  # requires_grad
    parameters_matter: bool = False  # whether a tensor is a torch.nn.Parameter
    attributes_matter: bool = False  # tensors have no attributes of their own
    identity_matters: bool = False  # lists, dicts and objects are as many as in the example

    @staticmethod
    def of(document: Mapping[str, Any]) -> Matters:
        return Matters(**{name: bool(document.get(name, False)) for name in Matters.__dataclass_fields__})

    def stored(self) -> dict[str, bool]:
        """Returns the fields of signature.json: the first always, the others if they are true."""
        named = asdict(self)
        return {name: value for name, value in named.items() if value or name == "strides_matter"}

    def check(self, value: Any, node: Mapping[str, Any]) -> None:
        """Checks `value`, which a call gives for the tensor of the example that `node` describes."""
        if self.strides_matter or self.layout_matters:
            self._check_strides(value, node)
        offset, gradients = node.get("offset", 0), node.get("requires_grad", False)
        if self.offsets_matter and _offset(value) != offset:
            raise _wrong(node, f"storage_offset() {offset}", str(_offset(value)))
        if self.gradients_matter and _requires_grad(value) != gradients:
            raise _wrong(node, f"requires_grad {gradients}", str(_requires_grad(value)))
        parameter = node.get("parameter", False)
        if self.parameters_matter and _is_parameter(value) != parameter:
            kinds = {True: "a torch.nn.Parameter", False: "a tensor that is not a parameter"}
            raise _wrong(node, kinds[parameter], kinds[not parameter])
        if self.attributes_matter and (names := _own_attributes(value)):
            raise _wrong(node, "a tensor without attributes of its own", f"the attributes {', '.join(names)}")

    def _check_strides(self, value: Any, node: Mapping[str, Any]) -> None:
        shape, given = getattr(value, "shape", None), _strides(value)
        if shape is None or given is None:  # numbers and lists, which become contiguous
            return
        wanted = tuple(node["stride"]) or _contiguous(shape)  # of open sizes: contiguous
        if len(shape) != len(wanted) or not _has_sizes(shape, node["type"]):
            return  # what is wrong with it is told by the program itself
        exact = self.strides_matter and bool(node["stride"])
        if (given != wanted) if exact else not _equivalent(shape, given, wanted):
            kind = f"the strides {wanted}" if node["stride"] else "contiguous memory"
            raise _wrong(node, kind, f"strides {given}")


def _strides(value: Any) -> tuple[int, ...] | None:
    if hasattr(value, "stride"):  # torch
        return tuple(value.stride())
    if hasattr(value, "strides"):  # numpy
        return tuple(step // value.itemsize for step in value.strides)
    return None


def _offset(value: Any) -> int:
    return int(value.storage_offset()) if hasattr(value, "storage_offset") else 0


def _requires_grad(value: Any) -> bool:
    return bool(getattr(value, "requires_grad", False))


def _is_parameter(value: Any) -> bool:
    torch: Any = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Parameter)


def _own_attributes(value: Any) -> list[str]:
    return list(getattr(value, "__dict__", ()))


def _contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(int(size), 1))
    return tuple(reversed(strides)) if len(shape) else ()


def _has_sizes(shape: Sequence[int], type_text: str) -> bool:
    """`type_text` is f32[2,s]: a name stands for any size."""
    sizes = [size for size in type_text.partition("[")[2].rstrip("]").split(",") if size]
    return len(sizes) == len(shape) and all(
        not size.isdigit() or int(size) == given for size, given in zip(sizes, shape, strict=True)
    )


def _equivalent(shape: Sequence[int], given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether two lists of strides lead to the same elements for every index."""
    if any(size == 0 for size in shape):
        return True
    return all(size == 1 or a == b for size, a, b in zip(shape, given, wanted, strict=True))


def _wrong(node: Mapping[str, Any], compiled: str, given: str) -> UsageError:
    return UsageError(
        f"compiled for '{node['path']}' with {compiled}; called with {given}",
        code="call.layout",
        hint="the model depends on this: pass a tensor like the example's (x.contiguous(), x.clone(), "
        "x.detach()), or compile with an example like this one",
    )
