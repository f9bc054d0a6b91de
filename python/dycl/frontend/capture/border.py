# SPDX-License-Identifier: Apache-2.0
"""Everything that the rewriting machine asks of torch's side. Its other half is
src/partial_eval/machine/torch_bridge.cpp. Answers are classes of dycl._core, whatever is raised inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dycl import _core
from dycl.frontend.capture import classes, states, unwritten, views
from dycl.frontend.capture.engine import Capture
from dycl.frontend.sizes.values import (
    DTYPE_NAMES,
    LeafCall,
    LeafRefused,
    OpenShape,
    Requirement,
    SizeSplit,
    SizesRaised,
    TensorSpec,
    TorchRaised,
    spec,
    spec_of,
)

Unanswered = _core.SizeSplit | _core.TorchRaised | _core.LeafRefused


class Border:
    """One per compilation."""

    open_shape_class = OpenShape
    dtype_names = DTYPE_NAMES
    spec_of = staticmethod(spec_of)
    spec = staticmethod(spec)
    classify = staticmethod(classes.classify)
    layer = staticmethod(classes.layer)
    hooks = staticmethod(classes.hooks)
    holder_of = staticmethod(states.holder_of)
    path_of = staticmethod(states.path_of)
    fresh_mask = staticmethod(unwritten.fresh)
    seen_mask = staticmethod(unwritten.seen)
    mask_after_write = staticmethod(unwritten.after_write)
    united_masks = staticmethod(unwritten.united)
    same_masks = staticmethod(unwritten.same)
    is_whole_index = staticmethod(unwritten.is_whole)

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self.size_symbols = capture.size_symbols
        self.attribute = capture.attribute
        self.declared = capture.declared
        self.note_call = capture.note_call

    def input_spec(self, tensor: torch.Tensor, path: str) -> TensorSpec | _core.LeafRefused:
        try:
            return self._capture.input_spec(tensor, path)
        except LeafRefused as refused:
            return refused.answer()
        except OverflowError:
            return _beyond()

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> LeafCall | Requirement | Unanswered:
        try:
            return self._capture.call(function, args, kwargs)
        except SizesRaised as raised:
            return raised.requirement
        except (LeafRefused, TorchRaised, SizeSplit) as unanswered:
            return unanswered.answer()
        except OverflowError:
            return _beyond()

    def metadata(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _core.Metadata | Unanswered:
        try:
            return _core.Metadata(self._capture.metadata(function, args, kwargs))
        except (LeafRefused, TorchRaised, SizeSplit) as unanswered:
            return unanswered.answer()
        except OverflowError:
            return _beyond()

    def misread(self, method: str, given: TensorSpec) -> Requirement:
        from dycl.frontend.sizes.trial import misread  # with ONNX, which few programs need for this

        return misread(method, given.shape)

    def update_of_view(
        self, written: TensorSpec, at: int, seen: TensorSpec, seen_at: int
    ) -> _core.ViewUpdate:
        return views.update(written, at, seen, seen_at)


def _beyond() -> _core.LeafRefused:
    return _core.LeafRefused("a size beyond 64 bits", "use sizes whose products fit into 64 bits", False)
