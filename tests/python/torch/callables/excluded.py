# SPDX-License-Identifier: Apache-2.0
"""What is never called, with the reason; each counts as reachable and not as exercised."""

_ENDS = "ends the process"
_BLOCKS = "waits for a person"
_COMPILES = "starts compilers"
_PROCESS = "changes the process for good"
_STARTS = "starts threads or processes"

EXCLUDED = {
    "builtins.exit": _ENDS,
    "builtins.quit": _ENDS,
    "builtins.input": _BLOCKS,
    "builtins.breakpoint": _BLOCKS,
    "builtins.help": _BLOCKS,
    "builtins.license": _BLOCKS,
    "builtins.print": "is left out of compiled programs, with a warning that says so",
    "numpy.test": "runs the tests of numpy",
    "torch.PyTorchFileWriter": "aborts the process where its arguments do not suit it",
    "torch.compile": _COMPILES,
    "torch.fork": _STARTS,
    "torch.init_num_threads": _PROCESS,
    "torch.set_num_interop_threads": _PROCESS,
    "torch.Tensor.share_memory_": _PROCESS,
}
