# SPDX-License-Identifier: Apache-2.0
"""Searches good schedules for the operators of sub-DNNs, with TVM's meta_schedule and a driver of our own.

TVM's own driver spends its trials on trivial operators and builds each candidate in a fresh process; here
only operators that reduce are tuned, and candidates are built and timed in this process. What was found is
kept per operator, shape and target, if it is faster than the untuned loops: an operator is tuned once,
however many sub-DNNs have it.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from dycl_worker import one_line
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder
from tvm.s_tir.meta_schedule.runner import PyRunner, RunnerFuture, RunnerResult
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

from dycl_tvm.schedules import better

# meta_schedule imports the tensor instructions of GPUs, which takes half a minute, and needs none here.
for _unused in ("cuda", "rocm", "hexagon"):
    _name = f"tvm.s_tir.tensor_intrin.{_unused}"
    sys.modules.setdefault(_name, types.ModuleType(_name))

# Trials done, all trials, what is being tuned and how it goes; whether that operator is finished.
Progress = Callable[[int, int, str, bool], None]
REPEATS = 5
SLOW = 0.2  # seconds: such a candidate is timed once


def tasks_of(modules: Iterable[Any], target: Any, database: Any) -> list[Any]:
    """Distinct operators of lowered modules that reduce, have fixed sizes and are not in the database."""
    found: list[Any] = []
    seen: set[int] = set()
    for module in modules:
        for task in ms.relax_integration.extract_tasks(module, target):
            loops = task.dispatched[0]
            key = tvm_ffi.structural_hash(loops)
            if key in seen or "T.init()" not in loops.script() or _has_symbols(loops):
                continue
            seen.add(key)
            if not database.has_workload(loops):
                found.append(task)
    return found


def tune(tasks: list[Any], target: Any, database: Any, trials: int, progress: Progress) -> None:
    """At most `trials` candidates per operator."""
    timer = _Timer(len(tasks) * trials, progress)
    logging.getLogger("tvm").setLevel(logging.WARNING)
    for number, task in enumerate(tasks):
        timer.task = f"{task.task_name} ({number + 1} of {len(tasks)})"
        timer.best = float("inf")
        timer.untuned = _untuned_seconds(task.dispatched[0], target)
        with tempfile.TemporaryDirectory() as folder:
            _tune_one(task, target, database, trials, folder, timer)
        timer.finish((number + 1) * trials)


def _tune_one(task: Any, target: Any, database: Any, trials: int, folder: str, timer: _Timer) -> None:
    loops = task.dispatched[0]
    found = ms.database.MemoryDatabase()
    context = ms.TuneContext(
        mod=loops,
        target=target,
        space_generator="post-order-apply",
        search_strategy=ms.search_strategy.EvolutionarySearch(population_size=128, genetic_num_iters=2),
        task_name=task.task_name,
        num_threads=1,
        rand_state=0,
    ).clone()
    ms.tune.tune_tasks(
        tasks=[context],
        task_weights=[1.0],
        work_dir=folder,
        max_trials_global=trials,
        max_trials_per_task=trials,
        num_trials_per_iter=min(trials, 32),
        builder=_Builder(timer),
        runner=_Runner(timer),
        database=found,
        cost_model="xgb" if importlib.util.find_spec("xgboost") else "random",
        measure_callbacks=[ms.measure_callback.AddToDatabase()],
    )
    workload = database.commit_workload(loops)  # so that it counts as tuned, whatever was found
    best = found.query_tuning_record(loops, target, "main")
    if best is not None and timer.best < timer.untuned:
        seconds = [float(second) for second in best.run_secs]
        database.commit_tuning_record(
            ms.database.TuningRecord(best.trace, workload, seconds, target, best.args_info)
        )


def _untuned_seconds(loops: Any, target: Any) -> float:
    module = tvm.IRModule({"main": better(loops["main"])})
    executable = tvm.compile(module, target=target)
    return min(_seconds(executable, ms.arg_info.ArgInfo.from_prim_func(loops["main"])))


class _Timer:
    """What builder and runner share: built candidates, and how far we are."""

    def __init__(self, total: int, progress: Progress) -> None:
        self.built: dict[str, Any] = {}
        self.total = total
        self.done = 0
        self.task = ""
        self.best = float("inf")
        self.untuned = float("inf")
        self.progress = progress

    def count(self, seconds: float | None) -> None:
        self.done += 1
        self.best = min(self.best, float("inf") if seconds is None else seconds)
        self.tell(False)

    def finish(self, done: int) -> None:
        """The search may give up early."""
        self.done = done
        self.tell(True)

    def tell(self, finished: bool) -> None:
        best = "none works yet" if self.best == float("inf") else f"best {self.best * 1e6:.0f} us"
        untuned = f"untuned {self.untuned * 1e6:.0f} us"
        self.progress(self.done, self.total, f"{self.task}, {best}, {untuned}", finished)


@derived_object
class _Builder(PyBuilder):  # type: ignore[misc]
    def __init__(self, timer: _Timer) -> None:
        super().__init__()
        self.timer = timer

    def build(self, build_inputs: list[Any]) -> list[Any]:
        return [self._one(given) for given in build_inputs]

    def _one(self, given: Any) -> Any:
        name = f"candidate {len(self.timer.built)}"
        try:
            module = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(given.mod)
            self.timer.built[name] = tvm.compile(module, target=given.target)
        except Exception as error:
            return BuilderResult(None, one_line(error))
        return BuilderResult(name, None)


@derived_object
class _Runner(PyRunner):  # type: ignore[misc]
    def __init__(self, timer: _Timer) -> None:
        super().__init__()
        self.timer = timer

    def run(self, runner_inputs: list[Any]) -> list[Any]:
        return [self._one(given) for given in runner_inputs]

    def _one(self, given: Any) -> Any:
        seconds: list[float] | None = None
        message = None
        try:
            seconds = _seconds(self.timer.built.pop(str(given.artifact_path)), given.args_info)
        except Exception as error:
            message = one_line(error)
        self.timer.count(min(seconds) if seconds else None)
        result = RunnerResult(seconds, message)
        return RunnerFuture(f_done=lambda: True, f_result=lambda: result)


def _seconds(executable: Any, arguments: Any) -> list[float]:
    values = [_argument(info) for info in arguments]
    function = executable["main"]
    function(*values)
    seconds: list[float] = []
    while len(seconds) < REPEATS and not (seconds and seconds[0] > SLOW):
        start = time.perf_counter()
        function(*values)
        seconds.append(time.perf_counter() - start)
    return seconds


def _argument(info: Any) -> Any:
    shape = tuple(int(size) for size in info.shape)
    values = np.random.default_rng(0).random(shape)
    return tvm.runtime.tensor(values.astype(str(info.dtype)))


def _has_symbols(loops: Any) -> bool:
    shapes = [
        getattr(parameter.ty, "shape", None)
        for function in loops.functions.values()
        for parameter in function.params
    ]
    return any(
        shape is None or any(not isinstance(size, tvm.tirx.IntImm) for size in shape) for shape in shapes
    )
