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
from dycl.frontend.capture import Capture, LeafRefused
from python.capture.leaf_runner import BackendLacks, check_leaf
from torch.testing._internal.common_methods_invocations import op_db

# Samples that draw numbers or hand out unwritten memory count nowhere: eager itself does not repeat them.
NO_RIGHT_ANSWER = ("uses randomness", "nothing has written")
# Eager leaves the order of ties open: judged by the values that the indices name.
BY_VALUE = ("topk", "sort", "argsort", "kthvalue", "median", "nanmedian")
# Against an evaluation in f64, eager's own error on these samples reaches 1e-4 (sums of up to 900 in f32) and
# ours stays at or below it: 4e-5 against 7e-5 on the one sample of conv3d that the usual bound rejects.
CONVOLUTION = {"_rtol": 2e-5, "_atol": 1e-4}
DTYPES = (torch.float32, torch.int64, torch.bool)


@dataclass
class Tally:
    equal: collections.Counter[str] = field(default_factory=collections.Counter)  # by dtype
    refused: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        equal, refused = self.equal.total(), self.refused.total()
        total = equal + refused + len(self.wrong)
        share = 100 * equal / max(total, 1)
        lines = [
            f"{total} samples: {equal} equal ({share:.1f} %), {refused} refused, {len(self.wrong)} wrong"
        ]
        for dtype in map(_short, DTYPES):
            no = sum(n for (name, _), n in self.refused.items() if name.endswith(dtype))
            bad = sum(f" {dtype} #" in text for text in self.wrong)
            lines.append(f"  {dtype}: {self.equal[dtype]} equal, {no} refused, {bad} wrong")
        return "\n".join(lines)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


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
    with Capture() as capture:
        for op in operators:
            for dtype in DTYPES:
                if dtype in op.supported_dtypes("cpu"):
                    _run_operator(tally, capture, op, dtype, limit)
    return tally


def _by_value(function: Any) -> Any:
    def call(x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        result = function(x, *args, **kwargs)
        if isinstance(result, torch.Tensor) and result.dtype == x.dtype:  # of no indices
            return result
        indices = result if isinstance(result, torch.Tensor) else result[1]
        given = [a for a in args if type(a) is int]
        named = {"kthvalue": 1, "topk": 1}.get(function.__name__, 0)
        dim = kwargs.get("dim", given[named] if len(given) > named else -1)
        if indices.dim() < x.dim():
            indices = indices.unsqueeze(dim)
        chosen = torch.gather(x, dim, indices)
        return chosen if isinstance(result, torch.Tensor) else (result[0], chosen)

    return call


def _run_operator(tally: Tally, capture: Capture, op: Any, dtype: torch.dtype, limit: int) -> None:
    name = f"{op.name}{'.' if op.variant_test_name else ''}{op.variant_test_name} {_short(dtype)}"
    function = _by_value(op.op) if op.name in BY_VALUE else op.op
    for number, sample in enumerate(samples(op, dtype, limit)):
        try:
            bounds = CONVOLUTION if "conv" in op.name and dtype.is_floating_point else {}
            check_leaf(capture, function, sample.input, *sample.args, **sample.kwargs, **bounds)
            tally.equal[_short(dtype)] += 1
        except (LeafRefused, BackendLacks) as refusal:
            reason = str(refusal).splitlines()[0][:160]
            if not any(text in reason for text in NO_RIGHT_ANSWER):
                tally.refused[name, reason] += 1
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            tally.wrong.append(f"{name} #{number}: {type(error).__name__}: {text}")


if __name__ == "__main__":
    arguments = dict(argument.split("=") for argument in sys.argv[1:])
    result = run(
        Tally(),
        int(arguments.get("limit", 6)),
        arguments.get("only", ""),
        int(arguments.get("part", 0)),
        int(arguments.get("parts", 1)),
    )
    for (name, reason), count in sorted(result.refused.items()):
        print("refused", count, f"{name}: {reason}")
    print(*(f"wrong {text}" for text in result.wrong), sep="\n")
    print(result)
