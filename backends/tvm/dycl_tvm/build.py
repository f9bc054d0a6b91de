# SPDX-License-Identifier: Apache-2.0
"""From a Relax module to the bytes of a shared library."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi.libinfo
from dycl_worker import Failed, one_line
from tvm import relax
from tvm.ir import GenericConst

from dycl_tvm.arithmetic import keep_arithmetic, legalize_ops
from dycl_tvm.convert import Refused
from dycl_tvm.database import open_database
from dycl_tvm.runtime import RUNTIME_FUNCTIONS
from dycl_tvm.schedules import scheduled

# Instructions that LLVM chooses when the processor has them; a library runs only where all are there.
INSTRUCTION_SETS = {
    "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "avx_vnni", "avx512f",
    "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "avx512_vbmi2", "avx512_vnni",
    "avx512_bitalg", "avx512_vpopcntdq", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16",
    "vaes", "vpclmulqdq", "gfni",
}  # fmt: skip

# What TVM has in Python only; backends/tvm/functions.cpp has it for programs that run without.
OUR_FUNCTIONS = {
    "relax.run.nonzero": "dycl.nonzero",
    "relax.run.shape_to_tensor": "dycl.shape_to_tensor",
}


def host_target() -> Any:
    cpu = tvm.target.codegen.llvm_get_system_cpu()
    # LLVM's loop vectorizer takes x[i % 4] for x[i] where a processor can scatter (AVX-512); loops that are
    # worth it are vectorized by TVM itself.
    return tvm.target.Target(
        {"kind": "llvm", "mcpu": cpu, "num-cores": os.cpu_count() or 1, "cl-opt": ["-vectorize-loops:bool=0"]}
    )


def host_features() -> list[str]:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return sorted(INSTRUCTION_SETS.intersection(line.split()))
    return []


def lower(module: Any, target: Any) -> Any:
    """Operators as loops, fused. Raises Refused."""
    passes = [
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FoldConstant(),
    ]
    # Fusing moves operators in front of the step that finds out the sizes they need.
    if not _finds_out_sizes(module):
        passes += [relax.transform.FuseOps(), relax.transform.FuseTIR()]
    try:
        with target:
            return tvm.transform.Sequential(passes)(keep_arithmetic(legalize_ops()(module)))
    except Exception as error:
        raise Refused(f"TVM cannot lower it: {one_line(error)}") from error


def _finds_out_sizes(module: Any) -> bool:
    blocks = module["main"].body.blocks
    return any(isinstance(binding, relax.MatchCast) for block in blocks for binding in block.bindings)


def schedule(lowered: Any, target: Any) -> Any:
    """With what tuning has found for the operators; with rules of our own for the others."""
    database = open_database(target)
    if database is not None:
        with target, database:
            lowered = relax.transform.MetaScheduleApplyDatabase()(lowered)
    return scheduled(lowered)


def build(module: Any, target: Any) -> Any:
    """Machine code in memory: what fails here is a refusal."""
    try:
        with target:
            module = relax.pipeline.default_build_pipeline()(_with_our_functions(module))
        if _has_empty_constant(module):
            raise Refused("TVM cannot store a constant without elements")
        for name in _foreign_functions(module):
            if name not in RUNTIME_FUNCTIONS and not name.startswith("dycl."):
                raise Refused(f"TVM calls {name} for it, which is not in its runtime")
        return relax.build(module, target, relax_pipeline=None)
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"TVM cannot compile it: {one_line(error)}") from error


@relax.expr_functor.mutator
class _Renamer(relax.PyExprMutator):  # type: ignore[misc]
    def visit_extern_func_(self, function: Any) -> Any:
        name = str(function.global_symbol)
        return relax.ExternFunc(OUR_FUNCTIONS[name]) if name in OUR_FUNCTIONS else function


def _with_our_functions(module: Any) -> Any:
    module = relax.transform.LegalizeOps()(module)
    renamed = _Renamer(module)
    for variable, function in module.functions.items():
        if isinstance(function, relax.Function):
            renamed.builder_.update_func(variable, renamed.visit_expr(function))
    return renamed.builder_.get()


def _has_empty_constant(module: Any) -> bool:
    found: list[bool] = []

    def look(expression: Any) -> None:
        if isinstance(expression, GenericConst) and isinstance(expression.ty, relax.TensorType):
            found.append(0 in expression.value.shape)

    for function in module.functions.values():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, look)
    return any(found)


def _foreign_functions(module: Any) -> set[str]:
    found: set[str] = set()

    def look(expression: Any) -> None:
        if isinstance(expression, relax.ExternFunc):
            found.add(str(expression.global_symbol))

    for function in module.functions.values():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, look)
    return found


def library_of(executable: Any) -> bytes:
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        raise Failed("no C++ compiler was found, and TVM links with it", code="tvm.no_compiler",
                     hint="install g++")  # fmt: skip
    ffi = Path(tvm_ffi.libinfo.find_libtvm_ffi()).parent
    # Named by the library itself: an error inside a kernel would otherwise end the process.
    options = [f"-L{ffi}", "-Wl,--no-as-needed", "-ltvm_ffi"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "subnet.so"
        try:
            executable.export_library(str(path), options=options)
        except Exception as error:
            raise Failed(f"TVM cannot compile it: {one_line(error)}", code="tvm.compile") from error
        return path.read_bytes()
