# SPDX-License-Identifier: Apache-2.0
"""What TVM makes of ONNX's control-flow cases without DyCL, as its documentation says: from_onnx, the default
pipeline, its virtual machine. In tests/:

    python -m python.suites.tvm_alone        the cases, and how many pass
"""

import sys

# tvm_ffi imports torch when it is there, only to be safe beside it.
sys.modules["torch"] = None

import numpy as np  # noqa: E402
import tvm  # noqa: E402
from python.suites import onnx_cases  # noqa: E402
from tvm import relax  # noqa: E402
from tvm.relax.frontend.onnx import from_onnx  # noqa: E402


def outcome(name: str) -> str:
    """ "passes", or what is said instead."""
    case = onnx_cases.node_cases()[name]
    model = onnx_cases.model_of(case)
    try:
        executable = tvm.compile(from_onnx(model), "llvm")
        machine = relax.VirtualMachine(executable, tvm.cpu())
        for inputs, expected in onnx_cases.data_sets_of(case, model):
            given = machine["main"](*(tvm.runtime.tensor(value) for value in inputs.values()))
            outputs = [given] if len(expected) == 1 else list(given)
            assert len(outputs) == len(expected), f"{len(outputs)} outputs instead of {len(expected)}"
            for output, wanted in zip(outputs, expected):
                onnx_cases.assert_equal(as_numpy(output), wanted, case.rtol, case.atol)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return f"{type(error).__name__}: {' '.join(lines)[:200]}"
    return "passes"


def as_numpy(value):
    """A sequence is a list."""
    if isinstance(value, tvm.runtime.Tensor):
        return np.asarray(value.numpy())
    return [as_numpy(item) for item in value]


def main() -> None:
    outcomes = {name: outcome(name) for name in onnx_cases.names_in("control_flow_cases.txt")}
    for name, text in outcomes.items():
        print(f"{name}: {text}")
    passed = sum(text == "passes" for text in outcomes.values())
    print(f"{passed} of {len(outcomes)} pass")


if __name__ == "__main__":
    main()
