# SPDX-License-Identifier: Apache-2.0
"""A clock that stands still (clock="stopped"): no time passes while the model runs, so no time limit ends it.

What it shows may only be subtracted, shifted, scaled, and compared to something that it does not equal: then
the answer is that of every clock, as long as the limit is not reached. All else is refused.
"""

from __future__ import annotations

from typing import Any

from .collections_ import refuse_what_lacks
from .operations import OF_CLOCK
from .refused import Refused

_CLOCK, _TIMES, _SECONDS = "<clock's name>", "<times>", "<seconds>"  # no program can write these names
_WAY_OUT = "pass the time as an input"


class Reading:
    """A number of `times` times what the clock shows, and `seconds` more."""

    SHOWN = float

    def __init__(self, clock: Any, times: Any, seconds: Any) -> None:
        object.__setattr__(self, _CLOCK, clock)
        object.__setattr__(self, _TIMES, times)
        object.__setattr__(self, _SECONDS, seconds)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise AttributeError(f"'float' object has no attribute '{name}'")

    def __add__(self, other: Any) -> Any:
        clock = getattr(self, _CLOCK)
        if _is_reading(other) and getattr(other, _CLOCK) != clock:
            raise Refused("the readings of two clocks meet", _WAY_OUT)
        return Reading(clock, _times(self) + _times(other), _seconds(self) + _seconds(other))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __mul__(self, factor: Any) -> Any:
        return Reading(getattr(self, _CLOCK), _times(self) * _number(factor), _seconds(self) * factor)

    def __rmul__(self, factor: Any) -> Any:
        return self * factor

    def __truediv__(self, divisor: Any) -> Any:
        return Reading(getattr(self, _CLOCK), _times(self) / _number(divisor), _seconds(self) / divisor)

    def __neg__(self) -> Any:
        return self * -1

    def __lt__(self, other: Any) -> Any:
        return _passed(self - other) < 0

    def __le__(self, other: Any) -> Any:
        return _passed(self - other) < 0

    def __gt__(self, other: Any) -> Any:
        return _passed(self - other) > 0

    def __ge__(self, other: Any) -> Any:
        return _passed(self - other) > 0


def _is_reading(value: Any) -> Any:
    return isinstance(value, float) and hasattr(value, _TIMES)


def _number(value: Any) -> Any:
    if _is_reading(value) or not isinstance(value, (int, float)):
        raise Refused(f"the time meets a {type(value).__name__}", _WAY_OUT)
    return value


def _times(value: Any) -> Any:
    return getattr(value, _TIMES) if _is_reading(value) else 0


def _seconds(value: Any) -> Any:
    return getattr(value, _SECONDS) if _is_reading(value) else _number(value)


def _passed(difference: Any) -> Any:
    if _times(difference) != 0:
        raise Refused("the time of day is compared", "compare how long it took: time.time() - start")
    if _seconds(difference) == 0:
        raise Refused("whether any time has passed decides", _WAY_OUT)
    return _seconds(difference)


def stopped_clock(name: Any) -> Any:
    return Reading(name, 1, 0)


setattr(Reading, OF_CLOCK, True)
refuse_what_lacks(Reading, _WAY_OUT)
NAMES = "stopped_clock"
