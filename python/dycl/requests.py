# SPDX-License-Identifier: Apache-2.0
"""Makes requests of the native compiler from the options of `dycl.compile`, and refuses wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dycl import _core
from dycl.errors import UsageError

DEFAULT_STEP_LIMIT = 100_000_000
NO_RULES: Mapping[str, str] = MappingProxyType({})  # every sub-DNN goes to the preferred backend


def make_request(
    backend: str | Mapping[str, str],
    optimize: int,
    threads: int | None,
    jobs: int | None,
    disabled_passes: Sequence[str],
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> _core.CompileRequest:
    request = _core.CompileRequest()
    rules = _rules(backend)
    request.backend = rules.pop("*", "")  # an empty name means the preferred backend
    request.placement = list(rules.items())
    request.optimize = _level(optimize)
    request.disabled_passes = list(disabled_passes)
    request.step_limit = count_of("step_limit", step_limit, code="argument.step_limit")
    request.threads = pool_size(threads)
    request.jobs = _jobs(jobs)
    return request


def _level(optimize: Any) -> int:
    if not isinstance(optimize, int):
        raise UsageError(
            f"optimize cannot be {optimize!r}", code="optimize.unknown_level", hint="give 0 or 1"
        )
    return optimize


def _rules(backend: Any) -> dict[str, str]:
    rules = {"*": backend} if isinstance(backend, str) else backend
    words = [word for rule in rules.items() for word in rule] if isinstance(rules, Mapping) else [None]
    if not all(isinstance(word, str) for word in words) or "" in words:
        raise UsageError(
            f"{backend!r} is not a backend",
            code="backend.rule",
            hint="give the name of a backend, or a dict of patterns and names",
        )
    return dict(rules)


def count_of(name: str, number: Any, code: str) -> int:
    if not isinstance(number, int) or number < 1:
        raise UsageError(f"{name} cannot be {number!r}", code=code, hint="give a number from 1 on")
    return number


def pool_size(threads: int | None) -> int:
    return 0 if threads is None else count_of("threads", threads, code="argument.threads")


def _jobs(jobs: int | None) -> int:
    return 0 if jobs is None else count_of("jobs", jobs, code="argument.jobs")
