# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own operator samples as one-leaf captures, run in ONNX Runtime against eager."""

from __future__ import annotations

import collections
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from dycl.capture import Capture, LeafRefused
from python.capture.leaf_runner import BackendLacks, check_leaf
from torch.testing._internal.common_methods_invocations import op_db

DTYPES = (torch.float32, torch.int64, torch.bool)


@dataclass
class Tally:
    equal: int = 0
    refused: collections.Counter[str] = field(default_factory=collections.Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        refused = sum(self.refused.values())
        total = self.equal + refused + len(self.wrong)
        share = 100 * self.equal / max(total, 1)
        return (
            f"{total} samples: {self.equal} equal ({share:.1f} %), {refused} refused, {len(self.wrong)} wrong"
        )


def samples(op: Any, dtype: torch.dtype, limit: int) -> Iterator[Any]:
    """At most `limit` samples, spread over all that the operator has."""
    torch.manual_seed(0)
    everything = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    step = max(1, -(-len(everything) // limit))
    yield from everything[::step]


def run(tally: Tally, limit: int = 6, only: str = "", part: int = 0, parts: int = 1) -> Tally:
    warnings.simplefilter("ignore")
    names = only.split(",")
    operators = [op for op in op_db if not only or op.name in names][part::parts]
    for op in operators:
        with Capture() as capture:
            for dtype in DTYPES:
                if dtype in op.supported_dtypes("cpu"):
                    _run_operator(tally, capture, op, dtype, limit)
    return tally


def _run_operator(tally: Tally, capture: Capture, op: Any, dtype: torch.dtype, limit: int) -> None:
    name = f"{op.name}{'.' if op.variant_test_name else ''}{op.variant_test_name} {str(dtype)[6:]}"
    # Eager leaves the order of ties open, so topk is judged by its values.
    function = (lambda *args, **kwargs: torch.topk(*args, **kwargs)[0]) if op.name == "topk" else op.op
    for number, sample in enumerate(samples(op, dtype, limit)):
        try:
            check_leaf(capture, function, sample.input, *sample.args, **sample.kwargs)
            tally.equal += 1
        except (LeafRefused, BackendLacks) as refusal:
            reason = str(refusal).splitlines()[0][:160]
            if "randomness" not in reason:  # such samples have no one right answer and count nowhere
                tally.refused[f"{name}: {reason}"] += 1
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            tally.wrong.append(f"{name} #{number}: {type(error).__name__}: {text}")
            print("wrong", tally.wrong[-1], flush=True)


if __name__ == "__main__":
    arguments = dict(argument.split("=") for argument in sys.argv[1:])
    result = run(
        Tally(),
        int(arguments.get("limit", 6)),
        arguments.get("only", ""),
        int(arguments.get("part", 0)),
        int(arguments.get("parts", 1)),
    )
    for text, count in sorted(result.refused.items()):
        print("refused", count, text)
    print(result)
